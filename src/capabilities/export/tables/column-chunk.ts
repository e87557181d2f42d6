import { zstdCompressSync } from "node:zlib";
import { ByteWriter, type ParquetWriter } from "hyparquet-writer";
import { writePageHeader } from "hyparquet-writer/src/datapage.js";
import { writeRleBitPackedHybrid } from "hyparquet-writer/src/encoding.js";
import type { Cell } from "../../../core/base/cell.ts";
import type { ColumnType } from "../../../core/db/schema/column.ts";
import { type Column, toBoolean, toMs } from "./table.ts";

// The library by itself finds what repeats, and the least and greatest value, by walking the values of all rows several times. Here rows
// hold the place of a value among the distinct ones from the beginning, and columns that follow from another share these places: half of
// the time (test/bench/results.md). Source of the format: https://parquet.apache.org/docs/file-format/

export type SchemaElement = ConstructorParameters<typeof ParquetWriter>[0]["schema"][number];
type ColumnChunk = ParquetWriter["row_groups"][number]["columns"][number];

export const physical = {
  text: { type: "BYTE_ARRAY", converted_type: "UTF8" },
  integer: { type: "INT64" },
  u64: { type: "INT64", converted_type: "UINT_64" },
  boolean: { type: "BOOLEAN" },
  time: { type: "INT64", converted_type: "TIMESTAMP_MILLIS", logical_type: { type: "TIMESTAMP", isAdjustedToUTC: true, unit: "MILLIS" } },
} as const satisfies Record<ColumnType, Partial<SchemaElement>>;

/** The cells at a place of the rows of a group: each distinct one once, and for every row its place among them; -1 where it has none. */
export type Cells = {
  readonly distinct: readonly Exclude<Cell, null>[];
  readonly places: Int32Array;
  /** The page of places of a column that has a value for each distinct cell: the next such column has the same. */
  page?: Page;
};

export function gather(at: number) {
  const known = new Map<Cell, number>();
  const distinct: Exclude<Cell, null>[] = [];
  let places = new Int32Array(1024);
  let [count, bytes] = [0, 0];
  const placeOf = (cell: Exclude<Cell, null>): number => {
    const held = known.get(cell);
    if (held !== undefined) return held;
    bytes += typeof cell === "string" ? cell.length : 8;
    known.set(cell, distinct.length);
    return distinct.push(cell) - 1;
  };
  return {
    /** @returns about how many bytes there are by now */
    add: (rows: readonly (readonly Cell[])[]): number => {
      while (places.length < count + rows.length) {
        const grown = new Int32Array(2 * places.length);
        grown.set(places);
        places = grown;
      }
      let [last, place]: [Cell, number] = [null, -1];
      for (const row of rows) {
        const cell = row[at] ?? null;
        if (cell !== last) [last, place] = [cell, cell === null ? -1 : placeOf(cell)];
        places[count++] = place;
      }
      return bytes + 8 * count;
    },
    cells: (): Cells => ({ distinct, places: places.subarray(0, count) }),
    clear: (): void => {
      known.clear();
      distinct.length = count = bytes = 0;
    },
  };
}

/** Writes a column of a row group: its distinct values as a dictionary where values repeat, and one page for all rows. */
export function writeChunk(writer: ByteWriter, { name, type, source }: Column, cells: Cells): ColumnChunk {
  const start = writer.offset;
  const values: ParquetValue[] = [];
  const made = cells.distinct.map((cell) => {
    const value = source.make === undefined ? cell : source.make(cell);
    return value === null ? -1 : values.push(toParquet(value, type)) - 1;
  });
  const isWhole = values.length === made.length;
  const places = isWhole ? cells.places : cells.places.map((at) => made[at] ?? -1);
  const held = places.includes(-1) ? places.filter((at) => at >= 0) : places;
  const isDictionary = type !== "boolean" && values.length > 0 && 2 * values.length <= held.length;
  const plain = plainBytes(isDictionary ? values : valuesAt(values, held));
  const levels = () => runs(held === places ? new Int32Array(places.length).fill(1) : places.map((at) => (at < 0 ? 0 : 1)), 1);
  let size = 0;
  if (isDictionary)
    size += writePage(writer, pack(plain.bytes), {
      type: "DICTIONARY_PAGE",
      dictionary_page_header: { num_values: values.length, encoding: "PLAIN" },
    });
  const pageStart = writer.offset;
  const encoding = isDictionary ? "RLE_DICTIONARY" : "PLAIN";
  const known = isDictionary && isWhole ? cells.page : undefined;
  const page = known ?? pack(isDictionary ? packedPlaces(held, values.length) : plain.bytes, levels());
  if (isDictionary && isWhole) cells.page = page;
  size += writePage(writer, page, {
    type: "DATA_PAGE_V2",
    data_page_header_v2: {
      ...{ num_values: places.length, num_nulls: places.length - held.length, num_rows: places.length, encoding, is_compressed: true },
      ...{ definition_levels_byte_length: page.levels.length, repetition_levels_byte_length: 0 },
    },
  });
  return {
    file_offset: BigInt(start),
    meta_data: {
      ...{ type: physical[type].type, encodings: isDictionary ? ["PLAIN", encoding] : [encoding], path_in_schema: [name], codec: "ZSTD" },
      num_values: BigInt(places.length),
      total_uncompressed_size: BigInt(size),
      total_compressed_size: BigInt(writer.offset - start),
      data_page_offset: BigInt(pageStart),
      ...(isDictionary && { dictionary_page_offset: BigInt(start) }),
      statistics: { ...bounds(values, plain.isAscii), null_count: BigInt(places.length - held.length) },
    },
  };
}

