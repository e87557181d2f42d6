import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import type { SchemaElement } from "hyparquet";
import { pathError } from "../exchange-error.ts";
import { ParquetFault } from "../parquet/parquet-fault.ts";
import { compressors, type ParquetFile, readRowGroups } from "../parquet/row-groups.ts";
import type { Table, Value } from "../tables/table.ts";
import { toRow } from "./incoming-row.ts";

/** movedex writes 10,000 rows in a row group at most, and ends one at 4 MiB unless one row is larger. */
const limits = { choose: allColumns, rowsMax: 100_000, bytesMax: 256 * 1024 * 1024, compressors: { ZSTD: compressors.ZSTD } };

/** The rows of a Parquet file that movedex wrote, in pieces of a row group each. @throws ExchangeError `MOVEDEX_IMPORT_DAMAGED` */
export async function* readParquet(path: string, table: Table): AsyncGenerator<Value[][]> {
  const descriptor = openSync(path, "r");
  const groups = readRowGroups(fileOf(descriptor), limits);
  try {
    for (;;) {
      // Whatever the library makes of bytes that are no Parquet, the file is to blame.
      const next = await groups.next().catch((error: Error) => {
        const text = `\`${path}\` cannot be read as Parquet: ${error.message}. Nothing was imported.`;
        throw pathError(path, "MOVEDEX_IMPORT_DAMAGED", text, {}, error);
      });
      if (next.done === true) return;
      yield next.value.map((row) => toRow(row, table, path));
    }
  } finally {
    closeSync(descriptor);
  }
}

/** All columns: texts, bytes, 64-bit integers, times in milliseconds and booleans. */
function allColumns(columns: readonly SchemaElement[]): readonly string[] {
  const strange = columns.find(
    ({ type, converted_type, logical_type }) =>
      type === "FIXED_LEN_BYTE_ARRAY" ||
      converted_type === "TIMESTAMP_MICROS" ||
      (logical_type?.type === "TIMESTAMP" && logical_type.unit !== "MILLIS"),
  );
  if (strange !== undefined) throw new ParquetFault(`column \`${strange.name}\` is of a kind that movedex does not write`);
  return columns.map(({ name }) => name);
}

function fileOf(descriptor: number): ParquetFile {
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
