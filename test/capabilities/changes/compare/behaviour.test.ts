import { describe, expect, test } from "vitest";
import type { FunctionSpec } from "../../../../sim/module-writer/module-spec.ts";
import { changeText } from "../../../../src/capabilities/changes/compare/behaviour-words.ts";
import { differenceOf } from "../../../../src/capabilities/changes/compare/difference.ts";
import { isBehaviour, type RuleId, rules } from "../../../../src/capabilities/changes/compare/rules/rules.ts";
import { formatReference } from "../../../../src/core/move/code/disassemble.ts";
import { type Instruction, readFunctions } from "../../../../src/core/move/code/read-code.ts";
import { sized } from "../../../run-size.ts";
import { moduleReader, neighbours, readReleases, row, testReleases, upgradedModules } from "../../../support/index.ts";
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
    { module: "0x1::error", name: "canonical", params: ["u64", "u64"], returns: ["u64"] },
    { module: "0x1::coin", name: "code", returns: ["u64"] },
    { module: "0x1::option", name: "is_some", returns: ["bool"] },
    { module: "0x1::option", name: "is_none", returns: ["bool"] },
    { module: "0x1::string", name: "is_it", returns: ["bool"] },
  ],
  instantiations: [
    { handle: 4, typeArguments: ["0xcafe::m::R"] },
    { handle: 4, typeArguments: ["0xcafe::m::Q"] },
  ],
  ...parts,
});
const [R, Q] = [0, 1];

/** An instruction of a number that nobody knows, and 2. */
const binary = (opcode: number) => [row(0x0a, 0), load(2), row(opcode), pop, ret];
const compared = (to: number) => [row(0x0a, 0), load(to), row(0x23), pop, ret];
/** Aborts unless what it compares holds; nobody knows of which sides. */
const ordered = (opcode: number) => [row(0x0a, 0), row(0x0a, 0), row(opcode), row(0x03, 6), load(4), abort, ret];
/** Comes back where a branch is taken, by what option::is_some says, and else aborts. */
const ifSome = (branch: number, ...more: Uint8Array[]) => [call(8), ...more, row(branch, 4 + more.length), load(4), abort, ret];
/** Goes to the instruction at 5 where its argument is 0, or is not; else to the next, at 4. */
const ifZero = [row(0x0a, 0), load(0), row(0x22), row(0x04, 5)];
const ifNotZero = (to: number) => [row(0x0a, 0), load(0), row(0x21), row(0x04, to)];

