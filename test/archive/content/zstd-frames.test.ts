import { constants, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { packSmall, SMALL_BYTES, unpackSmall } from "../../../src/archive/content/zstd-frames.ts";

/** Some that shrink and some that do not, up to the bound. */
const code = fc.oneof(
  fc.uint8Array({ minLength: 1, maxLength: 200 }),
  fc.uint8Array({ minLength: 200, maxLength: 5_000 }),
  fc
    .tuple(fc.uint8Array({ minLength: 1, maxLength: 40 }), fc.integer({ min: 1, max: SMALL_BYTES }))
    .map(([piece, length]) => Uint8Array.from({ length }, (_, i) => (piece[i % piece.length] as number) ^ (i >> 11))),
);
const runs = { numRuns: 200 };
const ownParams = {
  [constants.ZSTD_c_compressionLevel]: 3,
  [constants.ZSTD_c_windowLog]: 16,
  [constants.ZSTD_c_hashLog]: 13,
  [constants.ZSTD_c_chainLog]: 13,
};

const expectSame = (found: Uint8Array | undefined, wanted: Uint8Array) => expect(Buffer.compare(found as Uint8Array, wanted)).toBe(0);

describe("frames of a kept stream", () => {
  test("are those that zlib makes with a stream of its own, whatever came before", () => {
    fc.assert(
      fc.property(code, (bytes) => {
        const frame = packSmall(bytes);
        expectSame(frame, zstdCompressSync(bytes, { params: ownParams }));
        for (const plain of [zstdDecompressSync(frame), unpackSmall(frame, bytes.length)]) expectSame(plain, bytes);
      }),
      runs,
    );
  });

  test("stay what they are when the next ones are made", () => {
    fc.assert(
      fc.property(fc.array(code, { minLength: 2, maxLength: 8 }), (all) => {
        const frames = all.map((bytes) => packSmall(bytes));
        const plain = frames.map((frame, i) => unpackSmall(frame, all[i]?.length as number));
        for (const [i, bytes] of all.entries()) expectSame(plain[i], bytes);
      }),
      runs,
    );
  });

  test("of the largest size go in and out", () => {
    for (const length of [1, 2, SMALL_BYTES - 1, SMALL_BYTES]) {
      const bytes = Uint8Array.from({ length }, (_, i) => (i * i) >> 3);
      expectSame(unpackSmall(packSmall(bytes), length), bytes);
    }
  });

  test("that are damaged are read as by zlib or not at all, and the next one is read right", () => {
    const damage = fc.oneof(
      fc.nat().map((at) => (frame: Buffer) => frame.subarray(0, at % frame.length)),
      fc.tuple(fc.nat(), fc.integer({ min: 1, max: 255 })).map(([at, bits]) => (frame: Buffer) => {
        const other = Buffer.from(frame);
        other[at % other.length] = (other[at % other.length] as number) ^ bits;
        return other;
      }),
      fc.uint8Array({ minLength: 1, maxLength: 20 }).map((more) => (frame: Buffer) => Buffer.concat([frame, more])),
    );
    let refused = 0;
    fc.assert(
      fc.property(code, code, damage, (bytes, next, spoil) => {
        const spoiled = spoil(Buffer.from(packSmall(bytes)));
        const read = unpackSmall(spoiled, bytes.length);
        if (read === undefined) refused++;
        else expectSame(read, zstdDecompressSync(spoiled));
        expectSame(unpackSmall(packSmall(next), next.length), next);
      }),
      { numRuns: 1_000 },
    );
    expect(refused).toBeGreaterThan(100);
  });

  test("that want more memory than any that is written are left to zlib", () => {
    const bytes = Uint8Array.from({ length: 3_000 }, (_, i) => i >> 4);
    // RFC 8878: magic, no content size, a window of 2^24 bytes, then one raw block, the last.
    const block = Buffer.alloc(3);
    block.writeUIntLE(bytes.length * 8 + 1, 0, 3);
    const frame = Buffer.concat([Buffer.from("28b52ffd0070", "hex"), block, bytes]);
    expectSame(zstdDecompressSync(frame), bytes);
    expect(unpackSmall(frame, bytes.length)).toBeUndefined();
    expectSame(unpackSmall(packSmall(bytes), bytes.length), bytes);
  });

  test("that grow beyond their size are cut off", () => {
    const frame = zstdCompressSync(Buffer.alloc(50_000_000));
    expect(unpackSmall(frame, 4_000)).toBeUndefined();
    expect(unpackSmall(packSmall(Uint8Array.of(1, 2)), 2)).toHaveLength(2);
  });
});
