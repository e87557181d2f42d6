import { readFileSync } from "node:fs";
import { zstdDecompressSync } from "node:zlib";
import { parquetReadObjects } from "hyparquet";
import type { TableFormat } from "../../../src/capabilities/export/tables/row-writer.ts";
import type { Table } from "../../../src/capabilities/export/tables/table.ts";
import type { Cell } from "../../../src/core/base/cell.ts";

type Cells = Readonly<Record<string, unknown>>;

/** The rows of a file that an export wrote, read by others' code; u64 as text, booleans as 1 or 0, times in milliseconds. */
export async function readTable(path: string, format: Exclude<TableFormat, "csv">, { columns }: Table): Promise<Cell[][]> {
  const rows: readonly Cells[] = format === "parquet" ? await readParquet(path) : readJsonl(path);
  return rows.map((row) => columns.map(({ name, type }) => cellOf(row[name], type)));
}

async function readParquet(path: string): Promise<Cells[]> {
  const file = readFileSync(path);
  const compressors = { ZSTD: (input: Uint8Array) => new Uint8Array(zstdDecompressSync(input)) };
  // Times as they are stored: a Date has fewer.
  const parsers = { timestampFromMilliseconds: (ms: bigint) => ms };
  const buffer = file.buffer.slice(file.byteOffset, file.byteOffset + file.byteLength) as ArrayBuffer;
  return (await parquetReadObjects({ file: buffer, compressors, parsers, utf8: false } as never)) as Cells[];
}

function readJsonl(path: string): Cells[] {
  const text = readFileSync(path, "utf8");
  return text === ""
    ? []
    : text
        .replace(/\n$/, "")
        .split("\n")
        .map((line) => JSON.parse(line) as Cells);
}

function cellOf(value: unknown, type: Table["columns"][number]["type"]): Cell {
  if (value === null || value === undefined) return null;
  if (type === "text") return value as string;
  if (type === "time" && typeof value === "string" && value.endsWith("Z")) return BigInt(Date.parse(value));
  const whole = BigInt(value as string | number | bigint | boolean);
  return type === "u64" ? whole.toString() : whole;
}
