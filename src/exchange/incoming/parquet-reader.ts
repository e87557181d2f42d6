import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { zstdDecompressSync } from "node:zlib";
import { type AsyncBuffer, type FileMetaData, parquetMetadataAsync, parquetReadObjects } from "hyparquet";
import { ExchangeError } from "../exchange-error.ts";
import type { Table, Value } from "../tables/table.ts";
import { toRow } from "./incoming-row.ts";
import { checkGroup, checkMetadata } from "./parquet-check.ts";
import { checkThrift } from "./thrift-check.ts";

/** Bytes of a footer: some hundred for each column of 10,000 rows. */
const FOOTER_BYTES_MAX = 32 * 1024 * 1024;

/** The rows of a Parquet file in pieces of a row group each. @throws ExchangeError `MOVEDEX_IMPORT_DAMAGED` */
export async function* readParquet(path: string, table: Table): AsyncGenerator<Value[][]> {
  const descriptor = openSync(path, "r");
  try {
    const file = bufferOf(descriptor);
    const metadata = await asDamage(path, () => readMetadata(file));
    let rowStart = 0;
    for (const [i, { num_rows }] of metadata.row_groups.entries()) {
      const rowEnd = rowStart + Number(num_rows);
      const rows = await asDamage(path, async () => {
        checkGroup((start, end) => new Uint8Array(file.slice(start, end)), metadata, i, unpack);
        return readGroup(file, metadata, rowStart, rowEnd);
      });
      yield rows.map((row) => toRow(row, table, path));
      rowStart = rowEnd;
    }
  } finally {
    closeSync(descriptor);
  }
}

function readGroup(file: FileBuffer, metadata: FileMetaData, rowStart: number, rowEnd: number): Promise<Record<string, unknown>[]> {
  return parquetReadObjects({ file, metadata, rowStart, rowEnd, compressors: { ZSTD: unpack }, parsers, utf8: false, geoparquet: false });
}

/** The footer, checked before the library follows it. Its length and `PAR1` are the last eight bytes. */
async function readMetadata(file: FileBuffer): Promise<FileMetaData> {
  const { byteLength } = file;
  if (byteLength < 12) throw new Error("it is too short");
  const length = new DataView(file.slice(byteLength - 8)).getUint32(0, true);
  if (length > Math.min(byteLength - 8, FOOTER_BYTES_MAX)) throw new Error(`a footer of ${length} bytes`);
  checkThrift(new Uint8Array(file.slice(byteLength - 8 - length, byteLength - 8)), 0);
  const metadata = await parquetMetadataAsync(file);
  checkMetadata(metadata);
  return metadata;
}

// A Date does not hold every INT64.
const parsers = { timestampFromMilliseconds: (ms: bigint): bigint => ms };

function unpack(packed: Uint8Array, length: number): Uint8Array {
  return zstdDecompressSync(packed, { maxOutputLength: Math.max(length, 1) });
}

type FileBuffer = Omit<AsyncBuffer, "slice"> & { readonly slice: (start: number, end?: number) => ArrayBuffer };

function bufferOf(descriptor: number): FileBuffer {
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