type Found = readonly [rule: string, before: string | null, after: string | null];
const changed = (before: string | null, after: string | null): Found => ["function-changed", before, after];
/** Two codes of `f` and the finding between them; null if it does the same. */
type Pair = readonly [what: string, before: readonly Uint8Array[], after: readonly Uint8Array[], found: Found | null];
const pairs: readonly Pair[] = [
  // Source: third_party/move/move-vm/runtime/src/interpreter.rs (Bytecode::Abort),
  // aptos-move/framework/move-stdlib/sources/error.move (canonical).
  ["the same", [load(1), abort], [load(1), abort], null],
  ["another code", [load(1), abort], [load(2), abort], ["abort-codes-changed", "aborts with the code 0x1", "aborts with the code 0x2"]],
  [
    "a code that is put aside",
    [load(6), call(2), stLoc(0), moveLoc(0), abort],
    [load(7), call(2), stLoc(0), moveLoc(0), abort],
    ["abort-codes-changed", "aborts with INVALID_ARGUMENT (0x10006)", "aborts with INVALID_ARGUMENT (0x10007)"],
  ],
  ["a literal category and a call of the same", [load(0x10006), abort], [load(6), call(2), abort], null],
  ["a category by two numbers", [load(0x10006), abort], [load(1), load(6), call(6), abort], null],
  ["a parameter that is dropped between", [load(6), abort], [load(6), moveLoc(0), pop, abort], null],
  ["an abort more", [ret], [...ifZero, ret, load(4), abort], changed(null, "aborts with the code 0x4")],
  ["an abort less", [...ifZero, ret, load(4), abort], [ret], changed("aborts with the code 0x4", null)],
  ["a check more", [ret], [...ifZero, ret, load(0x50004), abort], ["check-added", null, "aborts with PERMISSION_DENIED (0x50004)"]],
  ["a check less", [...ifZero, ret, load(0x30004), abort], [ret], ["check-removed", "aborts with INVALID_STATE (0x30004)", null]],
  ["nothing but an abort", [ret], [load(0xd0001), abort], ["always-aborts", null, "aborts with UNAVAILABLE (0xd0001)"]],
  ["an abort on all paths", [ret], [...ifNotZero(6), load(4), abort, load(4), abort], ["always-aborts", null, "aborts with the code 0x4"]],
  ["an abort that nothing leads to", [ret], [row(0x05, 3), load(4), abort, ret], null],
  ["a code from elsewhere", [moveLoc(0), abort], [load(3), abort], changed(null, "aborts with the code 0x3")],
  ["any code in place of one", [load(3), abort], [call(7), abort], changed(null, "calls 0x1::coin::code")],
  // Source: third_party/move/move-binary-format/src/file_format.rs (Bytecode::Exists to MoveTo).
  ["a resource that is read", [ret], [row(0x29, R), pop, ret], changed(null, "reads 0xcafe::m::R")],
  ["another resource", [row(0x2b, R), pop, ret], [row(0x2b, Q), pop, ret], changed("reads 0xcafe::m::R", "reads 0xcafe::m::Q")],
  ["a resource that is written now", [row(0x2b, R), pop, ret], [row(0x2a, R), pop, ret], changed(null, "writes 0xcafe::m::R")],
  ["a resource that is taken", [row(0x2a, R), pop, ret], [row(0x2c, R), pop, ret], changed("writes 0xcafe::m::R", "moves 0xcafe::m::R")],
  ["a resource that is looked for no longer", [row(0x29, R), pop, ret], [ret], changed("reads 0xcafe::m::R", null)],
  ["a resource that is read where it was looked for", [row(0x29, R), pop, ret], [row(0x2b, R), pop, ret], null],
  ["a resource that is taken and published", [row(0x2c, R), pop, ret], [row(0x2d, R), ret], null],
  // Source: aptos-move/framework/aptos-framework/sources/event.move (emit).
  ["an event", [ret], [row(0x38, 0), ret], changed(null, "emits 0xcafe::m::R")],
  ["another event", [row(0x38, 0), ret], [row(0x38, 1), ret], changed("emits 0xcafe::m::R", "emits 0xcafe::m::Q")],
  // Source: third_party/move/move-binary-format/src/file_format.rs (Bytecode::Call, CallGeneric, PackClosure).
  ["a call", [ret], [call(5), ret], changed(null, "calls 0x1::coin::pay")],
  ["a call of its own module", [ret], [call(1), ret], null],
  ["a call twice", [call(5), ret], [call(5), call(5), ret], changed(null, "calls 0x1::coin::pay once more")],
  ["a call by a value", [ret], [row(0x58, 5, 0), pop, ret], changed(null, "calls 0x1::coin::pay")],
  ["a call with a condition", [call(5), ret], [...ifZero, ret, call(5), ret], changed(null, "compares by `== 0` once more")],
  // Source: third_party/move/move-binary-format/src/file_format.rs (Bytecode::BrTrue, BrFalse, Branch).
  ["another order", [call(1), call(5), ret], [call(5), call(1), ret], null],
  ["a branch to elsewhere", [row(0x05, 1), row(0x05, 2), ret, ret], [row(0x05, 1), row(0x05, 3), ret, ret], null],
  ["a branch that is always taken", [row(0x08), row(0x03, 2), ret], [row(0x08), pop, row(0x05, 3), ret], null],
  ["a branch that is turned", [...ifZero, ret, load(4), abort], [...ifNotZero(6), load(4), abort, ret], null],
  [
    "a condition that is turned",
    [...ifZero, ret, load(4), abort],
    [...ifNotZero(5), ret, load(4), abort],
    ["comparison-changed", "compares by `!= 0`", "compares by `== 0`"],
  ],
  [
    "the opposite of sides that may be exchanged",
    ordered(0x26),
    ordered(0x23),
    ["comparison-changed", "compares by `>=`", "compares by `<`, or by `>` with its sides exchanged"],
  ],
  ["a loop without an end", [ret], [row(0x05, 0), ret], ["always-aborts", null, "never comes back"]],
  ["nothing that is done", [ret], [row(0x28), ret], null],
  // Source: third_party/move/move-binary-format/src/file_format.rs (Bytecode::Add to Ge, Shl, Shr, casts).
  ["arithmetic", binary(0x16), binary(0x17), changed(null, "computes `- 2` once more, computes `+ 2` once less")],
  ["or for and", binary(0x1f), binary(0x1e), changed(null, "computes `|| 2` once more, computes `&& 2` once less")],
  ["less or equal for less", binary(0x23), binary(0x25), ["comparison-changed", "compares by `< 2`", "compares by `<= 2`"]],
  ["less for greater or equal, turned", [...binary(0x23)], [...binary(0x26)], null],
  ["another edge", compared(2), compared(3), ["constant-changed", "compares by `< 2`", "compares by `< 3`"]],
  [
    "a cast to less",
    [load(4), row(0x35), pop, ret],
    [load(4), row(0x33), pop, ret],
    changed(null, "computes `as u8` once more, computes `as u128` once less"),
  ],
  // Source: third_party/move/move-binary-format/src/file_format.rs (Bytecode::LdU8 to LdFalse),
  // third_party/move/move-vm/runtime/src/interpreter.rs.
  ["another number", [load(1), pop, ret], [load(2), pop, ret], ["constant-changed", "uses 1 (u64)", "uses 2 (u64)"]],
  ["another type of number", [row(0x31, 5), pop, ret], [load(5), pop, ret], changed(null, "uses 5 (u64) once more, uses 5 (u8) once less")],
  ["a number more", [load(1), pop, ret], [load(1), pop, load(7), pop, ret], changed(null, "uses 7 (u64) once more")],
  ["another truth value", [row(0x08), pop, ret], [row(0x09), pop, ret], ["constant-changed", "uses true (bool)", "uses false (bool)"]],
  ["a truth value more", [ret], [row(0x08), pop, ret], null],
  [
    "a call's answer that is turned",
    ifSome(0x03),
    ifSome(0x04),
    ["comparison-changed", "aborts unless 0x1::option::is_some holds", "aborts where 0x1::option::is_some holds"],
  ],
  ["a call's answer that is turned twice", ifSome(0x03), ifSome(0x04, row(0x20)), null],
  [
    "another function of a library that only computes",
    [call(8), pop, ret],
    [call(9), pop, ret],
    changed(null, "calls 0x1::option::is_none once more, calls 0x1::option::is_some once less"),
  ],
  ["a function of another library, which the first may call", [call(8), pop, ret], [call(10), pop, ret], null],
  // Source: third_party/move/move-binary-format/src/file_format.rs (Bytecode::CopyLoc to ImmBorrowLoc, ReadRef, WriteRef, FreezeRef).
  ["a variable that is copied, not moved", [moveLoc(0), pop, ret], [row(0x0a, 0), pop, ret], null],
  ["a variable that is borrowed to be written", [row(0x0e, 0), pop, ret], [row(0x0d, 0), pop, ret], null],
  [
    "a reference that is written, not read",
    [load(3), row(0x0d, 0), row(0x14), pop, pop, ret],
    [load(3), row(0x0d, 0), row(0x15), ret],
    changed(null, "writes through a reference once more"),
  ],
  ["a reference that is frozen", [row(0x0d, 0), pop, ret], [row(0x0d, 0), row(0x2e), pop, ret], null],
];

