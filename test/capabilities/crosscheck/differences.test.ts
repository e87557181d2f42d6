import { describe, expect, test } from "vitest";
import { type ModuleSpec, writeModule } from "../../../sim/index.ts";
import { buildOf, compareNodeAbi } from "../../../src/capabilities/crosscheck/cross-check.ts";
import { decodeModule } from "../../../src/core/abi/decode.ts";
import { formatNodeAbi, type NodeGeneration } from "../../../src/core/abi/node-json/format.ts";

const decode = (spec: Partial<ModuleSpec>) => decodeModule(writeModule({ address: "0x2", name: "m", ...spec }));
const decoded = decode({
  friends: ["0x2::friend"],
  structs: [{ name: "S", abilities: ["copy", "key"], fields: [["x", "vector<u8>"]] }],
  functions: [
    { name: "open", visibility: "public", params: ["&signer", "u64"], returns: ["u64"] },
    { name: "view", attributes: [{ kind: 1 }] },
  ],
});
/** As much of a printed ABI as is changed here. */
type Printed = { exposed_functions: { params: string[] }[]; structs: { fields: object[] }[] };
const printed = (generation: NodeGeneration) => JSON.parse(JSON.stringify(formatNodeAbi(decoded.abi, generation)));
const changed = (change: (abi: Printed) => void): unknown => {
  const abi = printed("D");
  change(abi);
  return abi;
};

describe("compareNodeAbi", () => {
  test.each<[NodeGeneration, "A" | "B or C" | "D"]>([
    ["A", "A"],
    ["B", "B or C"],
    ["C", "B or C"],
    ["D", "D"],
  ])("a node of generation %s agrees, and what it prints otherwise than today is explained", (generation, build) => {
    const found = printed(generation);
    expect(buildOf(found)).toBe(build);
    expect(compareNodeAbi(decoded, found, build)).toEqual({ kind: "agrees", isExplained: generation !== "D" });
  });

  test("whatever no build explains differs, with its place and both values", () => {
    const cases: [(abi: Printed) => void, string, string, string][] = [
      [(abi) => Object.assign(abi.exposed_functions[0] ?? {}, { is_entry: true }), "abi.exposed_functions[0].is_entry", "false", "true"],
      [
        (abi) => Object.assign(abi.exposed_functions[0]?.params ?? [], ["&signer", "u128"]),
        "abi.exposed_functions[0].params[1]",
        "u64",
        "u128",
      ],
      [(abi) => Object.assign(abi, { friends: [] }), "abi.friends", "1 items", "0 items"],
      [
        (abi) => Object.assign(abi.structs[0]?.fields[0] ?? {}, { type: ["u8"] }),
        "abi.structs[0].fields[0].type",
        "vector<u8>",
        "a list of 1",
      ],
      [(abi) => Reflect.deleteProperty(abi.structs[0] ?? {}, "abilities"), "abi.structs[0].abilities", "a list of 2", "absent"],
      [(abi) => Object.assign(abi, { structs: "none" }), "abi.structs", "a list of 1", "none"],
    ];
    for (const [change, place, derived, found] of cases) {
      expect(compareNodeAbi(decoded, changed(change), "D")).toEqual({ kind: "differs", place, derived, found });
    }
    for (const found of [7, "x", [], true])
      expect(compareNodeAbi(decoded, found, undefined)).toMatchObject({ kind: "differs", place: "abi" });
  });

  test("fields that nobody knows yet are a newer build's", () => {
    const found = changed((abi) => Object.assign(abi.structs[0] ?? {}, { is_sealed: true }));
    expect(compareNodeAbi(decoded, found, "D")).toEqual({ kind: "agrees", isExplained: true });
  });

  test("a missing ABI is explained by bytecode that such a build cannot read, and by nothing else", () => {
    const of = (version: number) => decode({ version });
    expect(compareNodeAbi(of(10), null, undefined)).toEqual({ kind: "agrees", isExplained: true });
    expect(compareNodeAbi(of(10), null, "B or C")).toMatchObject({ kind: "agrees" });
    expect(compareNodeAbi(of(8), null, "A")).toMatchObject({ kind: "agrees" });
    const differs = { kind: "differs", place: "abi", derived: "an ABI, from bytecode of version 8", found: "null" };
    expect(compareNodeAbi(of(8), null, "D")).toEqual(differs);
    expect(compareNodeAbi(of(6), null, undefined)).toMatchObject({ kind: "differs" });
  });

  test("0x1::option agrees in the struct form of today and as the enum it is", () => {
    const option = decode({
      address: "0x1",
      name: "option",
      version: 8,
      structs: [{ name: "Option", typeParams: [""], variants: [{ name: "None" }, { name: "Some", fields: [["e", "T0"]] }] }],
    });
    const today = JSON.parse(JSON.stringify(formatNodeAbi(option.abi)));
    expect(compareNodeAbi(option, today, "D")).toEqual({ kind: "agrees", isExplained: false });
    const before = structuredClone(today);
    Object.assign(before.structs[0], { is_enum: true, fields: [] });
    delete before.structs[0].variants;
    expect(compareNodeAbi(option, before, "D")).toEqual({ kind: "agrees", isExplained: true });
    expect(compareNodeAbi(option, JSON.parse(JSON.stringify(formatNodeAbi(option.abi, "C"))), "B or C")).toMatchObject({ kind: "agrees" });
  });
});
