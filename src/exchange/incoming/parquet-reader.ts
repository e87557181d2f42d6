import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { zstdDecompressSync } from "node:zlib";
import { type AsyncBuffer, type FileMetaData, parquetMetadataAsync, parquetReadObjects } from "hyparquet";
import { ExchangeError } from "../exchange-error.ts";
import type { Table, Value } from "../tables/table.ts";
import { toRow } from "./incoming-row.ts";

/** A row group may claim so many bytes at most: what is read at a time has to fit into memory. */
const GROUP_BYTES_MAX = 512 * 1024 * 1024;

/** The rows of a Parquet file in pieces of a row group each. @throws ExchangeError `MOVEDEX_IMPORT_DAMAGED` */
export async function* readParquet(path: string, table: Table): AsyncGenerator<Value[][]> {
  const descriptor = openSync(path, "r");
  try {
    const file = bufferOf(descriptor);
    const metadata = await asDamage(path, () => parquetMetadataAsync(file));
    let rowStart = 0;
    for (const { num_rows, total_byte_size } of metadata.row_groups) {
      if (total_byte_size > GROUP_BYTES_MAX)
        throw damaged(path, `a row group of ${total_byte_size} bytes is more than can be read at once`);
      const rowEnd = rowStart + Number(num_rows);
      const rows = await asDamage(path, () => readGroup(file, metadata, rowStart, rowEnd));
      yield rows.map((row) => toRow(row, table, path));
      rowStart = rowEnd;
    }
  } finally {
    closeSync(descriptor);
  }
}

function readGroup(file: AsyncBuffer, metadata: FileMetaData, rowStart: number, rowEnd: number): Promise<Record<string, unknown>[]> {
  const compressors = { ZSTD: (input: Uint8Array, length: number) => zstdDecompressSync(input, { maxOutputLength: Math.max(length, 1) }) };
  return parquetReadObjects({ file, metadata, rowStart, rowEnd, compressors, utf8: false, geoparquet: false });
}

function bufferOf(descriptor: number): AsyncBuffer {
  const { size } = fstatSync(descriptor);
  return {
    byteLength: size,
    slice: (start, end = size) => {
      const bytes = new Uint8Array(Math.max(0, Math.min(end, size) - start));
      for (let at = 0; at < bytes.length; ) {
        const read = readSync(descriptor, bytes, at, bytes.length - at, start + at);
        if (read === 0) break;
        at += read;
      }
      return bytes.buffer;
    },
  };
}

/** Whatever the library makes of bytes that are no Parquet, the file is to blame. */
async function asDamage<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw damaged(path, (error as Error).message, error);
  }
}

function damaged(path: string, why: string, cause?: unknown): ExchangeError {
  return new ExchangeError("MOVEDEX_IMPORT_DAMAGED", `\`${path}\` cannot be read as Parquet: ${why}. Nothing was imported.`, {
    facts: { path },
    cause,
  });
}
