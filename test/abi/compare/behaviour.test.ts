import { describe, expect, test } from "vitest";
import type { FunctionSpec } from "../../../sim/module-writer/module-spec.ts";
import { differenceOf } from "../../../src/abi/compare/difference.ts";
import { isBehaviour } from "../../../src/abi/compare/rules/rules.ts";
import { sized } from "../../run-size.ts";
import { row } from "../../support/handmade.ts";
import { moduleReader, neighbours, readReleases, upgradedModules } from "../../support/recorded-releases.ts";
import { plainCodeReader } from "../../support/second-reader/plain-code.ts";
import { frameworkHistory } from "../../support/shared-data.ts";
import { moduleOf, type Parts, u64Row } from "./support/rule-examples.ts";

const [ret, pop, abort] = [row(0x02), row(0x01), row(0x27)];
const load = (value: number) => row(0x06, u64Row(value));
const call = (handle: number) => row(0x11, handle);
const stLoc = (index: number) => row(0x0c, index);
const moveLoc = (index: number) => row(0x0b, index);

/** A module whose public function f has this code, with a private function `g`, two resources, and imports of other modules. */
const module = (code: readonly Uint8Array[], parts: Parts = {}): Parts => ({
  structs: [
    { name: "R", abilities: ["key", "store", "drop"], fields: [["a", "u64"]] },
    { name: "Q", abilities: ["key", "store", "drop"], fields: [["a", "u64"]] },
  ],
  functions: [
    { name: "f", visibility: "public", params: ["u64"], code },
    { name: "g", code: [ret] },
  ],
  imports: [
    { module: "0x1::error", name: "invalid_argument", params: ["u64"], returns: ["u64"] },
    { module: "0x1::error", name: "not_found", params: ["u64"], returns: ["u64"] },
    { module: "0x1::event", name: "emit", typeParams: ["drop store"], params: ["T0"] },
    { module: "0x1::coin", name: "pay" },
  ],
  instantiations: [
    { handle: 4, typeArguments: ["0xcafe::m::R"] },
    { handle: 4, typeArguments: ["0xcafe::m::Q"] },
  ],
  ...parts,
});
const [R, Q] = [0, 1];

/** An instruction of two numbers. */
const binary = (opcode: number) => [load(4), load(2), row(opcode), pop, ret];

