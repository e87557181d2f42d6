import { bcs } from "@mysten/bcs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { bcsTypes, readBcs } from "../../../src/core/move/bcs/bcs.ts";
import { DecodeError } from "../../../src/core/move/decode-error.ts";
import { expectOnlyErrors } from "../../support/mutate.ts";
import { holdsFor } from "../../support/property/law.ts";

const { bool, map, string, struct, u64, u8, vector } = bcsTypes;
const bytes = bcs.byteVector();

const page = map(string, bytes);
const everything = struct("Everything", { flag: bool, number: u64, text: string, list: vector(u8), page });
const anything = fc.record({
  flag: fc.boolean(),
  number: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
  text: fc.string({ unit: "binary" }),
  list: fc.array(fc.nat(255)),
  page: fc.uniqueArray(fc.tuple(fc.string(), fc.uint8Array()), { selector: ([key]) => key }).map((entries) => new Map(entries)),
});

const refusal = (problem: string) =>
  expect.objectContaining({ code: "MOVEDEX_DECODE_MALFORMED", message: expect.stringContaining(problem) as string });
const refuse = (schema: Parameters<typeof readBcs>[0], input: readonly number[], problem: string) =>
  expect(() => readBcs(schema, Uint8Array.from(input), "test")).toThrow(refusal(problem));

describe("readBcs", () => {
  test("reads back what was written, and so does the library with its own parts", async () => {
    const theirs = bcs.struct("Everything", {
      flag: bcs.bool(),
      number: bcs.u64(),
      text: bcs.string(),
      list: bcs.vector(bcs.u8()),
      page: bcs.map(bcs.string(), bcs.byteVector()),
    });
    await holdsFor(100, [anything], (value) => {
      const written = everything.serialize(value).toBytes();
      const { page, ...rest } = readBcs(everything, written, "test");
      const { page: expected, ...expectedRest } = value;
      expect(rest).toEqual(expectedRest);
      expect(new Map(page)).toEqual(expected);
      expect(theirs.parse(written)).toMatchObject({ flag: value.flag, number: value.number.toString(), text: value.text });
    });
  });

  test("lets nothing but DecodeError out, whatever the bytes", () => {
    expectOnlyErrors(DecodeError, fc.uint8Array({ maxLength: 200 }), (input) => readBcs(everything, input, "test"));
  });

  test("refuses bytes after the value and bytes that are missing", () => {
    refuse(u8, [1, 2], "1 bytes after the value, at byte 1");
    refuse(u64, [1, 2, 3], "wanted");
    refuse(string, [3, 0x61], "3 bytes wanted, 1 left");
    refuse(bytes, [1], "1 bytes wanted, 0 left");
  });

  test("looks whether the bytes are there before it allocates for them", () => {
    refuse(vector(u8), [0xff, 0xff, 0xff, 0xff, 0x07, 1], "a length of 2147483647 where 1 bytes are left");
    refuse(bytes, [0x80, 0x80, 0x80, 0x80, 0x04], "a length of 1073741824 where 0 bytes are left");
    refuse(page, [0xff, 0xff, 0xff, 0xff, 0x0f], "a length of 4294967295 where 0 bytes are left");
  });

  test("spends no time on an endless length, and takes none but the shortest", () => {
    refuse(bytes, new Array<number>(65_535).fill(0xff), "not in its shortest form of at most 32 bits");
    refuse(bytes, [0x80, 0x00], "not in its shortest form of at most 32 bits");
    refuse(bytes, [0xff, 0xff, 0xff, 0xff, 0x1f], "not in its shortest form of at most 32 bits");
  });

  test("reads no further than the view that it is given", () => {
    const view = Uint8Array.of(5, 0x61, 0x62, 0x63, 0x64, 0x65).subarray(0, 3);
    expect(() => readBcs(string, view, "test")).toThrow(refusal("5 bytes wanted, 2 left"));
  });

  test("gives copies, which later changes of the input do not reach", () => {
    const input = Uint8Array.of(2, 7, 8);
    const value = readBcs(bytes, input, "test");
    input.fill(0);
    expect([...value]).toEqual([7, 8]);
  });

  test("wants the keys of a map in order, none twice", () => {
    expect([...readBcs(page, Uint8Array.of(2, 1, 0x61, 0, 1, 0x62, 0), "test").keys()]).toEqual(["a", "b"]);
    refuse(page, [2, 1, 0x62, 0, 1, 0x61, 0], "the keys of a map are out of order");
    refuse(page, [2, 1, 0x61, 0, 1, 0x61, 0], "the keys of a map are out of order");
  });

  test("wants texts in UTF-8, with their byte order mark if there is one", () => {
    refuse(string, [2, 0xc3, 0x28], "");
    expect(readBcs(string, string.serialize("\ufeffé").toBytes(), "test")).toBe("\ufeffé");
    const long = `${"x".repeat(70_000)}é`;
    expect(readBcs(string, string.serialize(long).toBytes(), "test")).toBe(long);
  });
});
