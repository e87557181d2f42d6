import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { pipeline } from "node:stream";
import { createZstdDecompress } from "node:zlib";
import { APPLICATION_ID } from "../ownership.ts";
import { isCompressed } from "./backup-compression.ts";

/** What the first 100 bytes of an SQLite file say (sqlite.org/fileformat2.html, section 1.3). */
export type DatabaseHeader = {
  readonly isOurs: boolean;
  /** Whether the file is kept with a write-ahead log, as a database in use is and a backup is not. */
  readonly isLogged: boolean;
  /** The size of the whole file. */
  readonly bytes: number;
};

const MAGIC = "SQLite format 3\0";
const HEADER_BYTES = 100;

/** Reads the header of a database or of a packed backup; undefined when the file is neither. */
export async function readHeader(path: string): Promise<DatabaseHeader | undefined> {
  const bytes = await readStart(path);
  if (bytes.length < HEADER_BYTES || bytes.toString("latin1", 0, MAGIC.length) !== MAGIC) return undefined;
  const pageBytes = bytes.readUInt16BE(16);
  return {
    isOurs: BigInt(bytes.readUInt32BE(68)) === APPLICATION_ID,
    isLogged: bytes.readUInt8(18) === 2,
    bytes: (pageBytes === 1 ? 65_536 : pageBytes) * bytes.readUInt32BE(28),
  };
}

/** Whether a file begins as SQLite's do, whatever program made it. */
export async function isDatabaseFile(path: string): Promise<boolean> {
  await using file = await open(path, "r");
  const { buffer, bytesRead } = await file.read(Buffer.alloc(MAGIC.length), 0, MAGIC.length, 0);
  return buffer.toString("latin1", 0, bytesRead) === MAGIC;
}

async function readStart(path: string): Promise<Buffer> {
  const packed = await isCompressed(path);
  const file = createReadStream(path, packed ? {} : { end: HEADER_BYTES - 1 });
  const plain = packed ? pipeline(file, createZstdDecompress(), () => {}) : file;
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
