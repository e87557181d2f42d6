import { describe, expect, test } from "vitest";
import type { TableRows } from "../../../sim/module-writer/module-encoder.ts";
import { parseModule } from "../../../src/core/move/module/module.ts";
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

type Bytes = readonly (number | Iterable<number>)[];

/**
 * A module of `version` whose one function has two parameters of type u64, one type parameter and this code; and one row
 * in each table that code can name, the generic ones with the type argument T0.
 */
function withCode(version: number, instructions: readonly Bytes[], rows: TableRows = {}): Uint8Array {
  const enums = version >= 7;
  return handmade(version, {
    structHandles: [row(0, 0, 0, 0)],
    signatures: [row(0), row(2, 3, 3), row(1, 9, 0)],
    functionHandles: [row(0, 0, 1, 0, 1, 0, version >= 7 ? [1] : [], version >= 8 ? [0] : [])],
    constants: [row(2, 1, 0)],
    structDefinitions: [enums ? row(0, 3, 1, 0, 1, 0, 3) : row(0, 2, 1, 0, 3)],
    functionInstantiations: [row(0, 2)],
    structInstantiations: [row(0, 2)],
    ...(enums
      ? {
          variantFieldHandles: [row(0, 0, 1, 0)],
          variantFieldInstantiations: [row(0, 2)],
          structVariantHandles: [row(0, 0)],
          structVariantInstantiations: [row(0, 2)],
        }
      : { fieldHandles: [row(0, 0)], fieldInstantiations: [row(0, 2)] }),
    functionDefinitions: [row(0, 0, 0, 0, 0, instructions.length, ...instructions.map((instruction) => row(...instruction)))],
    ...rows,
  });
}

const zeros = (count: number) => new Uint8Array(count);

describe("code", () => {
  test("is stepped over as the node steps, whatever the opcode, its operands and the version", () => {
    const plain = [0, 1, 2, 4, 8, 9, 16, 32].map((length) => [...zeros(length)]);
    const masks = [1, 2].map((last) => [0, ...new Array<number>(9).fill(0xff), last]);
    const odd = [[1], [0xff], [0xff, 3], [0x80, 0], [0, 0xff], [0, 0x80, 0], ...masks];
    let accepted = 0;
    for (const version of [3, 4, 5, 6, 7, 8, 9, 10]) {
      for (let opcode = 0; opcode < 256; opcode++) {
        for (const tail of version < 10 ? plain : [...plain, ...odd]) {
          if (verdict(withCode(version, [[opcode, tail]])) === "accepted") accepted++;
        }
      }
    }
    // Each opcode that a version has is accepted with at least one of the tails.
    expect(accepted).toBeGreaterThan(600);
  });

  test("branches inside itself", () => {
    expect(verdict(withCode(6, [[0x05, 1], [0x02]]))).toBe("accepted");
    expect(verdict(withCode(6, [[0x05, 2], [0x02]]))).toContain("instruction 0x5 names 2 of 2");
  });

  test("names locals that there are, parameters first, at most 255", () => {
    expect(verdict(withCode(6, [[0x0a, 1]]))).toBe("accepted");
    expect(verdict(withCode(6, [[0x0a, 2]]))).toContain("instruction 0xa names 2 of 2");
    const many = (count: number) => {
      const signatures = [row([0x80 | (count & 0x7f), count >> 7], new Uint8Array(count).fill(3)), row(2, 3, 3), row(1, 9, 0), row(0)];
      return withCode(6, [[0x02]], { signatures, functionHandles: [row(0, 0, 1, 3, 1, 0)] });
    };
    expect(verdict(many(253))).toBe("accepted");
    expect(verdict(many(254))).toContain("M has 256 locals");
  });

  test("uses no type parameter that its function does not have", () => {
    const plain = { functionHandles: [row(0, 0, 1, 0, 0, 1)] };
    for (const opcode of [0x36, 0x38, 0x39, 0x3f, 0x41]) {
      const operand = opcode === 0x41 ? 2 : 0;
      expect(verdict(withCode(6, [[opcode, operand]]))).toBe("accepted");
      expect(verdict(withCode(6, [[opcode, operand]], { functionHandles: [row(0, 0, 1, 0, 0)] }))).toContain(
        "M uses a type parameter that it does not have",
      );
    }
    expect(verdict(withCode(7, [[0x50, 0]], plain))).toContain("M uses a type parameter that it does not have");
    const locals = { functionDefinitions: [row(0, 0, 0, 0, 2, 1, 2)] };
    expect(verdict(withCode(6, [], locals))).toBe("accepted");
    expect(verdict(withCode(6, [], { ...locals, functionHandles: [row(0, 0, 1, 0, 0)] }))).toContain(
      "a local of M uses a type parameter that it does not have",
    );
  });

  test("may be empty, and has at most 65535 instructions", () => {
    expect(verdict(withCode(6, []))).toBe("accepted");
    const long = (count: readonly number[], length: number) => ({
      functionDefinitions: [row(0, 0, 0, 0, 0, count, new Uint8Array(length).fill(2))],
    });
    expect(verdict(withCode(6, [], long([0xff, 0xff, 3], 65_535)))).toBe("accepted");
    expect(verdict(withCode(6, [], long([0x80, 0x80, 4], 65_536)))).toContain("65536 where at most 65535 is allowed");
  });
});

describe("members that code names", () => {
  test("are fields of the module's structs", () => {
    expect(verdict(withCode(6, [], { fieldHandles: [row(0, 0)] }))).toBe("accepted");
    expect(verdict(withCode(6, [], { fieldHandles: [row(0, 1)] }))).toContain("field 1 of 1");
    expect(verdict(withCode(6, [], { fieldHandles: [row(1, 0)] }))).toContain("index 1 into struct definitions");
    expect(verdict(withCode(7, [], { fieldHandles: [row(0, 0)] }))).toContain("field 0 of 0");
  });

  test("are variants and their fields", () => {
    expect(verdict(withCode(7, [], { variantFieldHandles: [row(0, 0, 2, 0, 0)] }))).toBe("accepted");
    expect(verdict(withCode(7, [], { variantFieldHandles: [row(0, 1, 1, 0)] }))).toContain("field 1 of 1");
    expect(verdict(withCode(7, [], { variantFieldHandles: [row(0, 0, 1, 1)] }))).toContain("variant 1 of 1");
    expect(verdict(withCode(7, [], { variantFieldHandles: [row(0, 0, 0)] }))).toContain("a field handle of no variant");
    expect(verdict(withCode(7, [], { structVariantHandles: [row(0, 1)] }))).toContain("variant 1 of 1");
  });

  test("are instantiated with signatures that there are", () => {
    expect(verdict(withCode(6, [], { fieldInstantiations: [row(0, 3)] }))).toContain("index 3 into signatures");
    expect(verdict(withCode(6, [], { functionInstantiations: [row(1, 0)] }))).toContain("index 1 into function handles");
    expect(verdict(withCode(6, [], { structInstantiations: [row(1, 0)] }))).toContain("index 1 into struct definitions");
    expect(verdict(withCode(6, [], { fieldInstantiations: [row(1, 0)] }))).toContain("index 1 into field handles");
    expect(verdict(withCode(7, [], { variantFieldInstantiations: [row(1, 0)] }))).toContain("index 1 into variant field handles");
    expect(verdict(withCode(7, [], { structVariantInstantiations: [row(1, 0)] }))).toContain("index 1 into struct variant handles");
  });
});
