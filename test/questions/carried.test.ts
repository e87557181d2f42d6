import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { writeModule } from "../../sim/module-writer/module-writer.ts";
import { differenceOf, type ModuleDifference } from "../../src/abi/compare/difference.ts";
import { isBehaviour } from "../../src/abi/compare/rules/rules.ts";
import { itemsOf } from "../../src/abi/compare/usage.ts";
import { openModuleArchive } from "../../src/archive/read/module-archive.ts";
import { carriedFrom } from "../../src/questions/diff/carried.ts";
import { textOfHtml } from "../pages/support/page-text.ts";
import { servePages, typed } from "../pages/support/served-pages.ts";
import { sized } from "../run-size.ts";
import { textOf } from "../serve/support/served-archive.ts";
import { row } from "../support/handmade.ts";
import { rawRequest } from "../support/raw-request.ts";
import { moduleReader, readReleases, releaseSnapshots, upgradedModules } from "../support/recorded-releases.ts";
import { runCli } from "../support/run-cli.ts";
import { sealModules } from "../support/sealed-modules.ts";
import { usesOf } from "../support/second-reader/call-lines.ts";
import { frameworkHistory } from "../support/shared-data.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";

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
});

describe.skipIf(frameworkHistory === undefined)("over recorded releases (skipped where they are not there)", () => {
  const place = temporaryDirectory();
  const read = moduleReader(frameworkHistory ?? "");
  const all = frameworkHistory === undefined ? [] : readReleases(frameworkHistory);
  const pairs = [20, 60, 90, 120].slice(0, sized(2, 4)).flatMap((i) => [all[i], all[i + 1]].filter((release) => release !== undefined));
  let archive: Awaited<ReturnType<typeof openModuleArchive>>;

  beforeAll(async () => {
    await sealModules(
      place.file("night.db"),
      releaseSnapshots(pairs, (sha256) => read(sha256).bytes),
    );
    archive = await openModuleArchive(place.file("night.db"));
  });
  afterAll(() => archive?.close());

  test("is carried into exactly those functions that can be called, stand the same, and reach a change in another module", async () => {
    let [found, kept] = [0, 0];
    for (let i = 0; i + 1 < pairs.length; i += 2) {
      const [old, now] = [pairs[i], pairs[i + 1]];
      if (old === undefined || now === undefined) continue;
      const [from, to] = [BigInt(i + 1) * 1000n, BigInt(i + 2) * 1000n];
      const differences: ModuleDifference[] = [];
      const changed = new Set<string>();
      for (const [id, was, is] of upgradedModules(old, now)) {
        const difference = differenceOf(read(was), read(is));
        if (difference !== undefined) differences.push(difference);
        for (const finding of difference?.findings.filter(({ rule }) => isBehaviour(rule)) ?? [])
          for (const { name } of itemsOf(finding)) changed.add(`${id}::${name}`);
      }
      const callers = new Map<string, Set<string>>();
      const open = new Set<string>();
      for (const [id, sha256] of now.modules) {
        const { abi, bytes } = read(sha256);
        for (const [caller, callee] of usesOf(bytes)) callers.set(callee, (callers.get(callee) ?? new Set()).add(`${id}::${caller}`));
        for (const fn of abi.functions) if (fn.visibility !== "private" || fn.isEntry || fn.isView) open.add(`${id}::${fn.name}`);
      }
      const moduleOf = (name: string): string => name.slice(0, name.lastIndexOf("::"));
      const ends = new Map(Array.from(changed, (name) => [name, 0]));
      for (const [name, depth] of ends) for (const caller of callers.get(name) ?? []) if (!ends.has(caller)) ends.set(caller, depth + 1);
      const { changes, isCut } = await carriedFrom(archive, to, differences);
      const said = new Map(changes.map(({ chain }) => [chain[0] as string, chain]));
      for (const [name, chain] of said) {
        expect(chain.length - 1, name).toBe(ends.get(name));
        expect([open.has(name), changed.has(name), changed.has(chain.at(-1) as string)], name).toEqual([true, false, true]);
        for (const [n, callee] of chain.entries()) if (n > 0) expect(callers.get(callee), name).toContain(chain[n - 1]);
      }
      // What is left out reaches a change of its own module as soon.
      for (const [name] of ends) {
        if (!open.has(name) || changed.has(name) || said.has(name)) continue;
        const own = new Map(
          Array.from(changed, (one) => [one, 0]).filter(([one]) => moduleOf(one as string) === moduleOf(name)) as [string, number][],
        );
        for (const [one, depth] of own) for (const caller of callers.get(one) ?? []) if (!own.has(caller)) own.set(caller, depth + 1);
        if (!isCut) expect(own.get(name), name).toBe(ends.get(name));
      }
      found += said.size;
      // What does the same by all that it reaches is left out where the snapshot before is known.
      const lasting = new Set((await carriedFrom(archive, to, differences, { from })).changes.map(({ chain }) => chain[0]));
      expect([...lasting].filter((name) => !said.has(name as string))).toEqual([]);
      kept += lasting.size;
    }
    expect(found).toBeGreaterThan(20);
    if (process.env["MOVEDEX_TEST_PRINT"] === "1") console.log({ found, kept });
  });
});
