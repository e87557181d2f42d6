import { createHash } from "node:crypto";
import { createReadStream, createWriteStream, rmSync, statSync } from "node:fs";
import { open } from "node:fs/promises";
import { pipeline as connect, type Readable, Writable } from "node:stream";
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
  const params = { [constants.ZSTD_c_compressionLevel]: LEVEL, [constants.ZSTD_c_checksumFlag]: 1 };
  const counted = countBytes(from);
  await pipeline(createReadStream(from), counted.pass, createZstdCompress({ params }), createWriteStream(to));
  return counted.digest();
}

/**
 * Reads a file's plain bytes, packed or not, once through; with `to` into another file. @throws StoreError `MOVEDEX_STORE_DAMAGED` when it
 * cannot be unpacked, or holds more than `limit` plain bytes
 */
export async function readPlain(from: string, { to, limit }: { readonly to?: string; readonly limit?: number } = {}): Promise<FileDigest> {
  const counted = countBytes(from, limit);
  const target = to === undefined ? new Writable({ write: (_chunk, _encoding, done) => done() }) : createWriteStream(to);
  try {
    await pipeline(await plainBytes(from), counted.pass, target);
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (code.startsWith("ZSTD_") || code.startsWith("Z_")) throw damaged(from, `it cannot be unpacked (${code})`, error);
    throw error;
  }
  return counted.digest();
}

async function plainBytes(path: string): Promise<Readable> {
  await using file = await open(path, "r");
  const { buffer, bytesRead } = await file.read(Buffer.alloc(ZSTD_MAGIC.length), 0, ZSTD_MAGIC.length, 0);
  const isPacked = ZSTD_MAGIC.equals(buffer.subarray(0, bytesRead));
  // Its failures are those of the stream that it ends in.
  return isPacked ? connect(createReadStream(path), createZstdDecompress(), () => {}) : createReadStream(path);
}

function countBytes(path: string, limit = Number.POSITIVE_INFINITY) {
  const hash = createHash("sha256");
  let bytes = 0;
  return {
    pass: async function* (chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
      for await (const chunk of chunks) {
        bytes += chunk.length;
        if (bytes > limit) throw damaged(path, `it holds more than the ${limit} bytes that its header states`);
        hash.update(chunk);
        yield chunk;
      }
    },
    digest: (): FileDigest => ({ bytes, sha256: hash.digest("hex") }),
  };
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
  let start = Buffer.alloc(0);
  try {
    for await (const chunk of await plainBytes(path)) {
      start = Buffer.concat([start, chunk as Buffer]);
      if (start.length >= HEADER_BYTES) break;
    }
  } catch (error) {
    // Not a compressed file after all, or a truncated one: reading the whole file reports it.
    if ((error as NodeJS.ErrnoException).syscall !== undefined) throw error;
  }
  if (start.length < HEADER_BYTES || !start.subarray(0, DATABASE_MAGIC.length).equals(DATABASE_MAGIC)) return undefined;
  const pageBytes = start.readUInt16BE(16);
  return {
    isOurs: BigInt(start.readUInt32BE(68)) === APPLICATION_ID,
    isLogged: start.readUInt8(18) === 2,
    bytes: (pageBytes === 1 ? 65_536 : pageBytes) * start.readUInt32BE(28),
  };
}

/** Does a piece of work on files and throws the system's failures as `StoreError`, by their code; other errors come through as they are. */
export async function guardedFiles<T>(path: string, wanted: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw fileError(path, wanted, error);
  }
}

/** The same where copies are made beside their place: they and what SQLite makes beside them are gone afterwards, a killed run's too. */
export async function withParts<T>(parts: readonly string[], path: string, wanted: string, work: () => Promise<T>): Promise<T> {
  const clear = () => {
    for (const part of parts) for (const suffix of ["", "-journal", "-wal", "-shm"]) rmSync(part + suffix, { force: true });
  };
  return guardedFiles(path, wanted, async () => {
    clear();
    return await work().finally(clear);
  });
}
