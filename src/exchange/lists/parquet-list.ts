import { type FileMetaData, parquetMetadataAsync, parquetReadObjects } from "hyparquet";
import { printable } from "../../base/printable.ts";
import { checkThrift } from "../incoming/thrift-check.ts";
import { findColumns, type ListColumns, ListFault, type ListRow } from "./columns.ts";
import { checkColumn, compressors } from "./parquet-column.ts";

/** Rows of a row group: what is read at a time has to fit into memory. */
const GROUP_ROWS_MAX = 2_000_000;

/** The rows of a Parquet file from any source, one row group at a time; only the columns that are wanted are read. @throws ListFault */
export async function* readParquetList(bytes: Uint8Array, columns: ListColumns): AsyncGenerator<ListRow> {
  try {
    const file = arrayBuffer(bytes);
    const metadata = await readMetadata(bytes, file);
    const flat = metadata.schema.slice(1);
    const found = findColumns(
      flat.map(({ name }) => name),
      columns,
    );
    const wanted = [found.value, ...(found.label === undefined ? [] : [found.label])];
    const names = wanted.map((at) => (flat[at] as { readonly name: string }).name);
    let rowStart = 0;
    for (const group of metadata.row_groups) {
      for (const name of names) checkColumn(bytes, metadata, group, name);
      const rowEnd = rowStart + Number(group.num_rows);
      const read = await parquetReadObjects({
        file,
        metadata,
        columns: names,
        rowStart,
        rowEnd,
        compressors,
        utf8: false,
        geoparquet: false,
      });
      for (const [index, row] of read.entries()) {
        const cell = (at: number): unknown => textOf(row[names[at] as string]);
        yield { place: `row ${rowStart + index + 1}`, value: cell(0), label: found.label === undefined ? undefined : cell(1) };
      }
      rowStart = rowEnd;
    }
  } catch (error) {
    // Whatever the library makes of bytes that are no Parquet, the file is to blame.
    throw error instanceof ListFault ? error : new ListFault(`it cannot be read as Parquet: ${printable((error as Error).message)}`);
  }
}

/** The footer, checked before the library follows it. Its length and `PAR1` are the last eight bytes. */
async function readMetadata(bytes: Uint8Array, file: ArrayBuffer): Promise<FileMetaData> {
  if (bytes.length < 12) throw new Error("it is too short");
  const length = new DataView(file).getUint32(bytes.length - 8, true);
  if (length > bytes.length - 12) throw new Error(`a footer of ${length} bytes`);
  checkThrift(bytes.subarray(bytes.length - 8 - length, bytes.length - 8), 0);
  const metadata = await parquetMetadataAsync(file);
  const strange = metadata.schema.slice(1).find(({ num_children }) => num_children !== undefined);
  if (strange !== undefined) throw new Error(`column \`${strange.name}\` has columns inside, which lists have not`);
  let rows = 0n;
  for (const { num_rows } of metadata.row_groups) {
    if (num_rows < 0n || num_rows > GROUP_ROWS_MAX)
      throw new Error(`a row group of ${num_rows} rows, and at most ${GROUP_ROWS_MAX} are read at once`);
    rows += num_rows;
  }
  if (rows !== metadata.num_rows) throw new Error(`${rows} rows in its row groups, and ${metadata.num_rows} in its footer`);
  return metadata;
}

/** Columns of text that are not marked as such come as bytes; 32 bytes that do not begin with `0x` are an address. */
function textOf(value: unknown): unknown {
  if (!(value instanceof Uint8Array)) return value;
  const isText = value.length !== 32 || (value[0] === 0x30 && value[1] === 0x78);
  return isText ? new TextDecoder().decode(value) : value;
}

function arrayBuffer(bytes: Uint8Array): ArrayBuffer {
  if (bytes.byteLength === bytes.buffer.byteLength) return bytes.buffer as ArrayBuffer;
  return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer;
}
