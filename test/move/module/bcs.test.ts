import { bcs } from "@mysten/bcs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { DecodeError } from "../../../src/core/move/decode-error.ts";
import { readMap, readString, readVector } from "../../../src/core/move/module/bcs.ts";
import { Cursor } from "../../../src/core/move/module/cursor.ts";
import { expectOnlyErrors } from "../../support/mutate.ts";

const readPage = (cursor: Cursor) => readMap(cursor, readString, (value) => readVector(value, (byte) => byte.u8()));
const readEverything = (cursor: Cursor) => ({ number: cursor.fixedU64(), text: readString(cursor), page: readPage(cursor) });
const everything = bcs.struct("Everything", { number: bcs.u64(), text: bcs.string(), page: bcs.map(bcs.string(), bcs.vector(bcs.u8())) });
const anything = fc.record({
  number: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
  text: fc.string({ unit: "binary" }),
  page: fc.uniqueArray(fc.tuple(fc.string(), fc.array(fc.nat(255))), { selector: ([key]) => key }).map((entries) => new Map(entries)),
});

const refuse = (read: (cursor: Cursor) => unknown, input: readonly number[], problem: string) =>
  expect(() => read(new Cursor(Uint8Array.from(input)))).toThrow(
    expect.objectContaining({ code: "MOVEDEX_DECODE_MALFORMED", message: expect.stringContaining(problem) as string }),
  );

describe("values in BCS", () => {
  test("are read as @mysten/bcs writes them", () => {
    fc.assert(
      fc.property(anything, (value) => {
        const { page, ...rest } = value;
        const cursor = new Cursor(everything.serialize(value).toBytes());
        const read = readEverything(cursor);
        expect(read).toMatchObject(rest);
        expect(new Map(read.page)).toEqual(page);
        expect(cursor.more).toBe(false);
      }),
    );
  });

  test("let nothing but DecodeError out, whatever the bytes", () => {
    expectOnlyErrors(DecodeError, fc.uint8Array({ maxLength: 200 }), (input) => readEverything(new Cursor(input)));
  });

  test("are refused where bytes are missing, before anything is allocated for them", () => {
    refuse((cursor) => cursor.fixedU64(), [1, 2, 3], "8 bytes wanted, 3 left");
    refuse(readString, [3, 0x61], "3 bytes wanted, 1 left");
    refuse((cursor) => readVector(cursor, (item) => item.u8()), [0xff, 0xff, 0xff, 0xff, 0x07, 1], "");
    refuse(readString, [0x80, 0x80, 0x80, 0x80, 0x04], "1073741824 bytes wanted, 0 left");
    refuse(readPage, [0xff, 0xff, 0xff, 0xff, 0x0f], "");
  });

  test("have no endless length, and none but the shortest", () => {
    refuse(readString, new Array<number>(65_535).fill(0xff), "not in its shortest form");
    refuse(readString, [0x80, 0x00], "not in its shortest form");
    refuse(readString, [0xff, 0xff, 0xff, 0xff, 0x1f], "at most 4294967295 is allowed");
  });

  test("are read no further than the view that is given", () => {
    const view = Uint8Array.of(5, 0x61, 0x62, 0x63, 0x64, 0x65).subarray(0, 3);
    expect(() => readString(new Cursor(view))).toThrow("5 bytes wanted, 2 left");
    expect(new Cursor(Uint8Array.of(9, 1, 0, 0, 0, 0, 0, 0, 0).subarray(1)).fixedU64()).toBe(1n);
  });

  test("want the keys of a map in order, none twice", () => {
    expect([...readPage(new Cursor(Uint8Array.of(2, 1, 0x61, 0, 1, 0x62, 0))).keys()]).toEqual(["a", "b"]);
    refuse(readPage, [2, 1, 0x62, 0, 1, 0x61, 0], "the keys of a map are out of order");
    refuse(readPage, [2, 1, 0x61, 0, 1, 0x61, 0], "the keys of a map are out of order");
  });

  test("want texts in UTF-8, with their byte order mark if there is one", () => {
    refuse(readString, [2, 0xc3, 0x28], "the text is not UTF-8");
    for (const text of ["\ufeffé", `${"x".repeat(70_000)}é`])
      expect(readString(new Cursor(bcs.string().serialize(text).toBytes()))).toBe(text);
  });
});
