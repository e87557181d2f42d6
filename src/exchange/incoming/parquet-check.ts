import type { ColumnMetaData, FileMetaData } from "hyparquet";
import { parquetHeader } from "hyparquet/src/column.js";
import { checkRuns, isCount } from "./parquet-runs.ts";
import { checkThrift } from "./thrift-check.ts";

/** Rows of a row group: what is read at a time has to fit into memory. movedex writes 10,000 at most. */
const GROUP_ROWS_MAX = 100_000;
/** Bytes of a row group's pages when unpacked. movedex ends a group at 4 MiB, unless one row is larger. */
const GROUP_BYTES_MAX = 256 * 1024 * 1024;

/** How pages are unpacked: at most to `length` bytes. */
export type Unpack = (packed: Uint8Array, length: number) => Uint8Array;

/**
 * Checks that a file is Parquet of the kind that movedex writes: flat columns of texts, bytes, 64-bit integers, times in
 * milliseconds and booleans, in row groups of bounded size. Other features are refused, since the library would have to be trusted with them.
 * @throws Error that says what is wrong
 */
export function checkMetadata({ schema, row_groups, num_rows }: FileMetaData): void {
  const [, ...columns] = schema;
  const strange = columns.find(
    ({ type, num_children, repetition_type, converted_type, logical_type }) =>
      num_children !== undefined ||
      (type !== "BYTE_ARRAY" && type !== "INT64" && type !== "BOOLEAN") ||
      converted_type === "TIMESTAMP_MICROS" ||
      (logical_type?.type === "TIMESTAMP" && logical_type.unit !== "MILLIS") ||
      (repetition_type !== "REQUIRED" && repetition_type !== "OPTIONAL"),
  );
  if (strange !== undefined) throw new Error(`column \`${strange.name}\` is of a kind that movedex does not write`);
  if (new Set(columns.map(({ name }) => name)).size !== columns.length) throw new Error("two columns of one name");
  let rows = 0n;
  for (const group of row_groups) {
    rows += group.num_rows;
    if (group.num_rows < 0n || group.num_rows > GROUP_ROWS_MAX)
      throw new Error(`a row group of ${group.num_rows} rows, and at most ${GROUP_ROWS_MAX} are read at once`);
    if (group.columns.length !== columns.length)
      throw new Error(`a row group of ${group.columns.length} columns instead of ${columns.length}`);
  }
  if (rows !== num_rows) throw new Error(`${rows} rows in its row groups, and ${num_rows} in its footer`);
}

/** Checks the pages of one row group, so that reading them costs no more than their rows do. @throws Error as above */
export function checkGroup(file: (start: number, end: number) => Uint8Array, metadata: FileMetaData, group: number, unpack: Unpack): void {
  const { columns, num_rows } = metadata.row_groups[group] as FileMetaData["row_groups"][number];
  let size = 0;
  for (const [i, { meta_data: column, file_path }] of columns.entries()) {
    const element = metadata.schema[i + 1];
    // A column whose name is not in the schema would be read, and its failure never awaited.
    const fits = column?.path_in_schema.length === 1 && column.path_in_schema[0] === element?.name && column.type === element?.type;
    if (column === undefined || element === undefined || file_path !== undefined || !fits)
      throw new Error("a column that does not fit the schema");
    if (column.codec !== "ZSTD" && column.codec !== "UNCOMPRESSED")
      throw new Error(`packed as ${column.codec}, which movedex does not write`);
    const start = Number(column.dictionary_page_offset ?? column.data_page_offset);
    const length = Number(column.total_compressed_size);
    if (!(start >= 0 && length >= 0)) throw new Error("a column outside of the file");
    const bytes = file(start, start + length);
    if (bytes.length !== length) throw new Error("a column that ends after the file");
    size += checkPages(bytes, column, Number(num_rows), element.repetition_type === "OPTIONAL", GROUP_BYTES_MAX - size, unpack);
  }
}

/** Checks the pages of one column and returns their unpacked size. */
function checkPages(
  bytes: Uint8Array,
  { codec, type: columnType }: ColumnMetaData,
  rows: number,
  isOptional: boolean,
  sizeMax: number,
  unpack: Unpack,
): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let size = 0;
  let values = 0;
  for (let at = 0; at < bytes.length; ) {
    const headerEnd = checkThrift(bytes, at);
    const header = parquetHeader({ view, offset: at });
    const { type, uncompressed_page_size: unpacked, compressed_page_size: packed } = header;
    const end = headerEnd + packed;
    if (!(packed >= 0 && end <= bytes.length && unpacked >= 0)) throw new Error("a page outside of its column");
    size += unpacked;
    if (size > sizeMax) throw new Error(`a row group of more than ${GROUP_BYTES_MAX} bytes, which is more than can be read at once`);
    at = end;
    if (type === "DICTIONARY_PAGE") {
      if (!isCount(header.dictionary_page_header?.num_values, rows)) throw new Error("a dictionary of more values than rows");
      continue;
    }
    const page = header.data_page_header_v2;
    if (type !== "DATA_PAGE_V2" || page === undefined) throw new Error(`a page of type ${type}, which movedex does not write`);
    const {
      num_values: count,
      num_nulls: nulls,
      encoding,
      definition_levels_byte_length: levels,
      repetition_levels_byte_length: repetition,
    } = page;
    values += count;
    if (!isCount(count, rows) || values > rows || !isCount(nulls, count))
      throw new Error(`a page of ${count} values in a row group of ${rows} rows`);
    if (repetition !== 0 || !isCount(levels, packed) || levels > unpacked) throw new Error("a page with levels of a wrong length");
    if (isOptional) checkRuns(bytes.subarray(headerEnd, headerEnd + levels), 0, 1, count);
    if (encoding === "PLAIN") continue;
    if (encoding !== (columnType === "BOOLEAN" ? "RLE" : "RLE_DICTIONARY"))
      throw new Error(`values as ${encoding}, which movedex does not write`);
    if (count === nulls) continue;
    const data = bytes.subarray(headerEnd + levels, end);
    const isPacked = codec === "ZSTD" && page.is_compressed !== false;
    const indexes = isPacked ? unpack(data, unpacked - levels) : data;
    if (encoding === "RLE") {
      // The length of the runs comes first, in four bytes.
      checkRuns(indexes, 4, 1, count - nulls);
      continue;
    }
    const width = indexes[0] ?? 33;
    if (width > 32) throw new Error(`indexes of ${width} bits`);
    if (width > 0) checkRuns(indexes, 1, width, count - nulls);
  }
  if (values !== rows) throw new Error(`a column of ${values} values in a row group of ${rows} rows`);
  return size;
}