const told = (before: Parts, after: Parts) =>
  (differenceOf(moduleOf(before), moduleOf(after))?.findings ?? [])
    .filter(({ rule }) => isBehaviour(rule))
    .map(({ rule, item, before, after, severity }) => [rule, item.name, before, after, severity]);

describe("the behaviour of a function", () => {
  test.each(pairs.map((pair) => [pair[0], pair] as const))("%s", (_, [, before, after, found]) => {
    const [rule, was, is] = found ?? [];
    const severity = rule === undefined ? {} : { callers: rules[rule as RuleId].severity.callers };
    expect(told(module(before), module(after))).toEqual(found === null ? [] : [[rule, "f", was, is, severity]]);
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

  test("is told once, where it comes from, for all that can be called and reach it", () => {
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
    const [found, ...more] =
      differenceOf(moduleOf(chained(1)), moduleOf(chained(2)))?.findings.filter(({ rule }) => isBehaviour(rule)) ?? [];
    expect(more).toEqual([]);
    expect(found).toMatchObject({ rule: "abort-codes-changed", item: { name: "d" }, functions: ["a", "loop"] });
    expect(found).toMatchObject({ severity: { callers: "behaviour", clients: "dangerous" } });
  });

  test("is not that of a function that calls another module's of the same name", () => {
    const calling = (code: number): Parts => ({
      imports: [{ module: "0x1::coin", name: "pay" }],
      functions: [
        { name: "pay", code: [load(code), abort] },
        { name: "a", visibility: "public", code: [call(0), ret] },
        { name: "b", visibility: "public", code: [call(3), ret] },
      ],
    });
    expect(differenceOf(moduleOf(calling(1)), moduleOf(calling(2)))?.findings[0]?.functions).toEqual(["a"]);
  });

  test("is told of code that makes each number of very many others, and takes no memory for them", () => {
    const sums = Array.from({ length: 5_000 }, () => [load(1), row(0x16)]).flat();
    const doubled = Array.from({ length: 1_000 }, () => [row(0x0a, 1), row(0x0a, 1), row(0x16), stLoc(1)]).flat();
    for (const made of [sums, [stLoc(1), ...doubled, moveLoc(1)]]) {
      const of = (number: number): Parts => {
        const code = [load(1), ...made, pop, load(number), abort];
        return { functions: [{ name: "f", visibility: "public", locals: ["u64", "u64"], code }] };
      };
      expect(told(of(1), of(2))).toHaveLength(1);
    }
  });

  test("has the codes that it gives to a function which aborts with them, directly or through another", () => {
    const of = (code: number): Parts => ({
      functions: [
        { name: "f", visibility: "public", params: ["u64"], code: [load(code), call(1), ret] },
        { name: "through", params: ["u64"], code: [moveLoc(0), call(2), ret] },
        { name: "check", params: ["u64"], code: [...ifZero, ret, moveLoc(0), abort] },
      ],
    });
    const [was, is] = ["aborts with PERMISSION_DENIED (0x50004)", "aborts with PERMISSION_DENIED (0x50005)"];
    expect(told(of(0x50004), of(0x50005))).toEqual([["abort-codes-changed", "f", was, is, { callers: "behaviour" }]]);
  });

  test("says of each clause by itself that it went", () => {
    const witness = { before: "aborts with NOT_FOUND (0x60001); reads 0x1::m::R", after: "calls 0x1::n::f" };
    expect(changeText(witness)).toBe("no longer aborts with NOT_FOUND (0x60001); no longer reads 0x1::m::R; calls 0x1::n::f");
  });

  test("has the names of the module's errors", () => {
    const of = (code: number): Parts => ({ ...module([load(code), abort]), errors: [{ code: 4, name: "ENOT_OWNER", description: "" }] });
    expect(told(module([ret]), of(0x50004))[0]?.[3]).toBe("aborts with ENOT_OWNER = PERMISSION_DENIED (0x50004)");
    expect(told(module([ret]), of(4))[0]?.[3]).toBe("aborts with ENOT_OWNER (0x4)");
  });
});

/** The code of each function that has some, in words; a field by its place: another name is no other field. */
function wordsOf(bytes: Uint8Array): Map<string, string> {
  const code = [...readFunctions(bytes)].filter(([, { length }]) => length > 0);
  const words = ({ name, index, value, reference }: Instruction) => {
    const named = reference === undefined ? "" : formatReference(reference);
    return [name, index, value, reference?.kind === "field" ? named.replace(/\w+$/, String(reference.index)) : named].join(" ");
  };
  return new Map(
    code.map(([name, { locals, instructions }]) => [name, [locals.map(({ text }) => text), ...instructions.map(words)].join("\n")]),
  );
}

testReleases(
  "between recorded releases only functions are said to do something else whose code reads differently, or that reach such a one",
  () => {
    const read = moduleReader();
    const releases = readReleases();
    const seen = { modules: 0, changed: 0, told: 0 };
    for (const [release, next] of neighbours(releases, sized(30, 1))) {
      for (const [id, old, now] of upgradedModules(release, next)) {
        const [was = new Map<string, string>(), is = was] = [old, now].map((sha256) => wordsOf(read(sha256).bytes));
        const differing = [...is].filter(([name, text]) => was.has(name) && was.get(name) !== text).map(([name]) => name);
        const found = differenceOf(read(old), read(now))?.findings ?? [];
        const told = found.filter(({ rule }) => isBehaviour(rule)).map(({ item }) => item.name ?? "");
        const isDivided = [...was.keys(), ...is.keys()].some((name) => was.has(name) !== is.has(name));
        if (!isDivided)
          expect(
            told.filter((name) => !differing.includes(name)),
            `${next.date} ${id}`,
          ).toEqual([]);
        const named = found.find(({ rule }) => rule === "code-changed")?.after ?? "";
        expect(
          differing.slice(0, 20).filter((name) => !named.split(/, | and /).includes(name)),
          `${next.date} ${id}`,
        ).toEqual([]);
        seen.modules += 1;
        seen.changed += differing.length;
        seen.told += told.length;
      }
    }
    expect(seen.modules).toBeGreaterThan(sized(80, 1_700));
    expect(seen.changed).toBeGreaterThan(sized(250, 6_000));
    expect(seen.told).toBeGreaterThan(sized(40, 1_000));
    if (process.env["MOVEDEX_TEST_PRINT"] === "1") console.log(seen);
  },
);