type Found = readonly [rule: string, before: string | null, after: string | null];
const changed = (before: string | null, after: string | null): Found => ["function-changed", before, after];
const OTHER = changed(null, "other instructions");
/** Two codes of `f` and the finding between them; null if there is none. */
type Pair = readonly [what: string, before: readonly Uint8Array[], after: readonly Uint8Array[], found: Found | null];
const bySource: Readonly<Record<string, readonly Pair[]>> = {
  "third_party/move/move-vm/runtime/src/interpreter.rs (Bytecode::Abort), aptos-move/framework/move-stdlib/sources/error.move (canonical)":
    [
      ["the same", [load(1), abort], [load(1), abort], null],
      ["another code", [load(1), abort], [load(2), abort], ["abort-codes-changed", "aborts with 0x1", "aborts with 0x2"]],
      [
        "another category",
        [load(0x10006), abort],
        [load(0x60006), abort],
        ["abort-codes-changed", "aborts with 0x10006 (INVALID_ARGUMENT)", "aborts with 0x60006 (NOT_FOUND)"],
      ],
      [
        "a category by a call",
        [load(6), call(2), abort],
        [load(6), call(3), abort],
        [
          "abort-codes-changed",
          "aborts with 0x10006 (INVALID_ARGUMENT); calls 0x1::error::invalid_argument",
          "aborts with 0x60006 (NOT_FOUND); calls 0x1::error::not_found",
        ],
      ],
      [
        "a code that is put aside",
        [load(6), call(2), stLoc(0), moveLoc(0), abort],
        [load(7), call(2), stLoc(0), moveLoc(0), abort],
        ["abort-codes-changed", "aborts with 0x10006 (INVALID_ARGUMENT)", "aborts with 0x10007 (INVALID_ARGUMENT)"],
      ],
      [
        "a literal category and a call of the same",
        [load(0x10006), abort],
        [load(6), call(2), abort],
        changed(null, "calls 0x1::error::invalid_argument"),
      ],
      ["an abort more", [ret], [row(0x08), row(0x04, 3), ret, load(4), abort], changed(null, "aborts with 0x4")],
      ["an abort less", [row(0x08), row(0x04, 3), ret, load(4), abort], [ret], changed("aborts with 0x4", null)],
      ["a code from elsewhere", [moveLoc(0), abort], [load(3), abort], changed(null, "aborts with 0x3")],
    ],
  "third_party/move/move-binary-format/src/file_format.rs (Bytecode::Exists to MoveTo)": [
    ["a resource that is read", [ret], [row(0x29, R), pop, ret], changed(null, "reads 0xcafe::m::R")],
    ["another resource", [row(0x2b, R), pop, ret], [row(0x2b, Q), pop, ret], changed("reads 0xcafe::m::R", "reads 0xcafe::m::Q")],
    [
      "a resource that is written now",
      [row(0x2b, R), pop, ret],
      [row(0x2a, R), pop, ret],
      changed("reads 0xcafe::m::R", "writes 0xcafe::m::R"),
    ],
    ["a resource that is taken", [row(0x2a, R), pop, ret], [row(0x2c, R), pop, ret], changed("writes 0xcafe::m::R", "moves 0xcafe::m::R")],
    ["a resource that is published", [ret], [row(0x2d, Q), ret], changed(null, "moves 0xcafe::m::Q")],
    ["a resource that is looked for no longer", [row(0x29, R), pop, ret], [ret], changed("reads 0xcafe::m::R", null)],
    ["a resource that is read where it was looked for", [row(0x29, R), pop, ret], [row(0x2b, R), pop, ret], OTHER],
    ["a resource that is taken and published", [row(0x2c, R), pop, ret], [row(0x2d, R), ret], OTHER],
    [
      "a resource that is taken instead of read",
      [row(0x2b, R), pop, ret],
      [row(0x2c, Q), pop, ret],
      changed("reads 0xcafe::m::R", "moves 0xcafe::m::Q"),
    ],
  ],
  "aptos-move/framework/aptos-framework/sources/event.move (emit)": [
    ["an event", [ret], [row(0x38, 0), ret], changed(null, "emits 0xcafe::m::R")],
    ["another event", [row(0x38, 0), ret], [row(0x38, 1), ret], changed("emits 0xcafe::m::R", "emits 0xcafe::m::Q")],
    ["no event any more", [row(0x38, 0), ret], [ret], changed("emits 0xcafe::m::R", null)],
    ["an event more", [row(0x38, 0), ret], [row(0x38, 0), row(0x38, 1), ret], changed(null, "emits 0xcafe::m::Q")],
  ],
  "third_party/move/move-binary-format/src/file_format.rs (Bytecode::Call, CallGeneric, PackClosure)": [
    ["a call", [ret], [call(5), ret], changed(null, "calls 0x1::coin::pay")],
    ["a call of its own module", [ret], [call(1), ret], changed(null, "calls 0xcafe::m::g")],
    ["a call twice", [call(5), ret], [call(5), call(5), ret], OTHER],
    ["a call by a value", [ret], [row(0x58, 5, 0), pop, ret], changed(null, "calls 0x1::coin::pay")],
    ["no call any more", [call(5), ret], [ret], changed("calls 0x1::coin::pay", null)],
    ["a call of another", [call(5), ret], [call(1), ret], changed("calls 0x1::coin::pay", "calls 0xcafe::m::g")],
    ["a value in place of a call", [call(5), ret], [row(0x58, 5, 0), pop, ret], OTHER],
    ["a call that is deeper in it", [call(5), ret], [row(0x08), row(0x04, 3), ret, call(5), ret], OTHER],
  ],
  "third_party/move/move-binary-format/src/file_format.rs (Bytecode::BrTrue, BrFalse, Branch)": [
    ["another order", [call(1), call(5), ret], [call(5), call(1), ret], OTHER],
    ["another branch", [row(0x08), row(0x03, 2), ret], [row(0x08), row(0x04, 2), ret], OTHER],
    ["a branch to elsewhere", [row(0x05, 1), row(0x05, 2), ret, ret], [row(0x05, 1), row(0x05, 3), ret, ret], OTHER],
    ["a branch that is always taken", [row(0x08), row(0x03, 2), ret], [row(0x08), pop, row(0x05, 3), ret], OTHER],
    ["a loop for nothing", [ret], [row(0x05, 0), ret], OTHER],
    ["nothing that is done", [ret], [row(0x28), ret], OTHER],
  ],
  "third_party/move/move-binary-format/src/file_format.rs (Bytecode::Add to Ge, Shl, Shr, casts)": [
    ["arithmetic", binary(0x16), binary(0x17), OTHER],
    ["a product for a difference", binary(0x17), binary(0x18), OTHER],
    ["a remainder for a quotient", binary(0x1a), binary(0x19), OTHER],
    ["or for and, by bits", binary(0x1c), binary(0x1b), OTHER],
    ["or for and", binary(0x1f), binary(0x1e), OTHER],
    ["not equal for equal", binary(0x21), binary(0x22), OTHER],
    ["less or equal for less", binary(0x23), binary(0x25), OTHER],
    ["greater or equal for greater", binary(0x24), binary(0x26), OTHER],
    ["a shift the other way", binary(0x2f), binary(0x30), OTHER],
    ["a cast to less", [load(4), row(0x35), pop, ret], [load(4), row(0x33), pop, ret], OTHER],
  ],
  "third_party/move/move-binary-format/src/file_format.rs (Bytecode::LdU8 to LdFalse), third_party/move/move-vm/runtime/src/interpreter.rs":
    [
      ["another number", [load(1), pop, ret], [load(2), pop, ret], changed("uses 1", "uses 2")],
      ["another type of number", [row(0x31, 5), pop, ret], [load(5), pop, ret], OTHER],
      ["false for true", [row(0x08), pop, ret], [row(0x09), pop, ret], OTHER],
      ["a number more", [load(1), pop, ret], [load(1), pop, load(7), pop, ret], changed(null, "uses 7")],
      ["a number less", [load(1), pop, load(7), pop, ret], [load(1), pop, ret], changed("uses 7", null)],
    ],
  "third_party/move/move-binary-format/src/file_format.rs (Bytecode::CopyLoc to ImmBorrowLoc, ReadRef, WriteRef, FreezeRef)": [
    ["a variable that is copied, not moved", [moveLoc(0), pop, ret], [row(0x0a, 0), pop, ret], OTHER],
    ["a variable that is borrowed to be written", [row(0x0e, 0), pop, ret], [row(0x0d, 0), pop, ret], OTHER],
    ["a variable that is set", [ret], [load(3), stLoc(0), ret], changed(null, "uses 3")],
    [
      "a reference that is written, not read",
      [load(3), row(0x0d, 0), row(0x14), pop, pop, ret],
      [load(3), row(0x0d, 0), row(0x15), ret],
      OTHER,
    ],
    ["a reference that is frozen", [row(0x0d, 0), pop, ret], [row(0x0d, 0), row(0x2e), pop, ret], OTHER],
  ],
};
const pairs = Object.values(bySource).flat();

