import { bcs } from "@mysten/bcs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { DecodeError } from "../../../src/core/move/decode-error.ts";
import { listOf, mapOf, type Read, readBcs, readText } from "../../../src/core/move/module/bcs.ts";
import { expectOnlyErrors } from "../../support/mutate.ts";
import { holdsFor } from "../../support/property/law.ts";

const readU8: Read<number> = (cursor) => cursor.u8();
const readPage = mapOf(readText, listOf(readU8));
const readAll = ((cursor) => ({ number: cursor.fixedU64(), text: readText(cursor), page: readPage(cursor) })) satisfies Read<object>;
const page = bcs.map(bcs.string(), bcs.vector(bcs.u8()));
const everything = bcs.struct("Everything", { number: bcs.u64(), text: bcs.string(), page });
const anything = fc.record({
  number: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
  text: fc.string({ unit: "binary" }),
  page: fc.uniqueArray(fc.tuple(fc.string(), fc.array(fc.nat(255))), { selector: ([key]) => key }).map((entries) => new Map(entries)),
});

const refusal = (problem: string) =>
  expect.objectContaining({ code: "MOVEDEX_DECODE_MALFORMED", message: expect.stringContaining(problem) as string });
const refuse = (read: Read<unknown>, input: readonly number[], problem: string) =>
  expect(() => readBcs(read, Uint8Array.from(input))).toThrow(refusal(problem));

describe("readBcs", () => {
  test("reads what the library writes", async () => {
    await holdsFor(100, [anything], (value) => {
      expect(readBcs(readAll, everything.serialize(value).toBytes())).toEqual(value);
    });
  });

  test("lets nothing but DecodeError out, whatever the bytes", () => {
    expectOnlyErrors(DecodeError, fc.uint8Array({ maxLength: 200 }), (input) => readBcs(readAll, input));
  });

  test("refuses bytes after the value and bytes that are missing", () => {
    refuse(readU8, [1, 2], "1 bytes after the value, at byte 1");
    refuse((cursor) => cursor.fixedU64(), [1, 2, 3], "wanted");
    refuse(readText, [3, 0x61], "3 bytes wanted, 1 left");
    refuse(listOf(readU8), [1], "the bytes end too early");
  });

  test("takes no length that is too long or not in its shortest form, and no time or room for one that the bytes do not have", () => {
    refuse(listOf(readU8), [0xff, 0xff, 0xff, 0xff, 0x07, 1], "the bytes end too early");
    refuse(readText, [0x80, 0x80, 0x80, 0x80, 0x04], "1073741824 bytes wanted, 0 left");
    refuse(readPage, [0xff, 0xff, 0xff, 0xff, 0x0f], "the bytes end too early");
    refuse(readText, new Array<number>(65_535).fill(0xff), "not in its shortest form");
    refuse(readText, [0x80, 0x00], "not in its shortest form");
    refuse(readText, [0xff, 0xff, 0xff, 0xff, 0x1f], "where at most 4294967295 is allowed");
  });

  test("reads no further than the view that it is given", () => {
    const view = Uint8Array.of(5, 0x61, 0x62, 0x63, 0x64, 0x65).subarray(0, 3);
    expect(() => readBcs(readText, view)).toThrow(refusal("5 bytes wanted, 2 left"));
  });

  test("wants the keys of a map in order, none twice", () => {
    expect([...readBcs(readPage, Uint8Array.of(2, 1, 0x61, 0, 1, 0x62, 0)).keys()]).toEqual(["a", "b"]);
    refuse(readPage, [2, 1, 0x62, 0, 1, 0x61, 0], "the keys of a map are out of order");
    refuse(readPage, [2, 1, 0x61, 0, 1, 0x61, 0], "the keys of a map are out of order");
  });

  test("wants texts in UTF-8, with their byte order mark if there is one", () => {
    refuse(readText, [2, 0xc3, 0x28], "a text is not UTF-8, at byte 1");
    for (const text of ["\ufeffé", `${"x".repeat(70_000)}é`]) expect(readBcs(readText, bcs.string().serialize(text).toBytes())).toBe(text);
  });
});
