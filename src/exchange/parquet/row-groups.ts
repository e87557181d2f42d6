import { gunzipSync, zstdDecompressSync } from "node:zlib";
import { type FileMetaData, parquetMetadataAsync, parquetReadObjects, type SchemaElement, snappyUncompress } from "hyparquet";
import { checkPages, isCount, type Unpack } from "./pages.ts";
import { ParquetFault } from "./parquet-fault.ts";
import { checkThrift } from "./thrift-check.ts";

/** Bytes of a footer: some hundred for each column of 10,000 rows. */
const FOOTER_BYTES_MAX = 32 * 1024 * 1024;

/** How pages are unpacked, each to at most `length` bytes. */
export const compressors = {
  SNAPPY: (packed, length) => {
    const unpacked = new Uint8Array(length);
    snappyUncompress(packed, unpacked);
    return unpacked;
  },
  GZIP: (packed, length) => gunzipSync(packed, { maxOutputLength: Math.max(length, 1) }),
  ZSTD: (packed, length) => zstdDecompressSync(packed, { maxOutputLength: Math.max(length, 1) }),
} as const satisfies Record<string, Unpack>;

/** What may be read of a file. Everything else is refused before the library follows it. */
export type ParquetLimits = {
  /** The names of the columns to read. May throw what is wrong with them. */
  readonly choose: (columns: readonly SchemaElement[]) => readonly string[];
  /** Rows of a row group: what is read at a time has to fit into memory. */
  readonly rowsMax: number;
  /** Bytes of a row group's pages in the columns to read, unpacked. */
  readonly bytesMax: number;
  readonly compressors: Readonly<Record<string, Unpack>>;
};

/** A file in memory, or one that is read in pieces. */
export type ParquetFile = { readonly byteLength: number; readonly slice: (start: number, end?: number) => ArrayBuffer };

/**
 * The rows of a flat Parquet file from anywhere, a row group at a time. The library believes lengths, so footer, page headers and
 * runs are checked first. @throws ParquetFault, and what the library makes of other bytes
 */
export async function* readRowGroups(file: ParquetFile, limits: ParquetLimits): AsyncGenerator<Record<string, unknown>[]> {
  const metadata = await readMetadata(file, limits);
  const columns = [...limits.choose(metadata.schema.slice(1))];
  let rowStart = 0;
  for (const group of metadata.row_groups) {
    let bytes = 0;
    for (const name of columns) bytes += checkColumn(file, metadata, group, name, { ...limits, bytesMax: limits.bytesMax - bytes });
    const rowEnd = rowStart + Number(group.num_rows);
    const options = { compressors: limits.compressors, parsers, utf8: false, geoparquet: false };
    yield await parquetReadObjects({ file, metadata, columns, rowStart, rowEnd, ...options });
    rowStart = rowEnd;
  }
}

// A Date does not hold every INT64.
const parsers = { timestampFromMilliseconds: (ms: bigint): bigint => ms };

/** The footer. Its length and `PAR1` are the last eight bytes. */
async function readMetadata(file: ParquetFile, { rowsMax }: ParquetLimits): Promise<FileMetaData> {
  const { byteLength } = file;
  if (byteLength < 12) throw new ParquetFault("it is too short");
  const length = new DataView(file.slice(byteLength - 8)).getUint32(0, true);
  if (length > Math.min(byteLength - 12, FOOTER_BYTES_MAX)) throw new ParquetFault(`a footer of ${length} bytes`);
  checkThrift(new Uint8Array(file.slice(byteLength - 8 - length, byteLength - 8)), 0);
  const metadata = await parquetMetadataAsync(file);
  const [, ...columns] = metadata.schema;
  const nested = columns.find(({ num_children }) => num_children !== undefined);
  if (nested !== undefined) throw new ParquetFault(`column \`${nested.name}\` has columns inside`);
  let rows = 0n;
  for (const group of metadata.row_groups) {
    rows += group.num_rows;
    if (group.num_rows < 0n || group.num_rows > rowsMax)
      throw new ParquetFault(`a row group of ${group.num_rows} rows, and at most ${rowsMax} are read at once`);
    if (group.columns.length !== columns.length)
      throw new ParquetFault(`a row group of ${group.columns.length} columns instead of ${columns.length}`);
  }
  if (rows !== metadata.num_rows) throw new ParquetFault(`${rows} rows in its row groups, and ${metadata.num_rows} in its footer`);
  return metadata;
}

/** Checks one column of a row group and returns the size of its pages when unpacked. */
function checkColumn(
  file: ParquetFile,
  { schema }: FileMetaData,
  { columns, num_rows }: FileMetaData["row_groups"][number],
  name: string,
  limits: Pick<ParquetLimits, "bytesMax" | "compressors">,
): number {
  const element = schema.slice(1).find((column) => column.name === name);
  // A column whose name is not in the schema would be read, and its failure never awaited.
  const [chunk, ...others] = columns.filter(({ meta_data }) => meta_data?.path_in_schema.join(".") === name);
  const column = chunk?.meta_data;
  const fits = others.length === 0 && chunk?.file_path === undefined && column?.type === element?.type;
  if (element === undefined || column === undefined || !fits) throw new ParquetFault("a column that does not fit the schema");
  const { type, type_length, repetition_type } = element;
  const isKnown = type === "BYTE_ARRAY" || type === "INT64" || type === "BOOLEAN";
  if (!isKnown && !(type === "FIXED_LEN_BYTE_ARRAY" && isCount(type_length, 1024)))
    throw new ParquetFault(`column \`${name}\` of type ${type ?? "none"}`);
  if (repetition_type !== "REQUIRED" && repetition_type !== "OPTIONAL") throw new ParquetFault(`column \`${name}\` of lists`);
  const start = Number(column.dictionary_page_offset ?? column.data_page_offset);
  const length = Number(column.total_compressed_size);
  if (!(start >= 0 && length >= 0 && start + length <= file.byteLength)) throw new ParquetFault("a column outside of the file");
  return checkPages(new Uint8Array(file.slice(start, start + length)), column, element, Number(num_rows), limits);
}