const told = (before: Parts, after: Parts) =>
  (differenceOf(moduleOf(before), moduleOf(after))?.findings ?? [])
    .filter(({ rule }) => isBehaviour(rule))
    .map(({ rule, item, before, after, severity }) => [rule, item.name, before, after, severity]);

describe("the behaviour of a function", () => {
  test("is held against more than fifty pairs, no two of one name, each with the source of what its instructions do", () => {
    expect(pairs.length).toBeGreaterThan(50);
    expect(new Set(pairs.map(([what]) => what)).size).toBe(pairs.length);
    expect(Object.keys(bySource).every((source) => /\.(?:rs|move)\b/.test(source))).toBe(true);
  });

  test.each(pairs.map((pair) => [pair[0], pair] as const))("%s", (_, [, before, after, found]) => {
    const [rule, was, is] = found ?? [];
    expect(told(module(before), module(after))).toEqual(found === null ? [] : [[rule, "f", was, is, { callers: "behaviour" }]]);
    // The same in an encoding of another version is the same.
    const recompiled = told(module(before, { version: 9 }), module(after, { version: 10 }));
    expect(recompiled).toEqual(told(module(before), module(after)));
  });

  test("concerns who can call it, and nobody where it is private and reached by nothing", () => {
    const of = (parts: Partial<FunctionSpec>, code: number): Parts => ({ functions: [{ name: "f", ...parts, code: [load(code), abort] }] });
    const severity = (parts: Partial<FunctionSpec>) => told(of(parts, 1), of(parts, 2)).map(([, , , , severity]) => severity);
    expect(severity({ visibility: "public" })).toEqual([{ callers: "behaviour" }]);
    expect(severity({ visibility: "friend" })).toEqual([{ callers: "behaviour" }]);
    expect(severity({ entry: true })).toEqual([{ clients: "dangerous" }]);
    expect(severity({ visibility: "public", entry: true })).toEqual([{ callers: "behaviour", clients: "dangerous" }]);
    expect(severity({ attributes: [{ kind: 1 }], returns: ["u64"] })).toEqual([{ clients: "dangerous" }]);
    expect(severity({ marks: [{ name: "persistent" }] })).toEqual([{ callers: "behaviour" }]);
    expect(severity({})).toEqual([{ callers: "silent" }]);
  });

  test("is carried to what reaches it, by the shortest chain", () => {
    const calling = (...of: readonly number[]) => [...of.map(call), ret];
    const chained = (code: number): Parts => ({
      functions: [
        { name: "a", visibility: "public", code: calling(1) },
        { name: "b", code: calling(2, 3) },
        { name: "c", code: calling(3) },
        { name: "d", code: [load(code), abort] },
        { name: "e", visibility: "public", code: [ret] },
        { name: "loop", entry: true, code: calling(5, 2) },
      ],
    });
    const words = "no longer aborts with 0x1; aborts with 0x2";
    expect(told(chained(1), chained(2))).toEqual([
      ["callees-changed", "a", null, `a → b → d: ${words}`, { callers: "behaviour" }],
      ["callees-changed", "loop", null, `loop → c → d: ${words}`, { clients: "behaviour" }],
      ["abort-codes-changed", "d", "aborts with 0x1", "aborts with 0x2", { callers: "silent" }],
    ]);
  });

  test("is not carried from a function to those that call another module's of the same name", () => {
    const calling = (code: number): Parts => ({
      imports: [{ module: "0x1::coin", name: "pay" }],
      functions: [
        { name: "pay", code: [load(code), abort] },
        { name: "a", visibility: "public", code: [call(0), ret] },
        { name: "b", visibility: "public", code: [call(3), ret] },
      ],
    });
    const carried = told(calling(1), calling(2)).filter(([rule]) => rule === "callees-changed");
    expect(carried.map(([, name]) => name)).toEqual(["a"]);
  });

  test("says one word of a change that has one side", () => {
    const of = (code: readonly Uint8Array[]): Parts => ({
      functions: [
        { name: "a", visibility: "public", code: [call(1), ret] },
        { name: "d", code },
      ],
    });
    const words = (before: readonly Uint8Array[], after: readonly Uint8Array[]) => told(of(before), of(after))[0]?.[3];
    expect(words([ret], [load(4), abort])).toBe("a → d: aborts with 0x4");
    expect(words([load(4), abort], [ret])).toBe("a → d: no longer aborts with 0x4");
    expect(words([row(0x08), pop, ret], [row(0x09), pop, ret])).toBe("a → d: other instructions");
  });

  test("is told with the ends of a long chain", () => {
    const chain = (code: number): Parts => ({
      functions: [
        { name: "f0", visibility: "public", code: [call(1), ret] },
        ...Array.from({ length: 30 }, (_, n) => ({ name: `f${n + 1}`, code: [call(n + 2), ret] })),
        { name: "f31", code: [load(code), abort] },
      ],
    });
    const [, , , after] = told(chain(1), chain(2))[0] ?? [];
    const first = Array.from({ length: 14 }, (_, n) => `f${n}`);
    expect(after).toBe(`${[...first, "…", "f31"].join(" → ")}: no longer aborts with 0x1; aborts with 0x2`);
  });

  test("is not what the order of tables, unused rows and metadata are", () => {
    const code = [call(5), ret];
    const swapped = module([call(4), ret], {
      imports: [...(module(code).imports ?? [])]
        .toReversed()
        .slice(0, 1)
        .concat((module(code).imports ?? []).slice(0, 3)),
    });
    expect(swapped.imports?.[0]?.name).toBe("pay");
    expect(told(module(code), module([call(2), ret], { imports: swapped.imports ?? [], instantiations: [] }))).toEqual([]);
    expect(told(module(code), module(code, { errors: [{ code: 1, name: "E", description: "" }], dependencies: ["0x5::x"] }))).toEqual([]);
  });
});

