import type { ColumnMetaData, SchemaElement } from "hyparquet";
import { parquetHeader } from "hyparquet/src/column.js";
import { ParquetFault } from "./parquet-fault.ts";
import { checkThrift } from "./thrift-check.ts";

/** Unpacks a page, to at most `length` bytes. */
export type Unpack = (packed: Uint8Array, length: number) => Uint8Array;

/** How much may be unpacked, and of which kinds. */
type PageLimits = { readonly bytesMax: number; readonly compressors: Readonly<Record<string, Unpack>> };

/** Whether a number of the file is a count of at most `max`. */
export function isCount(value: number | undefined, max: number): boolean {
  return value !== undefined && Number.isInteger(value) && value >= 0 && value <= max;
}

/**
 * Checks the pages of one column in one row group and returns their size when unpacked: plain or with a dictionary, of either
 * kind of page, as movedex, BigQuery, DuckDB, Spark and pyarrow write them. @throws ParquetFault that says what is wrong
 */
export function checkPages(
  bytes: Uint8Array,
  { codec }: ColumnMetaData,
  { type: columnType, repetition_type }: SchemaElement,
  rows: number,
  { bytesMax, compressors }: PageLimits,
): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const isOptional = repetition_type === "OPTIONAL";
  const unpack = unpackerOf(codec, compressors);
  let size = 0;
  let values = 0;
  for (let at = 0; at < bytes.length; ) {
    const headerEnd = checkThrift(bytes, at);
    const header = parquetHeader({ view, offset: at });
    const { uncompressed_page_size: unpacked, compressed_page_size: packed } = header;
    at = headerEnd + packed;
    if (!(packed >= 0 && at <= bytes.length && unpacked >= 0)) throw new ParquetFault("a page outside of its column");
    size += unpacked;
    if (size > bytesMax) throw new ParquetFault(`a row group with ${bytesMax} bytes left to read, and a column of at least ${size}`);
    const content = bytes.subarray(headerEnd, at);
    if (header.type === "DICTIONARY_PAGE") {
      if (!isCount(header.dictionary_page_header?.num_values, rows)) throw new ParquetFault("a dictionary of more values than rows");
      continue;
    }
    const v1 = header.type === "DATA_PAGE" ? header.data_page_header : undefined;
    const v2 = header.type === "DATA_PAGE_V2" ? header.data_page_header_v2 : undefined;
    const page = v1 ?? v2;
    if (page === undefined) throw new ParquetFault(`a page of type ${header.type}`);
    const { num_values: count, encoding } = page;
    values += count;
    if (!isCount(count, rows) || values > rows) throw new ParquetFault(`a page of ${count} values in a row group of ${rows} rows`);
    if (v2 === undefined) {
      const data = unpack(content, unpacked);
      // How many of the values are null, this kind of page does not say.
      checkValues(isOptional ? afterLevels(data, count) : data, columnType, encoding, count, isOptional);
      continue;
    }
    const { definition_levels_byte_length: levels, num_nulls: nulls } = v2;
    if (v2.repetition_levels_byte_length !== 0 || !isCount(levels, Math.min(packed, unpacked)) || !isCount(nulls, count))
      throw new ParquetFault("a page with levels of a wrong length");
    if (isOptional) checkRuns(content.subarray(0, levels), 0, 1, count);
    if (encoding === "PLAIN") continue;
    const data = content.subarray(levels);
    checkValues(v2.is_compressed === false ? data : unpack(data, unpacked - levels), columnType, encoding, count - nulls, false);
  }
  if (values !== rows) throw new ParquetFault(`a column of ${values} values in a row group of ${rows} rows`);
  return size;
}

function unpackerOf(codec: string, compressors: PageLimits["compressors"]): Unpack {
  if (codec === "UNCOMPRESSED") return (packed) => packed;
  const known = Object.hasOwn(compressors, codec) ? compressors[codec] : undefined;
  if (known === undefined)
    throw new ParquetFault(`packed as ${codec}; what is read is ${Object.keys(compressors).join(", ")}, or not packed`);
  return (packed, length) => {
    const unpacked = known(packed, length);
    if (unpacked.length !== length) throw new ParquetFault("a page whose length is not what its header says");
    return unpacked;
  };
}

/** What stands behind the definition levels of a page of the first kind: their length in four bytes, then their runs. */
function afterLevels(data: Uint8Array, count: number): Uint8Array {
  const length = data.length < 4 ? Number.POSITIVE_INFINITY : new DataView(data.buffer, data.byteOffset).getUint32(0, true);
  if (length > data.length - 4) throw new ParquetFault("a page with levels of a wrong length");
  if (count > 0) checkRuns(data.subarray(4, 4 + length), 0, 1, count);
  return data.subarray(4 + length);
}

/** `mayLack` says that some of `count` values may be missing, since they are null. */
function checkValues(data: Uint8Array, type: string | undefined, encoding: string, count: number, mayLack: boolean): void {
  if (encoding === "PLAIN" || count === 0) return;
  // Of truths the length of the runs comes first, in four bytes; of indexes their width, in one.
  const isTruth = encoding === "RLE" && type === "BOOLEAN";
  if (!isTruth && encoding !== "RLE_DICTIONARY" && encoding !== "PLAIN_DICTIONARY")
    throw new ParquetFault(`values as ${encoding}; write the column plain or with a dictionary`);
  const width = isTruth ? 1 : (data[0] ?? 33);
  if (width > 32) throw new ParquetFault(`indexes of ${width} bits`);
  if (width > 0) checkRuns(data, isTruth ? 4 : 1, width, count, mayLack);
}

/** Values that the last group of a list may be filled up with. Groups have eight; DuckDB fills up to 256. */
const PADDING_MAX = 255;

/**
 * Checks a list of runs (RLE and bit-packed): `count` values of `width` bits and not more, perhaps fewer with `mayLack`. The
 * library takes a run's length as it is. @throws ParquetFault that says what is wrong
 */
function checkRuns(bytes: Uint8Array, start: number, width: number, count: number, mayLack = false): void {
  let at = start;
  for (let seen = 0; seen < count && !(mayLack && at >= bytes.length); ) {
    let header = 0;
    for (let i = 0; ; i++) {
      const byte = bytes[at++];
      if (byte === undefined || i === 5) throw new ParquetFault("runs that end too early");
      header += (byte & 0x7f) * 2 ** (7 * i);
      if (byte < 0x80) break;
    }
    const isBitPacked = header % 2 === 1;
    const length = Math.floor(header / 2);
    const values = isBitPacked ? length * 8 : length;
    if (values === 0 || seen + values > count + (isBitPacked ? PADDING_MAX : 0))
      throw new ParquetFault(`a run of ${values} values where ${count - seen} are left`);
    at += isBitPacked ? length * width : Math.ceil(width / 8);
    if (at > bytes.length) throw new ParquetFault("runs that end too early");
    seen += values;
  }
}
