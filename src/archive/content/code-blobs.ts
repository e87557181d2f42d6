import { constants, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { formatHex } from "../../base/hex.ts";
import { StoreError } from "../../engine/errors.ts";
import { packSmall, SMALL_BYTES, unpackSmall } from "./zstd-frames.ts";

/** Bytecode that another's bytes are packed with, named by the SHA-256 of its plain bytes. */
export type Base = { readonly sha256: Uint8Array; readonly code: Uint8Array };

/** First byte of what is packed with a base; its SHA-256 follows, then the frame. A frame alone begins with zstd's magic, 0x28. */
export const WITH_BASE = Uint8Array.of(1);
const DIGEST_BYTES = 32;

/** The level of a bytecode that is packed alone. Higher levels save 2 % and take twice the time of a crawl. */
const ALONE = { [constants.ZSTD_c_compressionLevel]: 3 };

/** The level of an upgrade, which is rare and becomes a fraction of its size. */
const BESIDE = { [constants.ZSTD_c_compressionLevel]: 15 };

/** Of a buffer that is unpacked into; zlib takes none smaller. */
const PIECE_BYTES_MIN = 64;
const PIECE_BYTES_MAX = 64 * 1024;

/**
 * The largest share of the size that may remain when a module is packed with a base. Above it the module has changed so much that
 * it is the better base itself. Of the shares tried, this one gave the smallest file of the recorded releases.
 */
const MAX_SIZE_WITH_BASE = 0.42;

/**
 * Packs bytecode as a zstd frame. Where that is much smaller, the dictionary of the frame is an older version of the module, since
 * an upgrade repeats most of it. A base has no base itself: reading unpacks at most two frames.
 */
export function packCode(code: Uint8Array, base: Base | undefined, alone: Uint8Array = packAlone(code)): Uint8Array {
  if (base === undefined) return alone;
  const frame = zstdCompressSync(code, { params: BESIDE, dictionary: base.code });
  if (frame.length + DIGEST_BYTES + 1 > alone.length * MAX_SIZE_WITH_BASE) return alone;
  return Buffer.concat([WITH_BASE, base.sha256, frame]);
}

export function packAlone(code: Uint8Array): Uint8Array {
  return code.length <= SMALL_BYTES ? packSmall(code) : zstdCompressSync(code, { params: ALONE });
}

/** A bytecode as it is stored, as far as its bytes are concerned. */
export type PackedCode = { readonly sha256: Uint8Array; readonly size: number; readonly code: Uint8Array };

/**
 * The plain bytes of a row; `base` is the row that its dictionary's digest names, undefined when there is none.
 * @throws StoreError `MOVEDEX_STORE_DAMAGED`
 */
export function unpackCode(row: PackedCode, base: PackedCode | undefined): Uint8Array {
  if (baseName(row.code) === undefined) return unpack(row, row.code, undefined);
  if (base === undefined) throw damagedCode(row.sha256);
  return unpack(row, row.code.subarray(1 + DIGEST_BYTES), unpack(base, base.code, undefined));
}

/** The SHA-256 of the bytes that a stored bytecode is packed with; undefined where it stands alone. */
export function baseName(blob: Uint8Array): Uint8Array | undefined {
  return blob[0] === WITH_BASE[0] ? blob.subarray(1, 1 + DIGEST_BYTES) : undefined;
}

function unpack(row: PackedCode, frame: Uint8Array, dictionary: Uint8Array | undefined): Uint8Array {
  const isSmall = dictionary === undefined && row.size > 0 && row.size <= SMALL_BYTES;
  const small = isSmall ? unpackSmall(frame, row.size) : undefined;
  if (small !== undefined) return new Uint8Array(small);
  const maxOutputLength = Math.max(row.size, 1);
  // The output fits into one chunk, so that zlib need not join chunks.
  const bound = { maxOutputLength, chunkSize: Math.min(Math.max(row.size, PIECE_BYTES_MIN), PIECE_BYTES_MAX) };
  try {
    return new Uint8Array(zstdDecompressSync(frame, dictionary === undefined ? bound : { ...bound, dictionary }));
  } catch (error) {
    throw damagedCode(row.sha256, error);
  }
}

/** What to say of stored bytecode that cannot be unpacked. */
export function damagedCode(sha256: Uint8Array, cause?: unknown): StoreError {
  const digest = formatHex(sha256);
  return new StoreError(
    "MOVEDEX_STORE_DAMAGED",
    `the stored bytecode ${digest} cannot be unpacked: the database is damaged. Restore a copy.`,
    {
      facts: { sha256: digest },
      cause,
    },
  );
}
