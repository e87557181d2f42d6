import { describe, expect, test } from "vitest";
import { handmade, row } from "../../support/handmade.ts";
import { verdict } from "../../support/vm/verdict.ts";

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
