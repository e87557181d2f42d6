import { createHash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { open } from "node:fs/promises";
import { Transform, Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { constants, createZstdCompress, createZstdDecompress } from "node:zlib";
import { formatHex } from "../../../base/bytes.ts";
import { printable } from "../../../base/printable.ts";
import { placeError, type StoreError } from "../../errors.ts";

/** The first bytes of a Zstandard frame (RFC 8878, section 3.1.1). */
const ZSTD_MAGIC = "28b52ffd";

/** Most of the gain of the highest levels, at tens of megabytes a second. */
const LEVEL = 9;

/** How many plain bytes passed, and their SHA-256 as 64 hex digits. */
export type FileDigest = { readonly bytes: number; readonly sha256: string };

/** Whether a file begins as a Zstandard frame does. */
export async function isCompressed(path: string): Promise<boolean> {
  await using file = await open(path, "r");
  const { buffer, bytesRead } = await file.read(Buffer.alloc(4), 0, 4, 0);
  return bytesRead === 4 && formatHex(buffer) === ZSTD_MAGIC;
}

/** Packs a file into another, with a checksum inside. */
export async function compressFile(from: string, to: string): Promise<FileDigest> {
  const passed = countBytes(Number.POSITIVE_INFINITY, from);
  const params = { [constants.ZSTD_c_compressionLevel]: LEVEL, [constants.ZSTD_c_checksumFlag]: 1 };
  await pipeline(createReadStream(from), passed.stream, createZstdCompress({ params }), createWriteStream(to));
  return passed.result();
}

/**
 * Unpacks a file into another, or copies a plain one. @throws StoreError `MOVEDEX_STORE_DAMAGED` when it cannot be unpacked, or holds more
 * than `limit` plain bytes
 */
export async function decompressFile(from: string, to: string, limit: number): Promise<FileDigest> {
  return readPlain(from, createWriteStream(to), limit);
}

/** Reads a file's plain bytes through, once. @throws StoreError `MOVEDEX_STORE_DAMAGED` as for `decompressFile` */
export async function digestContent(path: string, limit: number): Promise<FileDigest> {
  return readPlain(path, new Writable({ write: (_chunk, _encoding, done) => done() }), limit);
}

async function readPlain(from: string, to: NodeJS.WritableStream, limit: number): Promise<FileDigest> {
  const passed = countBytes(limit, from);
  try {
    if (await isCompressed(from)) await pipeline(createReadStream(from), createZstdDecompress(), passed.stream, to);
    else await pipeline(createReadStream(from), passed.stream, to);
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (code.startsWith("ZSTD_") || code.startsWith("Z_")) throw damaged(from, `it cannot be unpacked (${code})`, error);
    throw error;
  }
  return passed.result();
}

function countBytes(limit: number, path: string): { readonly stream: Transform; readonly result: () => FileDigest } {
  const hash = createHash("sha256");
  let bytes = 0;
  const stream = new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      bytes += chunk.length;
      if (bytes > limit) return done(damaged(path, `it holds more than the ${limit} bytes that its header states`));
      hash.update(chunk);
      done(null, chunk);
    },
  });
  return { stream, result: () => ({ bytes, sha256: hash.digest("hex") }) };
}

function damaged(path: string, found: string, cause?: unknown): StoreError {
  return placeError(path, "MOVEDEX_STORE_DAMAGED", `the file \`${printable(path)}\` is damaged: ${found}.`, {}, cause);
}