/** A page: its levels, and its values with their size before compression. */
type Page = { readonly levels: Uint8Array<ArrayBuffer>; readonly packed: Uint8Array<ArrayBuffer>; readonly size: number };

function pack(values: Uint8Array, levels = new Uint8Array(0)): Page {
  return { levels, packed: zstdCompressSync(values), size: values.length };
}

type PageHeader = Parameters<typeof writePageHeader>[1];

/** @returns its size with its header, before compression */
function writePage(
  writer: ByteWriter,
  { levels, packed, size }: Page,
  header: Omit<PageHeader, "uncompressed_page_size" | "compressed_page_size">,
): number {
  const start = writer.offset;
  const [plainSize, packedSize] = [levels.length + size, levels.length + packed.length];
  writePageHeader(writer, { ...header, uncompressed_page_size: plainSize, compressed_page_size: packedSize });
  const headerSize = writer.offset - start;
  writer.appendBytes(levels);
  writer.appendBytes(packed);
  return headerSize + plainSize;
}

/** Places among so many values. */
function packedPlaces(places: Int32Array, count: number): Uint8Array {
  const width = Math.ceil(Math.log2(count));
  return Buffer.concat([Uint8Array.of(width), runs(places, width)]);
}

/** Small numbers as runs of one, and packed in bits. */
function runs(numbers: Int32Array, width: number) {
  const bytes = new ByteWriter(numbers.length);
  writeRleBitPackedHybrid(bytes, numbers, width);
  return bytes.getBytes();
}

/** The value of each row. A loop of its own: `Array.from` walks an iterator, which takes ten times as long. */
function valuesAt(values: readonly ParquetValue[], places: Int32Array): ParquetValue[] {
  const list = new Array<ParquetValue>(places.length);
  for (let i = 0; i < places.length; i++) list[i] = values[places[i] as number] as ParquetValue;
  return list;
}

type ParquetValue = string | bigint | boolean;

function toParquet(value: Exclude<Cell, null>, type: ColumnType): ParquetValue {
  if (type === "boolean") return toBoolean(value);
  if (type === "time") return toMs(value);
  return type === "text" ? String(value) : BigInt(value as string | number | bigint);
}

/** Values one after the other, as the encoding PLAIN has them. `isAscii`: whether texts are in the order of their bytes. */
function plainBytes(values: readonly ParquetValue[]): { bytes: Uint8Array; isAscii: boolean } {
  const [first] = values;
  if (typeof first === "bigint") return { bytes: new Uint8Array(BigInt64Array.from(values as bigint[]).buffer), isAscii: true };
  if (typeof first === "boolean") {
    const bytes = new Uint8Array(Math.ceil(values.length / 8));
    for (let i = 0; i < values.length; i++) if (values[i]) bytes[i >> 3] = (bytes[i >> 3] as number) | (1 << (i & 7));
    return { bytes, isAscii: true };
  }
  let [room, characters] = [0, 0];
  for (const value of values as string[]) characters += value.length;
  room = 4 * values.length + 3 * characters;
  const bytes = Buffer.allocUnsafeSlow(room);
  let end = 0;
  for (const value of values as string[]) {
    const size = bytes.write(value, end + 4);
    bytes.writeUInt32LE(size, end);
    end += 4 + size;
  }
  return { bytes: bytes.subarray(0, end), isAscii: end === 4 * values.length + characters };
}

/** The least and the greatest value; texts in the order of their bytes, which that of their characters is not beyond ASCII. */
function bounds(values: readonly ParquetValue[], isAscii: boolean): { min_value?: ParquetValue; max_value?: ParquetValue } {
  let [least, greatest] = [values[0], values[0]];
  if (least === undefined || greatest === undefined) return {};
  const isBefore = isAscii
    ? (a: ParquetValue, b: ParquetValue) => a < b
    : (a: ParquetValue, b: ParquetValue) => Buffer.compare(Buffer.from(a as string), Buffer.from(b as string)) < 0;
  for (const value of values) {
    if (isBefore(value, least)) least = value;
    else if (isBefore(greatest, value)) greatest = value;
  }
  return { min_value: least, max_value: greatest };
}
