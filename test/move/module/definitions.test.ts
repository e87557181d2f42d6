import { describe, expect, test } from "vitest";
import { parseModule } from "../../../src/move/module/module.ts";
import { handmade, row } from "../../support/handmade.ts";
import { verdict } from "../../support/vm/verdict.ts";

const withStruct = (version: number, ...definition: (number | number[])[]) =>
  handmade(version, { structHandles: [row(0, 0, 0, 1, 0, 0)], structDefinitions: [row(0, ...definition)] });

/** A module with one native function, whose definition has these bytes after its handle. */
const withFlags = (version: number, ...flags: number[]) =>
  handmade(version, {
    signatures: [row(0)],
    functionHandles: [row(0, 0, 0, 0, 0, version >= 7 ? [1] : [], version >= 8 ? [0] : [])],
    functionDefinitions: [row(0, ...flags, 0)],
  });

describe("struct definitions", () => {
  test("are native, declared, or since version 7 enums", () => {
    expect(verdict(withStruct(6, 1))).toBe("accepted");
    expect(verdict(withStruct(6, 2, 1, 0, 2))).toBe("accepted");
    expect(verdict(withStruct(7, 3, 2, 0, 0, 0, 1, 0, 3))).toBe("accepted");
    expect(verdict(withStruct(6, 3, 1, 0, 0))).toContain("struct flag 3 does not exist in bytecode version 6");
    expect(verdict(withStruct(7, 4))).toContain("struct flag 4 does not exist");
    expect(verdict(withStruct(7, 0))).toContain("struct flag 0 does not exist");
  });

  test("use no type parameter that the struct does not have", () => {
    expect(verdict(withStruct(7, 2, 1, 0, 9, 0))).toBe("accepted");
    expect(verdict(withStruct(7, 2, 1, 0, 9, 1))).toContain("a type parameter that 0x1::M::M does not have");
    expect(verdict(withStruct(7, 3, 1, 0, 1, 0, 0x0a, 9, 1))).toContain("a type parameter that 0x1::M::M does not have");
  });

  test("name their fields and variants", () => {
    expect(verdict(withStruct(7, 2, 1, 1, 2))).toContain("index 1 into identifiers, of which there are 1");
    expect(verdict(withStruct(7, 3, 1, 1, 0))).toContain("index 1 into identifiers, of which there are 1");
  });

  test("of enums have between 1 and 127 variants", () => {
    const variants = (count: number) =>
      withStruct(
        7,
        3,
        count < 128 ? [count] : [0x80, 1],
        Array.from({ length: count * 2 }, () => 0),
      );
    expect(verdict(variants(0))).toContain("enum 0x1::M::M has no variants");
    expect(verdict(variants(127))).toBe("accepted");
    expect(verdict(variants(128))).toContain("128 where at most 127 is allowed");
  });
});

describe("function definitions", () => {
  const flagsOf = (version: number, ...flags: number[]) => {
    const { visibility, isEntry, isNative } = parseModule(withFlags(version, ...flags)).functions[0] ?? {};
    return { visibility, isEntry, isNative };
  };

  test("have one byte of flags in version 1", () => {
    expect(flagsOf(1, 2)).toEqual({ visibility: "private", isEntry: false, isNative: true });
    expect(flagsOf(1, 3)).toEqual({ visibility: "public", isEntry: false, isNative: true });
    expect(verdict(withFlags(1, 3))).toBe("accepted");
    expect(verdict(withFlags(1, 7))).toContain("function flags 7 do not exist in bytecode version 1");
  });

  test("have a visibility of their own for entry functions in versions 2 to 4", () => {
    expect(flagsOf(4, 2, 2)).toEqual({ visibility: "public", isEntry: true, isNative: true });
    expect(flagsOf(4, 3, 2)).toEqual({ visibility: "friend", isEntry: false, isNative: true });
    for (const version of [2, 3, 4]) expect(verdict(withFlags(version, 2, 2))).toBe("accepted");
    expect(verdict(withFlags(4, 0, 6))).toContain("function flags 6 do not exist in bytecode version 4");
    expect(verdict(withFlags(4, 4, 2))).toContain("visibility 4 does not exist");
  });

  test("have a flag for entry functions since version 5", () => {
    expect(flagsOf(5, 0, 6)).toEqual({ visibility: "private", isEntry: true, isNative: true });
    expect(flagsOf(10, 1, 2)).toEqual({ visibility: "public", isEntry: false, isNative: true });
    expect(verdict(withFlags(5, 3, 6))).toBe("accepted");
    expect(verdict(withFlags(5, 2, 2))).toContain("visibility 2 does not exist in bytecode version 5");
    for (const flags of [1 | 2, 8 | 2, 128 | 2]) expect(verdict(withFlags(5, 0, flags))).toContain(`function flags ${flags} do not exist`);
  });

  test("acquire structs of the module", () => {
    const acquiring = (index: number) =>
      handmade(6, {
        structHandles: [row(0, 0, 0, 0)],
        structDefinitions: [row(0, 1)],
        signatures: [row(0)],
        functionHandles: [row(0, 0, 0, 0, 0)],
        functionDefinitions: [row(0, 0, 2, 1, index)],
      });
    expect(verdict(acquiring(0))).toBe("accepted");
    expect(verdict(acquiring(1))).toContain("index 1 into struct definitions, of which there are 1");
  });
});
