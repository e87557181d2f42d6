import { beforeAll, describe, expect, test } from "vitest";
import { writeModule } from "../../../sim/module-writer/module-writer.ts";
import { carriedSentences } from "../../../src/capabilities/changes/diff/sentences.ts";
import { rawText } from "../../../src/capabilities/changes/documents/document.ts";
import { rawRequest, row, runCli, sealModules, temporaryDirectory } from "../../support/index.ts";
import { textOfHtml } from "../explorer/support/page-text.ts";
import { servePages, typed } from "../explorer/support/served-pages.ts";
import { textOf } from "../serve/support/served-archive.ts";

const ret = row(0x02);
const aborting = (code: number) => [row(0x06, [code, 0, 0, 0, 0, 0, 0, 0]), row(0x27)];

/**
 * 0x1::low::check aborts with a code, 0x1::mid::pass calls it, 0x2::top::withdraw calls that. `hidden` does too, but nobody can call it.
 */
function modules(code: number) {
  const imported = (module: string, name: string) => ({ imports: [{ module, name }] });
  const low = { address: "0x1", name: "low", functions: [{ name: "check", visibility: "public" as const, code: aborting(code) }] };
  const calling = (handle: number) => [row(0x11, handle), ret];
  const mid = {
    address: "0x1",
    name: "mid",
    functions: [{ name: "pass", visibility: "public" as const, code: calling(1) }],
    ...imported("0x1::low", "check"),
  };
  const top = {
    address: "0x2",
    name: "top",
    functions: [
      { name: "withdraw", visibility: "public" as const, code: calling(3) },
      { name: "hidden", code: calling(3) },
      { name: "idle", visibility: "public" as const, code: [ret] },
    ],
    ...imported("0x1::mid", "pass"),
  };
  return { "0x1": [writeModule(low), writeModule(mid)], "0x2": [writeModule(top)] };
}

describe("what a change carries into other modules", () => {
  const place = temporaryDirectory();
  const db = place.file("night.db");
  const diff = (...args: string[]) => runCli(["diff", "100", "200", ...args, "--db", db]);
  const words = "0x2::top::withdraw → 0x1::mid::pass → 0x1::low::check: no longer aborts with the code 0x1; aborts with the code 0x2";

  beforeAll(() =>
    sealModules(db, [
      { version: 100n, accounts: modules(1) },
      { version: 200n, accounts: modules(2) },
    ]),
  );

  test("stands in a comparison of everything, for functions that others can call", async () => {
    const { stdout } = await diff();
    expect(stdout).toContain(`What does something else because of other modules\n  0x1::mid::pass → 0x1::low::check: no longer`);
    expect(stdout).toContain(`  ${words}\n`);
    expect(stdout).not.toMatch(/hidden|idle/);
    expect((await diff("--format", "markdown")).stdout).toContain("- `0x2::top::withdraw` → `0x1::mid::pass` → `0x1::low::check`: ");
    expect((await diff("--format", "json")).json()).toMatchObject({
      carried: [{}, { chain: ["0x2::top::withdraw", "0x1::mid::pass", "0x1::low::check"] }],
      carried_is_cut: false,
    });
  });

  test("stands in that of one module, whose bytes are the same, and fails it at the level behaviour", async () => {
    const one = await diff("0x2::top");
    expect(one.code).toBe(0);
    expect(one.stdout).toContain(`  ${words}\n`);
    expect((await diff("0x2::top", "--fail-on", "behaviour")).code).toBe(100);
    expect((await diff("0x2::top", "--fail-on", "dangerous")).code).toBe(0);
    const formatted = async (format: string, level: string) => (await diff("0x2::top", "--format", format, "--fail-on", level)).stdout;
    expect(await formatted("github", "behaviour")).toMatch(
      /^::error .*carried.*calls 0x1::mid::pass → 0x1::low::check: no longer aborts with the code 0x1; aborts with the code 0x2/m,
    );
    expect(await formatted("github", "dangerous")).not.toContain("::error");
    expect((await runCli(["diff", "100", "100", "0x2::top", "--db", db])).stdout).not.toContain("other modules:");
  });

  test("stands on the page of the module", async () => {
    await using served = await servePages(db);
    const response = await rawRequest(served.origin, { path: "/diff/0x2/top?from=100&to=200", headers: typed });
    expect(textOfHtml(textOf(response))).toContain(words);
  });

  test("stands in the report", async () => {
    const { stdout } = await runCli(["report", "--since", "100", "--db", db]);
    expect(stdout).toContain("- `0x1::low::check`: `no longer aborts with the code 0x1; aborts with the code 0x2` (3 functions by it)\n");
  });

  test("of more than thirty that have causes of their own it is said how many", () => {
    const changes = Array.from({ length: 33 }, (_, i) => ({ chain: [`0x2::a::f${i}`, `0x1::b::g${i}`], what: "aborts" }));
    const said = carriedSentences({ changes, isCut: false }).map(rawText);
    expect([said.length, said.at(-2), said.at(-1)]).toEqual([31, "0x2::a::f29 → 0x1::b::g29: aborts", "and 3 more functions"]);
  });
});
