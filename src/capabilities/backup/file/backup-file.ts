import { createHash } from "node:crypto";
import { createReadStream, createWriteStream, statSync } from "node:fs";
import { open } from "node:fs/promises";
import { pipeline as connect, Transform, Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { constants, createZstdCompress, createZstdDecompress } from "node:zlib";
import { DATABASE_MAGIC } from "../../../core/base/files.ts";
import { printable } from "../../../core/base/printable.ts";
import { placeError, type StoreError } from "../../../core/db/engine/errors.ts";
import { APPLICATION_ID } from "../../../core/db/engine/sqlite/open-file.ts";
import { fileError } from "../../../core/db/engine/sqlite/sqlite-errors.ts";

/** The first bytes of a Zstandard frame (RFC 8878, section 3.1.1). */
const ZSTD_MAGIC = Buffer.from("28b52ffd", "hex");

/** Most of the gain of the highest levels, at tens of megabytes a second. */
const LEVEL = 9;

/** How many plain bytes passed, and their SHA-256 as 64 hex digits. */
export type FileDigest = { readonly bytes: number; readonly sha256: string };

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
    if (await isPacked(from)) await pipeline(createReadStream(from), createZstdDecompress(), passed.stream, to);
    else await pipeline(createReadStream(from), passed.stream, to);
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (code.startsWith("ZSTD_") || code.startsWith("Z_")) throw damaged(from, `it cannot be unpacked (${code})`, error);
    throw error;
  }
  return passed.result();
}

async function isPacked(path: string): Promise<boolean> {
  await using file = await open(path, "r");
  const { buffer, bytesRead } = await file.read(Buffer.alloc(ZSTD_MAGIC.length), 0, ZSTD_MAGIC.length, 0);
  return ZSTD_MAGIC.equals(buffer.subarray(0, bytesRead));
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

/** What the first 100 bytes of an SQLite file say (sqlite.org/fileformat2.html, section 1.3). */
export type DatabaseHeader = {
  readonly isOurs: boolean;
  /** Whether the file is kept with a write-ahead log, as a database in use is and a backup is not. */
  readonly isLogged: boolean;
  readonly bytes: number;
};

const HEADER_BYTES = 100;

/** Reads the header of a database or of a packed backup; undefined when the file is neither. */
export async function readHeader(path: string): Promise<DatabaseHeader | undefined> {
  // A pipe might never say anything.
  if (!statSync(path).isFile()) return undefined;
  const bytes = await readStart(path);
  if (bytes.length < HEADER_BYTES || !bytes.subarray(0, DATABASE_MAGIC.length).equals(DATABASE_MAGIC)) return undefined;
  const pageBytes = bytes.readUInt16BE(16);
  return {
    isOurs: BigInt(bytes.readUInt32BE(68)) === APPLICATION_ID,
    isLogged: bytes.readUInt8(18) === 2,
    bytes: (pageBytes === 1 ? 65_536 : pageBytes) * bytes.readUInt32BE(28),
  };
}

async function readStart(path: string): Promise<Buffer> {
  const packed = await isPacked(path);
  const file = createReadStream(path, packed ? {} : { end: HEADER_BYTES - 1 });
  const plain = packed ? connect(file, createZstdDecompress(), () => {}) : file;
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of plain as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      length += chunk.length;
      if (length >= HEADER_BYTES) break;
    }
  } catch (error) {
    // Not a compressed file after all, or a truncated one: reading the whole file reports it.
    if ((error as NodeJS.ErrnoException).syscall !== undefined) throw error;
  } finally {
    file.destroy();
  }
  return Buffer.concat(chunks);
}

/** The error of one whose backup would take the place of something that is worth more. */
export function notReplaced(file: string, why: string): StoreError {
  const text = `\`${printable(file)}\` ${why}, and was left as it is. Name another file for the backup.`;
  return placeError(file, "MOVEDEX_STORE_PRESENT", text);
}

/** Does a piece of work on files and throws the system's failures as `StoreError`, by their code; other errors come through as they are. */
export async function guardedFiles<T>(path: string, wanted: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw fileError(path, wanted, error);
  }
}
