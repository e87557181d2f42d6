import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ByteSink } from "../../../sim/module-writer/module-encoder.ts";
import { Cursor } from "../../../src/move/module/cursor.ts";

const MAX = 0xffff_ffff;

describe("Cursor", () => {
  test("reads back every number that base 128 holds", () => {
    fc.assert(
      fc.property(fc.nat(MAX), (number) => {
        const cursor = new Cursor(new ByteSink().uleb(number).u8(7).done());
        expect(cursor.uleb(MAX)).toBe(number);
        expect(cursor.u8()).toBe(7);
        expect(cursor.more).toBe(false);
      }),
    );
  });

  test.each([
    [[0x80, 0x00]],
    [[0xff, 0x80, 0x00]],
    [[0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x02]],
    [[0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01]],
  ])("refuses %j, which is longer than need be or than 64 bits", (bytes) => {
    const refused = expect.objectContaining({ code: "MOVEDEX_DECODE_MALFORMED", offset: 0 });
    expect(() => new Cursor(Uint8Array.from(bytes)).uleb(MAX)).toThrow(refused);
    expect(() => new Cursor(Uint8Array.from(bytes)).skipU64()).toThrow(refused);
  });

  test("steps over a number of 64 bits", () => {
    const cursor = new Cursor(new ByteSink().uleb(2n ** 64n - 1n).done());
    cursor.skipU64();
    expect(cursor.more).toBe(false);
  });

  test("stays in its stretch and says where it stood, from the first byte", () => {
    const cursor = new Cursor(Uint8Array.of(1, 2, 3, 4), 1, 3);
    expect([cursor.u8(), cursor.skip(1), cursor.more]).toEqual([2, 2, false]);
    for (const read of [() => cursor.u8(), () => cursor.uleb(9), () => cursor.skip(1), () => cursor.u16(), () => cursor.skipU64()]) {
      expect(read).toThrow(expect.objectContaining({ code: "MOVEDEX_DECODE_MALFORMED", offset: 3 }));
    }
  });
});
