import { describe, expect, test } from "vitest";
import { parseModule } from "../../../src/core/move/module/module.ts";
import { handmade, row } from "../../support/handmade.ts";
import { verdict } from "../../support/vm/verdict.ts";

/** A module with one function handle without parameters; `rest` is what follows its type parameters. */
const withFunction = (version: number, ...rest: readonly (number | Iterable<number>)[]) =>
  handmade(version, { signatures: [row(0)], functionHandles: [row(0, 0, 0, 0, 0, ...rest)] });

describe("function handles", () => {
  test.each([
    [[1], 8],
    [[2], 8],
    [[3], 10],
    [[4, 1, 0], 10],
    [[5], 10],
    [[6, 0xff, 0xff], 10],
    [[7, 0, 0], 10],
    [[8, 0, 0], 10],
    [[9, 0, 0], 10],
  ])("may have the attribute %j since version %i", (attribute, since) => {
    expect(verdict(withFunction(since, 1, 1, attribute))).toBe("accepted");
    if (since > 8) expect(verdict(withFunction(since - 1, 1, 1, attribute))).toContain(`does not exist in bytecode version ${since - 1}`);
  });

  test("have attributes of kinds 1 to 9 with two whole bytes of operand, at most 16", () => {
    expect(verdict(withFunction(10, 1, 1, 0))).toContain("function attribute 0 does not exist");
    expect(verdict(withFunction(10, 1, 1, 10))).toContain("function attribute 10 does not exist");
    expect(verdict(withFunction(10, 1, 1, 4, 1))).toContain("the bytes end too early");
    expect(verdict(withFunction(10, 1, 16, new Uint8Array(16).fill(1)))).toBe("accepted");
    expect(verdict(withFunction(10, 1, 17, new Uint8Array(17).fill(1)))).toContain("17 where at most 16 is allowed");
  });

  test.each([
    ["none", [1]],
    ["an empty list", [2, 0]],
    ["anything anywhere", [2, 1, 1, 1, 1, 1]],
    ["an address, a literal", [2, 1, 2, 2, 2, 9, 2, 200, 1]],
    ["a module, a parameter", [2, 1, 1, 1, 3, 0, 3, 255, 1, 1]],
    ["a struct, a parameter through a function", [2, 1, 2, 1, 4, 7, 3, 0, 2, 5]],
    ["an instantiated struct", [2, 1, 1, 1, 5, 0, 0, 1]],
  ])("may say which storage they touch since version 7: %s", (_, specifiers) => {
    expect(verdict(withFunction(7, specifiers))).toBe("accepted");
  });

  test.each([
    ["option", [3]],
    ["access kind", [2, 1, 3, 1, 1, 1]],
    ["boolean", [2, 1, 1, 3, 1, 1]],
    ["resource specifier", [2, 1, 1, 1, 6, 1]],
    ["address specifier", [2, 1, 1, 1, 1, 0]],
  ])("are refused with an %s that does not exist", (what, specifiers) => {
    expect(verdict(withFunction(7, specifiers))).toContain(`${what} `);
    expect(verdict(withFunction(7, specifiers))).toContain("does not exist");
  });

  test("have at most 64 access specifiers", () => {
    const specifiers = (count: number) => row(2, count, new Uint8Array(count * 4).fill(1));
    expect(verdict(withFunction(7, specifiers(64)))).toBe("accepted");
    expect(verdict(withFunction(7, specifiers(65)))).toContain("65 where at most 64 is allowed");
  });

  test("declare every type parameter that their types use", () => {
    const generic = (constraints: readonly number[]) =>
      handmade(6, { signatures: [row(1, 9, 1), row(0)], functionHandles: [row(0, 0, 0, 1, constraints.length, constraints)] });
    expect(verdict(generic([0, 15]))).toBe("accepted");
    expect(verdict(generic([0]))).toContain("M has 1 type parameters and its types use more");
    expect(verdict(generic([0, 16]))).toContain("16 where at most 15 is allowed");
  });
});

