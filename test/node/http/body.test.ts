import { randomBytes } from "node:crypto";
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { equalBytes } from "../../../src/core/base/bytes.ts";
import { decompressBody } from "../../../src/core/node/http/body.ts";
import { AnswerFault } from "../../../src/core/node/protocol/node-error.ts";
import { holdsFor } from "../../support/property/law.ts";

const packers = { gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync, zstd: zstdCompressSync };
const codings = Object.entries(packers);
const small = Buffer.from("a module's bytes, or so ".repeat(20));
const large = randomBytes(300_000);

function faultOf(...asked: Parameters<typeof decompressBody>): unknown {
  try {
    decompressBody(...asked);
    return undefined;
  } catch (error) {
    return error;
  }
}

describe("decompressBody", () => {
  test.each(codings)("%s: small and large bodies", (coding, pack) => {
    for (const body of [small, large, Buffer.alloc(3e6)]) {
      expect(equalBytes(decompressBody(pack(body), coding.toUpperCase(), 4e6), body)).toBe(true);
    }
  });

  test.each(codings)("%s: bodies of any size and content", async (coding, pack) => {
    const runs = fc.array(fc.tuple(fc.nat(255), fc.integer({ min: 1, max: 30_000 })), { maxLength: 8 });
    await holdsFor(40, [runs], (lengths) => {
      const body = Buffer.concat(lengths.map(([byte, length]) => Buffer.alloc(length, byte)));
      expect(equalBytes(decompressBody(pack(body), coding, 1e6), body)).toBe(true);
    });
  });

  test.each(codings)("%s: more than the limit is too large, of whatever size it was packed", (coding, pack) => {
    for (const body of [small, large, Buffer.alloc(5e6)]) {
      expect(faultOf(pack(body), coding, body.length - 1)).toMatchObject({ kind: "too_large" });
      expect(decompressBody(pack(body), coding, body.length)).toHaveLength(body.length);
    }
  });

  test.each(codings)("%s: a body cut anywhere is never taken for whole", (coding, pack) => {
    const packed = pack(small);
    for (let length = 1; length < packed.length; length++) {
      expect(faultOf(packed.subarray(0, length), coding, 1e6), `${length} of ${packed.length} bytes`).toBeInstanceOf(AnswerFault);
    }
    const cut = pack(large).subarray(0, 200_000);
    expect(faultOf(cut, coding, 1e6)).toMatchObject({ kind: "cut" });
  });

  test.each(codings)("%s: any bytes give a body or a fault", async (coding) => {
    await holdsFor(100, [fc.uint8Array({ maxLength: 200 })], (bytes) => {
      const outcome = faultOf(bytes, coding, 1e5);
      expect(outcome === undefined || outcome instanceof AnswerFault).toBe(true);
    });
  });

  test("what is not packed comes back as it is", () => {
    expect(decompressBody(small, undefined, 10)).toBe(small);
    expect(decompressBody(small, "identity", 10)).toBe(small);
  });

  test("two layers are unpacked in the right order, three and unknown ones are refused", () => {
    expect(Buffer.from(decompressBody(brotliCompressSync(gzipSync(small)), "gzip, br", 1e6))).toEqual(small);
    expect(faultOf(small, "gzip, gzip, gzip", 1e6)).toMatchObject({ kind: "bad_answer" });
    expect(faultOf(small, "compress", 1e6)).toMatchObject({ kind: "bad_answer" });
  });
});
