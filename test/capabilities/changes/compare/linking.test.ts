import { describe, expect, test } from "vitest";
import type { FunctionSpec, ModuleSpec, StructSpec } from "../../../../sim/module-writer/module-spec.ts";
import { writeModule } from "../../../../sim/module-writer/module-writer.ts";
import { findLinkProblems, type LinkedModule } from "../../../../src/capabilities/changes/compare/linking.ts";
import { decodeModule } from "../../../../src/core/abi/decode.ts";
import { handmade, nameRow, row } from "../../../support/handmade.ts";

/** Module 0x1::M, which calls 0x1::D::f<T0: drop>(u64): bool and names the struct 0x1::D::S<phantom T0: store> has copy, store. */
const caller = handmade(7, {
  identifiers: [nameRow("M"), nameRow("D"), nameRow("f"), nameRow("S"), nameRow("g")],
  moduleHandles: [row(0, 0), row(0, 1)],
  signatures: [row(0), row(1, 3), row(1, 1)],
  structHandles: [row(1, 3, 5, 1, 4, 1)],
  functionHandles: [row(1, 2, 1, 2, 1, 2, 1)],
});

const rightFunction: FunctionSpec = { name: "f", visibility: "public", typeParams: ["drop"], params: ["u64"], returns: ["bool"] };
const rightStruct: StructSpec = { name: "S", abilities: ["copy", "store"], typeParams: ["phantom store"], fields: [["a", "u64"]] };

const dependency = (fn: Partial<FunctionSpec> | null, struct: Partial<StructSpec> | null, parts: Partial<ModuleSpec> = {}): LinkedModule =>
  decodeModule(
    writeModule({
      address: "0x1",
      name: "D",
      functions: fn === null ? [] : [{ ...rightFunction, ...fn }],
      structs: struct === null ? [] : [{ ...rightStruct, ...struct }],
      ...parts,
    }),
  );

const problemsWith = (abi: LinkedModule | undefined | null): string[] =>
  findLinkProblems(caller, () => abi).map(({ item, expected, found }) => `${item.kind} ${item.name}: ${expected} | ${found}`);

const wantedFunction = "function f: fun f<T0: drop>(u64): bool";
const wantedStruct = "struct S: struct S<phantom T0: store> has copy, store";

describe("findLinkProblems", () => {
  test("finds nothing where everything is as the bytecode expects it, or allows more", () => {
    expect(problemsWith(dependency({}, {}))).toEqual([]);
    expect(
      problemsWith(dependency({ typeParams: [""], entry: true }, { abilities: ["copy", "drop", "store"], typeParams: ["phantom"] })),
    ).toEqual([]);
    expect(problemsWith(dependency({ visibility: "friend" }, {}, { friends: ["0x1::M"] }))).toEqual([]);
    expect(problemsWith(null)).toEqual([]);
  });

  test("finds that a function lacks the attribute that its import expects, where the attributes are known", () => {
    const asStored = handmade(8, {
      identifiers: [nameRow("M"), nameRow("D"), nameRow("f")],
      moduleHandles: [row(0, 0), row(0, 1)],
      signatures: [row(0)],
      functionHandles: [row(1, 2, 0, 0, 0, 1, 1, 1)],
    });
    const marked = (marks: FunctionSpec["marks"] = []): LinkedModule =>
      decodeModule(writeModule({ version: 8, address: "0x1", name: "D", functions: [{ name: "f", visibility: "public", marks }] }));
    const problems = (found: LinkedModule) => findLinkProblems(asStored, () => found).map(({ expected, found }) => [expected, found]);
    expect(problems(marked([{ name: "persistent" }]))).toEqual([]);
    expect(problems(marked())).toEqual([["#[persistent] fun f()", "public fun f()"]]);
    expect(problems({ abi: marked().abi })).toEqual([]);
  });

  test.each<[what: string, abi: LinkedModule | undefined, problem: string]>([
    ["the module is missing", undefined, "module null: the module | null"],
    ["the function is missing", dependency(null, {}), `${wantedFunction} | null`],
    ["the function is private", dependency({ visibility: "private" }, {}), `${wantedFunction} | fun f<T0: drop>(u64): bool`],
    [
      "the function is for friends",
      dependency({ visibility: "friend" }, {}),
      `${wantedFunction} | public(friend) fun f<T0: drop>(u64): bool`,
    ],
    ["parameters differ", dependency({ params: ["u64", "u64"] }, {}), `${wantedFunction} | public fun f<T0: drop>(u64, u64): bool`],
    ["results differ", dependency({ returns: [] }, {}), `${wantedFunction} | public fun f<T0: drop>(u64)`],
    ["type parameters differ", dependency({ typeParams: [] }, {}), `${wantedFunction} | public fun f(u64): bool`],
    [
      "a constraint is tighter",
      dependency({ typeParams: ["copy drop"] }, {}),
      `${wantedFunction} | public fun f<T0: copy + drop>(u64): bool`,
    ],
    ["the struct is missing", dependency({}, null), `${wantedStruct} | null`],
    ["the struct lost an ability", dependency({}, { abilities: ["store"] }), `${wantedStruct} | struct S<phantom T0: store> has store`],
    [
      "the struct has more type parameters",
      dependency({}, { typeParams: ["phantom store", ""] }),
      `${wantedStruct} | struct S<phantom T0: store, T1> has copy, store`,
    ],
    [
      "the struct's constraint is tighter",
      dependency({}, { typeParams: ["phantom store key"] }),
      `${wantedStruct} | struct S<phantom T0: store + key> has copy, store`,
    ],
    ["the struct is no longer phantom", dependency({}, { typeParams: ["store"] }), `${wantedStruct} | struct S<T0: store> has copy, store`],
  ])("finds that %s", (_, abi, problem) => {
    expect(problemsWith(abi)).toEqual([problem]);
  });
});
