import { describe, expect, test } from "vitest";
import { type ModuleSpec, writeModule } from "../../../sim/index.ts";
import { decodeModule } from "../../../src/core/abi/decode.ts";
import { formatNodeAbi, type NodeGeneration, nodePrintsAbi } from "../../../src/core/abi/node-json/format.ts";

const decode = (spec: Partial<ModuleSpec>) => decodeModule(writeModule({ address: "0x2", name: "m", ...spec }));
const print = (spec: Partial<ModuleSpec>, generation?: NodeGeneration) => formatNodeAbi(decode(spec).abi, generation);
const generations: readonly NodeGeneration[] = ["A", "B", "C", "D"];

describe("formatNodeAbi", () => {
  test("leaves out of a struct what the generation does not know", () => {
    const structs = [{ name: "S" }];
    const keys = (generation: NodeGeneration) => Object.keys(print({ structs }, generation).structs[0] ?? {}).join(" ");
    expect(keys("A")).toBe("name is_native abilities generic_type_params fields");
    for (const generation of ["B", "C"] as const)
      expect(keys(generation)).toBe("name is_native is_event abilities generic_type_params fields");
  });

  test("exposes entry, public and friend functions, and private views on the newest node alone", () => {
    const functions = [
      { name: "hidden" },
      { name: "view", attributes: [{ kind: 1 }] },
      { name: "entry", entry: true },
      { name: "friend", visibility: "friend" },
      { name: "public", visibility: "public" },
    ] as const;
    const names = (generation: NodeGeneration) => print({ functions }, generation).exposed_functions.map(({ name }) => name);
    expect(names("D")).toEqual(["view", "entry", "friend", "public"]);
    for (const generation of ["A", "B", "C"] as const) expect(names(generation)).toEqual(["entry", "friend", "public"]);
  });

  test("prints an enum as a struct without fields before the newest generation", () => {
    const structs = [{ name: "E", variants: [{ name: "V", fields: [["x", "u8"]] as const }] }];
    const variants = [{ name: "V", fields: [{ name: "x", type: "u8" }] }];
    expect(print({ structs }).structs[0]).toMatchObject({ is_enum: true, fields: [], variants });
    expect(print({ structs }, "C").structs[0]).toMatchObject({ is_native: false, fields: [] });
  });

  test("prints the enum of 0x1::option as the struct that it was, on the newest node alone", () => {
    const option = (address: string, variants: number) => ({
      address,
      name: "option",
      structs: [{ name: "Option", typeParams: [""], variants: Array.from({ length: variants }, (_, i) => ({ name: `V${i}` })) }],
    });
    const old = { is_enum: false, fields: [{ name: "vec", type: "vector<T0>" }], variants: [] };
    expect(print(option("0x1", 2)).structs[0]).toMatchObject(old);
    expect(print(option("0x1", 2), "C").structs[0]).toMatchObject({ fields: [] });
    expect(print(option("0x1", 3)).structs[0]).toMatchObject({ is_enum: true, fields: [] });
    expect(print(option("0x2", 2)).structs[0]).toMatchObject({ is_enum: true, fields: [] });
  });
});

describe("nodePrintsAbi", () => {
  test.each([
    [6, "ABCD"],
    [7, "ABCD"],
    [8, "BCD"],
    [9, "D"],
    [10, "D"],
  ])("says which generations read version %i", (version, readers) => {
    const module = decode({ version });
    expect(generations.filter((generation) => nodePrintsAbi(module, generation)).join("")).toBe(readers);
  });

  test("says that the oldest generation reads no enums", () => {
    const module = decode({ version: 7, structs: [{ name: "E", variants: [{ name: "V" }] }] });
    expect(generations.filter((generation) => nodePrintsAbi(module, generation))).toEqual(["B", "C", "D"]);
    expect(nodePrintsAbi(module)).toBe(true);
  });
});
