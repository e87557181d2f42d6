import { ByteWriter, ParquetWriter } from "hyparquet-writer";
import type { Cell } from "../../../core/base/cell.ts";
import { harmlessJson } from "../../../core/base/json.ts";
import { csvLine, csvText } from "../../../core/base/printable.ts";
import type { HashedFile } from "../drafts.ts";
import { type Cells, gather, physical, writeChunk } from "./column-chunk.ts";
import { type Column, cellsOf, formatTime, type RowWriter, type Table, toBoolean } from "./table.ts";

/** The formats of tables, and the ending of their files' names. */
export const tableFormats = { parquet: ".parquet", csv: ".csv", jsonl: ".jsonl" } as const;

export type TableFormat = keyof typeof tableFormats;

export function rowWriter(format: TableFormat, table: Table, file: HashedFile, createdBy: string): RowWriter {
  switch (format) {
    case "parquet":
      return parquetWriter(table, file, createdBy);
    case "csv":
      return csvWriter(table, file);
    case "jsonl":
      return jsonWriter(table, file);
  }
}

/** For spreadsheets and people: cells as in JSON, texts as `csvText` has them. */
function csvWriter({ columns }: Table, file: HashedFile): RowWriter {
  const cell = (value: Cell, column: Column): string | null => {
    const plain = jsonCell(value, column);
    if (typeof plain === "string" && column.type === "text") return csvText(plain);
    return plain === null ? null : String(plain);
  };
  file.write(csvLine(columns.map(({ name }) => name)));
  const cells = cellsOf(columns);
  const line = (row: readonly Cell[]) => csvLine(cells(row).map((value, i) => cell(value, columns[i] as Column)));
  return { rows: (rows) => file.write(rows.map(line).join("")), end: () => undefined };
}

function jsonWriter({ columns }: Table, file: HashedFile): RowWriter {
  const cells = cellsOf(columns);
  const line = (row: readonly Cell[]) => {
    const values = cells(row);
    return `${harmlessJson(Object.fromEntries(columns.map((column, i) => [column.name, jsonCell(values[i] ?? null, column)])))}\n`;
  };
  return { rows: (rows) => file.write(rows.map(line).join("")), end: () => undefined };
}

/** Integers that a double holds exactly are JSON numbers, larger ones and every u64 are text; times are ISO. */
function jsonCell(value: Cell, { type }: Column): string | number | boolean | null {
  if (value === null) return null;
  if (type === "boolean") return toBoolean(value);
  const whole = type === "time" ? formatTime(value) : (value as string | number | bigint);
  if (typeof whole !== "bigint") return whole;
  return type !== "u64" && Number.isSafeInteger(Number(whole)) ? Number(whole) : whole.toString();
}

/** A row group ends at this number of rows or about this number of bytes, whichever comes first: one group is in memory at a time. */
const ROWS_PER_GROUP = 10_000;
const BYTES_PER_GROUP = 4 * 1024 * 1024;
/** What the library gathers before it is handed on to the file. */
const BUFFER_BYTES = 1024 * 1024;

/**
 * Writes a table as Parquet, compressed with zstd. u64 columns are unsigned 64-bit integers, times are timestamps in UTC. The
 * file's key-value metadata has the meaning of the table under `meaning` and that of each column under `meaning:COLUMN`.
 */
function parquetWriter({ name, meaning, columns }: Table, file: HashedFile, createdBy: string): RowWriter {
  const writer = new FileWriter(file);
  const parquet = new ParquetWriter({
    writer,
    schema: [
      { name, num_children: columns.length },
      ...columns.map((column) => ({
        name: column.name,
        ...physical[column.type],
        repetition_type: "OPTIONAL" as const,
      })),
    ],
    createdBy,
    kvMetadata: [
      { key: "meaning", value: meaning },
      ...columns.map((column) => ({ key: `meaning:${column.name}`, value: column.meaning })),
    ],
  });
  const gathered = new Map(columns.map(({ source }) => [source.at, gather(source.at)]));
  let rows = 0;
  const writeGroup = (): void => {
    const start = writer.offset;
    const cells = new Map(Array.from(gathered, ([at, { cells }]) => [at, cells()]));
    const chunks = columns.map((column) => writeChunk(writer, column, cells.get(column.source.at) as Cells));
    parquet.num_rows += BigInt(rows);
    parquet.row_groups.push({
      columns: chunks,
      total_byte_size: chunks.reduce((sum, { meta_data }) => sum + (meta_data?.total_uncompressed_size ?? 0n), 0n),
      num_rows: BigInt(rows),
      total_compressed_size: BigInt(writer.offset - start),
    });
    writer.handOver();
    for (const { clear } of gathered.values()) clear();
    rows = 0;
  };
  return {
    rows: (list) => {
      let bytes = 0;
      for (const { add } of gathered.values()) bytes += add(list);
      rows += list.length;
      if (rows >= ROWS_PER_GROUP || bytes >= BYTES_PER_GROUP) writeGroup();
    },
    end: () => {
      if (rows > 0) writeGroup();
      void parquet.finish();
    },
  };
}

/** The library's byte writer, emptied into a file as it fills. */
class FileWriter extends ByteWriter {
  readonly #file: HashedFile;

  constructor(file: HashedFile) {
    super();
    this.#file = file;
  }

  override ensure(size: number): void {
    if (this.index >= BUFFER_BYTES) this.handOver();
    super.ensure(size);
  }

  override finish(): void {
    this.handOver();
  }

  handOver(): void {
    this.#file.write(new Uint8Array(this.buffer, 0, this.index));
    this.index = 0;
  }
}
