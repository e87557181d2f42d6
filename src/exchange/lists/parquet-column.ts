import { gunzipSync, zstdDecompressSync } from "node:zlib";
import { type ColumnMetaData, type FileMetaData, type SchemaElement, snappyUncompress } from "hyparquet";
import { parquetHeader } from "hyparquet/src/column.js";
import { checkRuns, isCount } from "../incoming/parquet-runs.ts";
import { checkThrift } from "../incoming/thrift-check.ts";

/** Bytes of a column's pages in one row group, unpacked. */
const COLUMN_BYTES_MAX = 256 * 1024 * 1024;

/** DuckDB fills up to 256 values where eight would do. */
const padded = { paddingMax: 255 } as const;

type Unpack = (packed: Uint8Array, length: number) => Uint8Array;

/** How pages are unpacked, each to at most `length` bytes; pages of other kinds are refused. */
export const compressors = {
  SNAPPY: (packed, length) => {
    const unpacked = new Uint8Array(length);
    snappyUncompress(packed, unpacked);
    return unpacked;
  },
  GZIP: (packed, length) => gunzipSync(packed, { maxOutputLength: Math.max(length, 1) }),
  ZSTD: (packed, length) => zstdDecompressSync(packed, { maxOutputLength: Math.max(length, 1) }),
} as const satisfies Record<string, Unpack>;

/**
 * Checks the pages of one column in one row group, so that reading them costs no more than the file says: a column of text or
 * bytes, plain or with a dictionary, as BigQuery, DuckDB, Spark and pyarrow write them unless told otherwise.
 * @throws Error that says what is wrong
 */
export function checkColumn(file: Uint8Array, { schema }: FileMetaData, group: FileMetaData["row_groups"][number], name: string): void {
  const element = schema.find((column) => column.name === name);
  const chunk = group.columns.find(({ meta_data }) => meta_data?.path_in_schema.join(".") === name);
  const column = chunk?.meta_data;
  if (element === undefined || column === undefined || chunk?.file_path !== undefined || column.type !== element.type)
    throw new Error("a column that does not fit the schema");
  const isBytes = element.type === "BYTE_ARRAY" || (element.type === "FIXED_LEN_BYTE_ARRAY" && isCount(element.type_length, 1024));
  if (!isBytes || (element.repetition_type !== "REQUIRED" && element.repetition_type !== "OPTIONAL"))
    throw new Error(`column \`${name}\` is no text and no bytes, but ${element.type ?? "nested"}`);
  const start = Number(column.dictionary_page_offset ?? column.data_page_offset);
  const length = Number(column.total_compressed_size);
  if (!(start >= 0 && length >= 0 && start + length <= file.length)) throw new Error("a column outside of the file");
  checkPages(file.subarray(start, start + length), column, element, Number(group.num_rows));
}

function checkPages(bytes: Uint8Array, { codec }: ColumnMetaData, element: SchemaElement, rows: number): void {
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
    if (size > COLUMN_BYTES_MAX) throw new Error(`a column of more than ${COLUMN_BYTES_MAX} bytes in one row group`);
    const content = bytes.subarray(headerEnd, end);
    at = end;
    if (type === "DICTIONARY_PAGE") {
      if (!isCount(header.dictionary_page_header?.num_values, rows)) throw new Error("a dictionary of more values than rows");
      continue;
    }
    const page = type === "DATA_PAGE" ? header.data_page_header : type === "DATA_PAGE_V2" ? header.data_page_header_v2 : undefined;
    if (page === undefined) throw new Error(`a page of type ${type}`);
    values += page.num_values;
    if (!isCount(page.num_values, rows) || values > rows)
      throw new Error(`a page of ${page.num_values} values in a row group of ${rows} rows`);
    const isOptional = element.repetition_type === "OPTIONAL";
    if (type === "DATA_PAGE") {
      const data = codec === "UNCOMPRESSED" ? content : unpack(codec, content, unpacked);
      checkValues(isOptional ? afterLevels(data, page.num_values) : data, page.encoding, page.num_values, isOptional);
      continue;
    }
    const v2 = header.data_page_header_v2;
    const levels = v2?.definition_levels_byte_length ?? 0;
    if (
      v2 === undefined ||
      v2.repetition_levels_byte_length !== 0 ||
      !isCount(levels, packed) ||
      levels > unpacked ||
      !isCount(v2.num_nulls, v2.num_values)
    )
      throw new Error("a page with levels of a wrong length");
    if (isOptional) checkRuns(content.subarray(0, levels), 0, 1, v2.num_values, padded);
    const data = content.subarray(levels);
    const isPacked = codec !== "UNCOMPRESSED" && v2.is_compressed !== false;
    checkValues(isPacked ? unpack(codec, data, unpacked - levels) : data, v2.encoding, v2.num_values - v2.num_nulls, false);
  }
  if (values !== rows) throw new Error(`a column of ${values} values in a row group of ${rows} rows`);
}

/** What stands behind the definition levels of a page of the first kind: their length in four bytes, then their runs. */
function afterLevels(data: Uint8Array, count: number): Uint8Array {
  const length = data.length < 4 ? Number.POSITIVE_INFINITY : new DataView(data.buffer, data.byteOffset).getUint32(0, true);
  if (length > data.length - 4) throw new Error("a page with levels of a wrong length");
  if (count > 0) checkRuns(data.subarray(4, 4 + length), 0, 1, count, padded);
  return data.subarray(4 + length);
}

/** `mayLack` says that some of `count` values may be missing, since they are null. */
function checkValues(data: Uint8Array, encoding: string, count: number, mayLack: boolean): void {
  if (encoding === "PLAIN" || count === 0) return;
  if (encoding !== "RLE_DICTIONARY" && encoding !== "PLAIN_DICTIONARY")
    throw new Error(`values as ${encoding}; write the column plain or with a dictionary, or as CSV`);
  const width = data[0] ?? 33;
  if (width > 32) throw new Error(`indexes of ${width} bits`);
  if (width > 0) checkRuns(data, 1, width, count, { ...padded, mayLack });
}

function unpack(codec: string, packed: Uint8Array, length: number): Uint8Array {
  const known = Object.hasOwn(compressors, codec) ? compressors[codec as keyof typeof compressors] : undefined;
  if (known === undefined) throw new Error(`packed as ${codec}; use Snappy, gzip, Zstandard or nothing`);
  const unpacked = known(packed, length);
  if (unpacked.length !== length) throw new Error("a page whose length is not what its header says");
  return unpacked;
}