describe.skipIf(frameworkHistory === undefined)("all changes between recorded releases (skipped where they are not there)", () => {
  test("the functions said to differ are those whose instructions a second reader writes differently, none more, none fewer", () => {
    const read = moduleReader(frameworkHistory ?? "");
    const releases = readReleases(frameworkHistory ?? "");
    const codeOf = plainCodeReader((sha256) => read(sha256).bytes);
    const seen = { modules: 0, changed: 0, same: 0, carried: 0 };
    for (const [release, next] of neighbours(releases, sized(6, 1))) {
      for (const [id, old, now] of upgradedModules(release, next)) {
        const [was, is] = [codeOf(old), codeOf(now)];
        const differing = [...is].filter(([name, code]) => was.has(name) && was.get(name) !== code).map(([name]) => name);
        const findings = differenceOf(read(old), read(now))?.findings.filter(({ rule }) => isBehaviour(rule)) ?? [];
        const own = findings.filter(({ rule }) => rule !== "callees-changed").map(({ item }) => item.name);
        expect(own.toSorted(), `${next.date} ${id}`).toEqual(differing.toSorted());
        const carried = findings.filter(({ rule }) => rule === "callees-changed");
        for (const { item, after } of carried) {
          const chain = after?.split(": ")[0]?.split(" → ") ?? [];
          // Each calls the next by its own instructions, and the last is one that differs.
          for (const [n, name] of chain.entries())
            if (n > 0) expect(is.get(chain[n - 1] as string), `${id}::${item.name}`).toMatch(new RegExp(`::${name}(?:<|$| )`, "m"));
          expect(differing).toContain(chain.at(-1));
          expect([differing.includes(item.name ?? ""), was.has(item.name ?? "")]).toEqual([false, true]);
        }
        seen.modules += 1;
        seen.changed += differing.length;
        seen.same += [...is.keys()].length - differing.length;
        seen.carried += carried.length;
      }
    }
    expect(seen.modules).toBeGreaterThan(sized(200, 1_700));
    expect(seen.changed).toBeGreaterThan(sized(700, 6_000));
    expect(seen.carried).toBeGreaterThan(sized(50, 500));
    if (process.env["MOVEDEX_TEST_PRINT"] === "1") console.log(seen);
  });
});