describe("struct handles", () => {
  test("say which type parameters are phantom since version 3", () => {
    const read = (version: number, ...handle: number[]) =>
      parseModule(handmade(version, { structHandles: [row(0, 0, 5, ...handle)], structDefinitions: [row(0, 1)] })).structs[0]?.handle;
    expect(read(3, 2, 4, 1, 0, 0)).toMatchObject({
      abilities: ["copy", "store"],
      typeParams: [
        { constraints: ["store"], isPhantom: true },
        { constraints: [], isPhantom: false },
      ],
    });
    expect(read(2, 2, 4, 1)?.typeParams).toEqual([
      { constraints: ["store"], isPhantom: false },
      { constraints: ["copy"], isPhantom: false },
    ]);
    expect(verdict(handmade(3, { structHandles: [row(0, 0, 0, 1, 0, 2)] }))).toContain("2 where at most 1 is allowed");
  });

  test("have kinds instead of abilities in version 1", () => {
    const bytes = handmade(1, {
      structHandles: [row(0, 0, 1, 3, 1, 2, 3), row(0, 0, 2, 0)],
      structDefinitions: [row(0, 1), row(1, 1)],
      signatures: [row(0)],
      functionHandles: [row(0, 0, 0, 0, 3, 1, 2, 3)],
      functionDefinitions: [row(0, 3, 0)],
    });
    expect(verdict(bytes)).toBe("accepted");
    const { structs, functions } = parseModule(bytes);
    expect(structs.map(({ handle }) => handle.abilities)).toEqual([
      ["store", "key"],
      ["copy", "drop", "store"],
    ]);
    expect(structs[0]?.handle.typeParams.map(({ constraints }) => constraints)).toEqual([[], ["copy", "drop"], ["key"]]);
    const declared = functions[0]?.handle.typeParams.map(({ constraints }) => constraints);
    expect(declared).toEqual([["store"], ["copy", "drop", "store"], ["store", "key"]]);
    expect(verdict(handmade(1, { structHandles: [row(0, 0, 3, 0)] }))).toContain("a kind that does not exist in bytecode version 1");
    expect(verdict(handmade(1, { structHandles: [row(0, 0, 1, 1, 0)] }))).toContain("a kind that does not exist in bytecode version 1");
  });
});

/** The verdict on a module with one signature of one type, and two struct handles: 0 plain, 1 with two type parameters. */
function judge(version: number, ...type: readonly (number | Iterable<number>)[]): string {
  const structHandles = [row(0, 0, 0, 0), row(0, 0, 0, 2, 0, 0, 0, 1)];
  return verdict(handmade(version, { structHandles, signatures: [row(1, ...type)] }));
}

describe("types", () => {
  test.each([
    ["bool", 0x01, 5],
    ["u8", 0x02, 5],
    ["signer", 0x0c, 5],
    ["u16", 0x0d, 6],
    ["u32", 0x0e, 6],
    ["u256", 0x0f, 6],
    ["i8", 0x11, 9],
    ["i16", 0x12, 9],
    ["i32", 0x13, 9],
    ["i64", 0x14, 9],
    ["i128", 0x15, 9],
    ["i256", 0x16, 9],
  ])("%s exists since its version", (name, byte, since) => {
    expect(judge(since, byte)).toBe("accepted");
    if (since > 5) expect(judge(since - 1, byte)).toContain(`type ${name} does not exist in bytecode version ${since - 1}`);
  });

  test("of functions exist since version 8", () => {
    expect(judge(8, 0x10, 3, 1, 1, 2, 3)).toBe("accepted");
    expect(judge(8, 0x10, 0, 0, 0)).toBe("accepted");
    expect(judge(7, 0x10, 3, 1, 1, 2, 3)).toContain("function types do not exist in bytecode version 7");
    expect(judge(8, 0x10, 16, 0, 0)).toContain("16 where at most 15 is allowed");
  });

  test.each([0x00, 0x17, 0xff])("with byte %i do not exist", (byte) => {
    expect(judge(10, byte)).toContain(`type 0x${byte.toString(16)} does not exist`);
  });

  test("of structs have as many arguments as the struct has parameters", () => {
    expect(judge(6, 0x08, 0)).toBe("accepted");
    expect(judge(6, 0x0b, 1, 2, 2, 2)).toBe("accepted");
    expect(judge(6, 0x08, 1)).toContain("0x1::M::M needs 2 type arguments and has none");
    expect(judge(6, 0x0b, 1, 1, 2)).toContain("0x1::M::M needs 2 type arguments and has 1");
    expect(judge(6, 0x0b, 0, 0)).toContain("an instantiated struct without type arguments");
    expect(judge(6, 0x08, 2)).toContain("index 2 into struct handles, of which there are 2");
  });

  test("nest 256 deep and no deeper, whatever stands innermost", () => {
    for (const leaf of [[2], [9, 0], [8, 0], [0x10, 0, 0, 0]]) {
      for (const wrap of [0x0a, 0x06, 0x07]) {
        expect(judge(8, new Uint8Array(255).fill(wrap), leaf)).toBe("accepted");
        expect(judge(8, new Uint8Array(256).fill(wrap), leaf)).toContain("a type nested more than 256 deep");
      }
    }
    expect(judge(8, new Uint8Array(60_000).fill(0x0a), 2)).toContain("a type nested more than 256 deep");
  });

  test("that are type parameters have an index of at most 65535", () => {
    expect(judge(6, 0x09, 0xff, 0xff, 0x03)).toBe("accepted");
    expect(judge(6, 0x09, 0x80, 0x80, 0x04)).toContain("65536 where at most 65535 is allowed");
  });

  test("fill a signature of at most 255", () => {
    const signature = (count: number) => row((count & 0x7f) | 0x80, count >> 7, new Uint8Array(count).fill(2));
    expect(verdict(handmade(6, { signatures: [signature(255)] }))).toBe("accepted");
    expect(verdict(handmade(6, { signatures: [signature(256)] }))).toContain("256 where at most 255 is allowed");
  });
});
