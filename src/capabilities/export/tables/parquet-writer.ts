import { zstdCompressSync } from "node:zlib";
import { ByteWriter, ParquetWriter } from "hyparquet-writer";
import type { Cell, Value } from "../../../base/cell.ts";
import type { ColumnType } from "../../../schema/kinds.ts";
import type { HashedFile } from "../drafts.ts";
import { type Column, type RowWriter, type Table, toBoolean, toMs } from "./table.ts";

/** A row group ends at this number of rows or about this number of bytes, whichever comes first: one group is in memory at a time. */
const ROWS_PER_GROUP = 10_000;
const BYTES_PER_GROUP = 4 * 1024 * 1024;
/** What the library gathers before it is handed on to the file. */
const BUFFER_BYTES = 1024 * 1024;

type SchemaElement = ConstructorParameters<typeof ParquetWriter>[0]["schema"][number];

const physical = {
  text: { type: "BYTE_ARRAY", converted_type: "UTF8" },
  integer: { type: "INT64" },
  u64: { type: "INT64", converted_type: "UINT_64" },
  bytes: { type: "BYTE_ARRAY" },
  boolean: { type: "BOOLEAN" },
  time: { type: "INT64", converted_type: "TIMESTAMP_MILLIS", logical_type: { type: "TIMESTAMP", isAdjustedToUTC: true, unit: "MILLIS" } },
} as const satisfies Record<ColumnType, Partial<SchemaElement>>;

/**
 * Writes a table as Parquet, compressed with zstd. u64 columns are unsigned 64-bit integers, times are timestamps in UTC. The
 * file's key-value metadata has the meaning of the table under `meaning` and that of each column under `meaning:COLUMN`.
 */
export function parquetWriter({ name, meaning, columns }: Table, file: HashedFile, createdBy: string): RowWriter {
  const writer = new FileWriter(file);
  const parquet = new ParquetWriter({
    writer,
    schema: [
      { name, num_children: columns.length },
      ...columns.map((column) => ({
        name: column.name,
        ...physical[column.type],
        repetition_type: column.isNullable ? ("OPTIONAL" as const) : ("REQUIRED" as const),
      })),
    ],
    codec: "ZSTD",
    compressors: { ZSTD: (input) => zstdCompressSync(input) },
    createdBy,
    kvMetadata: [
      { key: "meaning", value: meaning },
      ...columns.map((column) => ({ key: `meaning:${column.name}`, value: column.meaning })),
    ],
  });
  const group = columns.map(columnOf);
  let rows = 0;
  const writeGroup = (): void => {
    const columnData = group.map(({ values }, i) => ({ name: columns[i]?.name as string, data: values }));
    void parquet.write({ columnData, rowGroupSize: Math.max(rows, 1) });
    writer.handOver();
    for (const column of group) column.clear();
    rows = 0;
  };
  return {
    rows: (list) => {
      let bytes = 0;
      for (const [i, column] of group.entries()) bytes += column.add(list, i);
      rows += list.length;
      if (rows >= ROWS_PER_GROUP || bytes >= BYTES_PER_GROUP) writeGroup();
    },
    end: () => {
      if (rows > 0) writeGroup();
      void parquet.finish();
    },
  };
}

/** The values of a column in a row group. Those that repeat are one object: that is little memory, and soon found again. */
function columnOf(column: Column) {
  const known = new Map<Cell, Value>();
  const values: Value[] = [];
  let bytes = 0;
  const distinct = (cell: Exclude<Cell, null>): Value => {
    const held = known.get(cell);
    if (held !== undefined) return held;
    const value = toParquet(cell, column);
    bytes += typeof value === "string" || value instanceof Uint8Array ? value.length + 8 : 8;
    known.set(cell, value);
    return value;
  };
  return {
    values,
    /** Adds the cells at place `i` of these rows. @returns about how many bytes the column has by now */
    add: (rows: readonly (readonly Cell[])[], i: number): number => {
      let [last, value]: [Cell | undefined, Value] = [undefined, null];
      for (const row of rows) {
        const cell = row[i] ?? null;
        if (cell !== last) [last, value] = [cell, cell === null ? null : distinct(cell)];
        values.push(value);
      }
      return bytes + 8 * values.length;
    },
    clear: (): void => {
      known.clear();
      values.length = 0;
      bytes = 0;
    },
  };
}

function toParquet(value: Exclude<Cell, null>, { type }: Column): Value {
  if (value instanceof Uint8Array) return value;
  if (type === "boolean") return toBoolean(value);
  if (type === "time") return toMs(value);
  return type === "text" ? String(value) : BigInt(value);
}

/** The library's byte writer, emptied into a file as it fills. */
class FileWriter extends ByteWriter {
  readonly #file: HashedFile;

  constructor(file: HashedFile) {
    super(BUFFER_BYTES * 2);
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
