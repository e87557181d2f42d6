import { mkdirSync, writeFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { writeModule } from "../../../sim/index.ts";
import type { Audience, Severity } from "../../../src/capabilities/changes/compare/severity.ts";
import { causeOf, crowdsIn, wentAndCame } from "../../../src/capabilities/changes/diff/crowds.ts";
import { whomTheyConcern } from "../../../src/capabilities/changes/diff/sentences.ts";
import { rawText } from "../../../src/capabilities/changes/documents/document.ts";
import { ended, row, runCli, sealModules, temporaryDirectory } from "../../support/index.ts";
import { servePages } from "../explorer/support/served-pages.ts";

/** Two modules of so many public functions, by a compiler that knows stored functions or by one that does not. */
const modules = (count: number, isOld = false): Uint8Array[] =>
  ["m", "n"].map((name) =>
    writeModule({
      address: "0xcafe",
      name,
      version: isOld ? 7 : 10,
      functions: Array.from({ length: count }, (_, i) => ({
        name: `f${i}`,
        visibility: "public",
        params: i % 2 === 0 ? [] : ["u64"],
        marks: isOld ? [] : [{ name: "persistent" }],
      })),
    }),
  );

describe("what one cause does to many items", async () => {
  const place = temporaryDirectory();
  const db = place.file("night.db");
  const build = (name: string, of: readonly Uint8Array[]): string => {
    mkdirSync(place.file(name));
    for (const [i, bytes] of of.entries()) writeFileSync(place.file(`${name}/${i}.mv`), bytes);
    return place.file(name);
  };
  const [many, few] = [build("many", modules(6, true)), build("few", modules(4, true))];
  await sealModules(db, [
    { version: 100n, accounts: { "0xcafe": modules(6) } },
    { version: 200n, accounts: { "0xcafe": modules(6, true) } },
    { version: 300n, accounts: { "0xcafe": modules(4) } },
    { version: 400n, accounts: { "0xcafe": modules(12) } },
    { version: 500n, accounts: { "0xcafe": modules(12, true) } },
  ]);
  const check = (folder: string, at: string, format: string) =>
    ended(runCli(["check", folder, "--against", db, "--at", at, "--format", format]), 100);
  const times = (text: string): number => text.split("persistent-removed").length - 1;

  test("is one finding of a check to a person: its rule, how many, what went, whom it breaks, the first by name", async () => {
    const { stdout } = await check(many, "100", "text");
    expect(times(stdout)).toBe(1);
    expect(stdout).toContain(`
12 functions of 2 modules  changed alike
  ✗ dangerous  persistent-removed  a function can no longer be stored as a value
    - #[persistent]
    dangerous for callers and readers; the VM refuses such an upgrade: 0xcafe::m::f0, 0xcafe::m::f1, 0xcafe::m::f2, 0xcafe::m::f3, 0xcafe::m::f4 and 7 more
    no module of another account refers to them
    these modules were compiled to bytecode version 7, before to 10
`);
    expect(times((await check(few, "300", "text")).stdout)).toBe(8);
  });

  test("is one of uses that do not link, be the function used an entry or native or neither", async () => {
    const called = (isOld: boolean) =>
      writeModule({
        address: "0xd",
        name: "d",
        version: isOld ? 7 : 10,
        functions: Array.from({ length: 10 }, (_, i) => ({
          name: `f${i}`,
          visibility: "public",
          isEntry: i === 3,
          marks: isOld ? [] : [{ name: "persistent" }],
        })),
      });
    const caller = writeModule({
      address: "0xcafe",
      name: "caller",
      version: 10,
      imports: Array.from({ length: 10 }, (_, i) => ({ module: "0xd::d", name: `f${i}`, marks: [{ name: "persistent" }] })),
    });
    await sealModules(db, [{ version: 600n, accounts: { "0xcafe": [], "0xd": [called(true)] } }]);
    expect((await check(build("caller", [caller]), "600", "text")).stdout).toMatch(
      /^ {2}refused {2}10 uses of other modules, by 0xcafe::caller\n {4}- #\[persistent\]\n {4}used: function 0xd::d::f0, .* and 5 more\n {4}--format json lists each use$/m,
    );
  });

  test("says what else does something else by the items", async () => {
    const ten = (abortCode: number) =>
      Array.from({ length: 10 }, (_, i) =>
        writeModule({
          address: "0xe",
          name: `m${i}`,
          functions: [
            { name: "inner", visibility: "public", abortCode },
            { name: "outer", visibility: "public", code: [row(0x11, 0), row(0x02)] },
          ],
        }),
      );
    await sealModules(db, [
      { version: 700n, accounts: { "0xe": ten(1) } },
      { version: 800n, accounts: { "0xe": ten(2) } },
    ]);
    const diff = await runCli(["diff", "700", "800", "--db", db]);
    expect(diff.stdout).toMatch(/^10 functions of 10 modules {2}changed alike\n/m);
    expect(diff.stdout).toContain("    and 10 more functions by them: 0xe::m0::outer, 0xe::m1::outer, ");
    const report = await runCli(["report", "--since", "700", "--db", db, "--format", "text"]);
    expect(report.stdout).toContain("0xe::m4::inner and 5 more (10 more functions by them); ");
  });

  test("stays one by one where programs read it", async () => {
    const { upgrade } = (await check(many, "100", "json")).json() as {
      upgrade: { modules: { findings: { rule: string }[] }[]; refused: number };
    };
    expect(upgrade.modules.map(({ findings }) => findings.filter(({ rule }) => rule === "persistent-removed").length)).toEqual([6, 6]);
    expect(upgrade.refused).toBe(12);
    const { runs } = (await check(many, "100", "sarif")).json() as { runs: { results: { ruleId: string }[] }[] };
    expect(runs[0]?.results.filter(({ ruleId }) => ruleId === "persistent-removed")).toHaveLength(12);
  });

  test("is one annotation on GitHub, one point of Markdown, and one of the report", async () => {
    const { stdout } = await check(many, "100", "github");
    expect(stdout.split("\n").filter((line) => line.startsWith("::error title=persistent-removed%3A 12 functions%3A "))).toHaveLength(1);
    expect(times((await runCli(["diff", "100", "200", "--db", db, "--format", "markdown"])).stdout)).toBe(1);
    const report = await runCli(["report", "--since", "400", "--db", db, "--format", "text"]);
    expect(report.stdout).toContain(
      "* 24 functions of 2 modules: a function can no longer be stored as a value (gone: #[persistent]): 0xcafe::m::f0, ",
    );
  });

  test("is counted by its findings where a level has more annotations than GitHub shows", async () => {
    const types = ["bool", "u8", "u16", "u32", "u64", "u128", "u256", "address", "signer", "&bool", "&u16", "&u64"];
    const of = (shift: number) =>
      ["m", "n", "o"].map((name, module) =>
        writeModule({
          address: "0xf",
          name,
          // Eleven causes in all three modules, each of twelve functions.
          functions: types.slice(0, -1).flatMap((_, cause) =>
            Array.from({ length: 4 }, (_, i) => {
              const params = [types[cause + shift] as string];
              return { name: `f${cause}_${i}_${module}`, visibility: "public" as const, params };
            }),
          ),
        }),
      );
    await sealModules(db, [
      { version: 900n, accounts: { "0xf": of(0) } },
      { version: 1000n, accounts: { "0xf": of(1) } },
    ]);
    const { stdout } = await runCli(["diff", "900", "1000", "--db", db, "--format", "github"]);
    const told = stdout.split("\n").filter((line) => line.startsWith("::warning"));
    expect(told).toHaveLength(10);
    expect(told.at(-1)).toBe("::warning title=24 more findings of 3 modules::--format json lists them");
  });

  test("is one line of a page, which unfolds to a line for each with the address that it always had", async () => {
    await using served = await servePages(db);
    const { text } = await served.get("/diff/0xcafe/m?from=400&to=500");
    const line =
      "<code>persistent-removed</code> 12 functions: a function can no longer be stored as a value (gone: #[persistent])</summary>";
    expect(text.split(line)).toHaveLength(2);
    const [, within = ""] = text.split(line);
    expect(within.slice(0, within.indexOf("</ol>")).match(/ id="persistent-removed\.f\d+"/g)).toHaveLength(12);
    expect(text.match(/ id="persistent-removed\./g)).toHaveLength(12);
  });
});

describe("a crowd", () => {
  test("has ten of one cause at least, and what is in none stays in its order", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 4 }), { maxLength: 80 }), (causes) => {
        const list = causes.map((cause, place) => ({ cause, place }));
        const { crowds, others } = crowdsIn(list, ({ cause }) => String(cause));
        const isMany = (wanted: number): boolean => causes.filter((cause) => cause === wanted).length >= 10;
        expect(others).toEqual(list.filter(({ cause }) => !isMany(cause)));
        expect(crowds.flat().sort((a, b) => a.place - b.place)).toEqual(list.filter(({ cause }) => isMany(cause)));
        for (const of of crowds) expect(new Set(of.map(({ cause }) => cause)).size).toBe(1);
      }),
    );
  });

  test("is of what went and what came, whatever the item's name and the rest of it", () => {
    const cause = (before: string | null, after: string | null, name = "f"): string =>
      causeOf({ rule: "parameters-changed", item: { kind: "function", name }, before, after });
    expect(cause("public fun f(u64)", "public fun f(u8)")).toBe(
      cause("#[view] public fun g(u64, bool): u8", "#[view] public fun g(u8, bool): u8", "g"),
    );
    expect(cause("fun f(&0x1::m::f)", "fun f(&0x1::m::g)")).not.toBe(cause("fun f(&0x1::m::f)", "fun f(&0x1::m::h)"));
    expect(cause("computes `+ 1`", "computes `- 1`")).not.toBe(cause("computes `- 1`", "computes `+ 1`"));
    // Unrelated codes that moved by the same number, and calls of unrelated functions, are no one cause.
    expect(cause("E_A = 5", "E_A = 6", "E_A")).not.toBe(cause("E_B = 5", "E_B = 6", "E_B"));
    expect(cause("calls 0x1::m::a", "calls 0x1::m::a<T0>")).not.toBe(cause("calls 0x1::n::b", "calls 0x1::n::b<T0>"));
    expect(cause("aborts with 0x1", "aborts with 0x2")).not.toBe(cause("uses address @0x1", "uses address @0x2"));
    // What also stands in another order is not the same change.
    expect(cause("fun f(u8, address)", "fun f(u8, bool)")).not.toBe(cause("fun f(u8, u64, address)", "fun f(u64, u8, bool)"));
    // Where only the order is another, nothing came or went, and the whole is the cause.
    expect(cause("fun f(u8, u64)", "fun f(u64, u8)")).not.toBe(cause("fun f(bool, u64)", "fun f(u64, bool)"));
  });

  test("tells what came as it is written, a word as often as it comes", () => {
    const item = { kind: "function", name: "f" };
    const before = "public fun f(&0x1::m::S, u64)";
    const after = "public fun f<T0: copy + drop + store>(&0x1::m::S<T0>, u64)";
    expect(wentAndCame({ rule: "parameters-changed", item, before, after })).toEqual(["", "<T0: copy + drop + store> … <T0>"]);
  });

  test("says of how many the worst is so, and for all whom it concerns", () => {
    const finding = (worst: Severity, severity: Partial<Record<Audience, Severity>>) => ({ worst, severity });
    const said = (...of: ReturnType<typeof finding>[]): string => rawText(whomTheyConcern(of));
    const [worse, other] = [
      finding("dangerous", { callers: "dangerous" }),
      finding("dangerous", { clients: "dangerous", readers: "safe" }),
    ];
    expect(said(worse, other)).toBe("may break callers and clients");
    expect(said(finding("safe", { callers: "safe" }), worse, other)).toBe("2 of them: may break callers and clients");
  });
});
