import { describe, expect, test } from "vitest";
import { Disassembler } from "../../../src/core/move/code/disassemble.ts";
import { parseCode } from "../../../src/core/move/code/read-code.ts";
import { handmade, nameRow, row } from "../../support/handmade.ts";

/** The code of each function, an instruction on each line. */
function linesOf(bytes: Uint8Array): string[][] {
  return Array.from(parseCode(bytes).functions(), (code) => [
    `${code.definition.handle.name}(${code.locals.map(({ text }) => text).join(", ")})`,
    ...new Disassembler().disassemble(code).instructions,
  ]);
}

// That the instructions are those of another reader is shown where they are printed: test/abi/print/function-body.test.ts.
describe("readCode", () => {
  const functions = (version: number, ...code: (number | readonly number[])[]) => ({
    identifiers: [nameRow("M"), nameRow("f"), nameRow("S"), nameRow("a"), nameRow("A"), nameRow("B")],
    signatures: [row(0), row(1, 3), ...(version >= 8 ? [row(1, 0x10, 2, 1, 1, 3, 1)] : [])],
    functionHandles: [version >= 8 ? row(0, 1, 0, 0, 0, 1, 0) : row(0, 1, 0, 0, 0, 1)],
    functionDefinitions: [row(0, 0, 0, 0, 0, code.length, ...code)],
  });

  test("resolves the fields and variants of enums, also where several variants have the field", () => {
    const bytes = handmade(7, {
      ...functions(7, [0x52, 1], [0x4e, 0], [0x56, 0], [0x54, 1], 0x02),
      structHandles: [row(0, 2, 0, 0)],
      structDefinitions: [row(0, 3, 2, 4, 1, 3, 3, 5, 1, 3, 3)],
      variantFieldHandles: [row(0, 0, 2, 0, 1)],
      structVariantHandles: [row(0, 0), row(0, 1)],
    });
    expect(linesOf(bytes)).toEqual([
      [
        "f()",
        "PackVariant 0x1::M::S::B",
        "ImmBorrowVariantField 0x1::M::S::{A, B}.a",
        "TestVariant 0x1::M::S::A",
        "UnpackVariant 0x1::M::S::B",
        "Ret",
      ],
    ]);
  });

  test("resolves generic items with their type arguments", () => {
    const bytes = handmade(7, {
      ...functions(7, [0x38, 0], [0x36, 0], [0x50, 0], [0x51, 0], [0x53, 0], [0x57, 0], 0x02),
      functionHandles: [row(0, 1, 0, 0, 1, 0, 1)],
      functionInstantiations: [row(0, 1)],
      structHandles: [row(0, 2, 0, 1, 0, 0), row(0, 3, 0, 1, 0, 0)],
      structDefinitions: [row(0, 2, 1, 3, 9, 0), row(1, 3, 1, 4, 1, 5, 9, 0)],
      fieldHandles: [row(0, 0)],
      fieldInstantiations: [row(0, 1)],
      structVariantHandles: [row(1, 0)],
      structVariantInstantiations: [row(0, 1)],
      variantFieldHandles: [row(1, 0, 1, 0)],
      variantFieldInstantiations: [row(0, 1)],
    });
    expect(linesOf(bytes)[0]?.slice(1)).toEqual([
      "CallGeneric 0x1::M::f<u64>",
      "MutBorrowFieldGeneric 0x1::M::S<u64>.a",
      "ImmBorrowVariantFieldGeneric 0x1::M::a<u64>::A.B",
      "MutBorrowVariantFieldGeneric 0x1::M::a<u64>::A.B",
      "PackVariantGeneric 0x1::M::a<u64>::A",
      "TestVariantGeneric 0x1::M::a<u64>::A",
      "Ret",
    ]);
  });

  test("reads closures with their masks, and literals of every size", () => {
    const ones = (count: number) => new Array<number>(count).fill(0xff);
    const code = [
      [0x58, 0, 0x85, 0x01],
      [0x59, 1, 1],
      [0x5a, 2],
      [0x31, 7],
      [0x48, 1, 2],
      [0x49, 1, 0, 0, 1],
      [0x06, ...ones(8)],
      [0x32, ...ones(16)],
    ];
    const signed = [
      [0x4a, ...ones(32)],
      [0x5b, 0x80],
      [0x5c, ...ones(2)],
      [0x5d, 1, 0, 0, 0x80],
      [0x5e, ...ones(8)],
      [0x5f, ...ones(16)],
      [0x60, ...ones(32)],
    ];
    const vectors = [[0x40, 1, 3, 0, 0, 0, 0, 0, 0, 0], [0x41, 1], 0x67, 0x68];
    expect(
      linesOf(handmade(10, { ...functions(10, ...code, ...signed, ...vectors), functionInstantiations: [row(0, 0), row(0, 0)] }))[0]?.slice(
        1,
      ),
    ).toEqual([
      "PackClosure 0x1::M::f captures 0b10000101",
      "PackClosureGeneric 0x1::M::f captures 0b1",
      "CallClosure |u64|bool has drop",
      "LdU8 7",
      "LdU16 513",
      "LdU32 16777217",
      `LdU64 ${2n ** 64n - 1n}`,
      `LdU128 ${2n ** 128n - 1n}`,
      `LdU256 ${2n ** 256n - 1n}`,
      "LdI8 -128",
      "LdI16 -1",
      `LdI32 ${-(2n ** 31n) + 1n}`,
      "LdI64 -1",
      "LdI128 -1",
      "LdI256 -1",
      "VecPack u64 3",
      "VecLen u64",
      "Negate",
      "AbortMsg",
    ]);
  });

  test("shows constants as literals where their bytes are one value", () => {
    const constants = [
      row(2, 1, 7),
      row(1, 1, 1),
      row(5, 32, ...new Array<number>(31).fill(0), 1),
      row(0x0a, 2, 3, 2, 0x68, 0x69),
      row(0x0a, 2, 2, 1, 0),
      row(3, 1, 7),
      row(1, 1, 2),
    ];
    const code = constants.map((_, i) => [0x07, i]);
    expect(
      linesOf(
        handmade(6, { ...functions(6, ...code, 0x02), functionHandles: [row(0, 1, 0, 0, 0)], signatures: [row(0)], constants }),
      )[0]?.slice(1, -1),
    ).toEqual([
      "LdConst u8 7",
      "LdConst bool true",
      "LdConst address @0x1",
      'LdConst vector<u8> b"hi"',
      'LdConst vector<u8> x"00"',
      "LdConst u64 0x07",
      "LdConst bool 0x02",
    ]);
  });
});
