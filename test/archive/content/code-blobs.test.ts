import { randomBytes } from "node:crypto";
import { constants, zstdCompressSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { sha256 } from "../../../src/core/base/sha256.ts";
import { type CodeCells, packCode, unpackVersion, type Version } from "../../../src/core/db/archive/content/code-blobs.ts";
import { holdsFor } from "../../support/property/law.ts";
import { changeFile, rowsOf, valuesOf } from "../../support/store/ask-file.ts";
import { addressOf, night, storedCode, temporaryStore } from "../../support/store/temporary-store.ts";

const one = addressOf(1);
const body = randomBytes(5000);
const versions = [0, 1, 2].map((release) => Buffer.concat([body, Buffer.from(`release ${release}`)]));
const unlike = randomBytes(5000);

const holding = (code: Uint8Array) => ({
  sequence: null,
  modules: [{ name: "coin", sha256: sha256(code), content: { code, bytecodeVersion: null } }],
});

/** A store to which each night brought another version of a module. */
async function storeOf(codes: readonly Uint8Array[]) {
  const at = await temporaryStore();
  for (const [index, code] of codes.entries()) await night(at.engine, BigInt(index), [[one, holding(code)]]);
  return at;
}

/** A version as `packCode` leaves it. */
function versionOf(code: Uint8Array, older?: Version): Version {
  const packed = packCode(code, older);
  return { sha256: sha256(code), code, packedBytes: packed.code.length, base: packed.base };
}

function basesOf({ base }: Version): number {
  return base === undefined ? 0 : 1 + basesOf(base);
}

describe("packCode", () => {
  const first = versionOf(versions[0] as Buffer);

  test("is small where an older version is much the same, and alone where it is not", () => {
    expect(versionOf(versions[1] as Buffer, first)).toMatchObject({ base: first });
    expect(versionOf(versions[1] as Buffer, first).packedBytes).toBeLessThan(200);
    expect(packCode(unlike, first)).toEqual(packCode(unlike, undefined));
    const less = Buffer.concat([body.subarray(0, 1500), randomBytes(3500)]);
    expect(packCode(less, first)).toEqual(packCode(less, undefined));
    expect(packCode(Buffer.alloc(0), first)).toEqual(packCode(Buffer.alloc(0), undefined));
  });

  test("has at most twelve bases, each packed with the next", () => {
    let newest = first;
    for (let release = 1; release <= 15; release++) {
      const code = Buffer.from(newest.code);
      randomBytes(500).copy(code, (release * 500) % 4500);
      newest = versionOf(code, newest);
      expect(basesOf(newest)).toBe(Math.min(release, 12));
    }
  });
});

describe("unpackVersion", () => {
  test("gives back every version's bytes, and names what each is packed with", async () => {
    const all = [...versions, unlike, Buffer.alloc(0)];
    await using at = await storeOf(all);
    for (const code of all) expect(Buffer.from(storedCode(at.path, sha256(code)) as Uint8Array).equals(code)).toBe(true);
    const blobs = rowsOf(at.path, "SELECT base_id FROM _bytecode_blobs ORDER BY id");
    expect(blobs.slice(0, 4)).toMatchObject([{ base_id: null }, { base_id: 1 }, { base_id: 1 }, { base_id: null }]);
  });

  test("does so where at most a hundred modules are packed with one of their name at another account", async () => {
    const copies = Array.from({ length: 103 }, (_, i) => Buffer.concat([body, Buffer.from(`copy ${i}`)]));
    const all = [...copies.slice(0, 1), unlike, ...copies.slice(1)];
    await using at = await temporaryStore();
    await night(
      at.engine,
      1n,
      all.map((code, i) => [addressOf(i + 1), holding(code)]),
    );
    for (const code of all) expect(Buffer.from(storedCode(at.path, sha256(code)) as Uint8Array).equals(code)).toBe(true);
    expect(valuesOf(at.path, "SELECT count(*) FROM _bytecode_blobs GROUP BY base_id ORDER BY base_id")).toEqual([3, 100, 1]);
  });

  test.each([
    ["bytecodes are packed with each other", "base_id = 2"],
    ["bytes are others", "code = x'00'"],
  ])("says that the database is damaged where %s", async (_, damage) => {
    await using at = await storeOf(versions);
    await at.close();
    changeFile(at.path, `UPDATE _bytecode_blobs SET ${damage} WHERE id = 1`);
    const damaged = expect.objectContaining({ code: "MOVEDEX_STORE_DAMAGED", exit: "corrupt" });
    for (const code of versions) expect(() => storedCode(at.path, sha256(code))).toThrow(damaged);
  });

  const cells = (code: Uint8Array, size: number): CodeCells => [sha256(code), size, code, null];
  const unpack = (frame: Uint8Array, size: number) => Buffer.from(unpackVersion(cells(frame, size), () => undefined).code);
  const damaged = expect.objectContaining({ code: "MOVEDEX_STORE_DAMAGED" });

  test("reads what earlier revisions wrote with tables for small modules", () => {
    const { ZSTD_c_windowLog: window, ZSTD_c_hashLog: hash, ZSTD_c_chainLog: chain } = constants;
    const code = Buffer.concat([body, body]);
    const frame = zstdCompressSync(code, { params: { [constants.ZSTD_c_compressionLevel]: 3, [window]: 16, [hash]: 13, [chain]: 13 } });
    expect(unpack(frame, code.length).equals(code)).toBe(true);
  });

  test("gives the bytes of any frame, or says that it is damaged", async () => {
    const spoil = (frame: Uint8Array, at: number, bits: number): Uint8Array => {
      const other = Buffer.from(frame);
      other[at % other.length] = (other[at % other.length] as number) ^ bits;
      return bits % 5 === 0 ? other.subarray(0, at % other.length) : other;
    };
    await holdsFor(300, [fc.uint8Array({ maxLength: 5000 }), fc.nat(), fc.integer({ min: 1, max: 255 })], (code, at, bits) => {
      const frame = packCode(code, undefined).code;
      expect(unpack(frame, code.length).equals(code)).toBe(true);
      try {
        expect(unpack(spoil(frame, at, bits), code.length).length).toBeLessThanOrEqual(Math.max(code.length, 1));
      } catch (error) {
        expect(error).toEqual(damaged);
      }
    });
  });

  test("refuses a frame that grows beyond its size, and one that asks for more memory than any module takes", () => {
    expect(() => unpack(zstdCompressSync(Buffer.alloc(50_000_000)), 4000)).toThrow(damaged);
    // RFC 8878: magic, no content size, a window of 2^24 bytes, then one raw block, the last.
    const block = Buffer.alloc(3);
    block.writeUIntLE(body.length * 8 + 1, 0, 3);
    const frame = (window: string) => Buffer.concat([Buffer.from(`28b52ffd00${window}`, "hex"), block, body]);
    expect(unpack(frame("50"), body.length).equals(body)).toBe(true);
    expect(() => unpack(frame("70"), body.length)).toThrow(damaged);
  });
});
