import type { SchemaElement } from "hyparquet";
import { printable } from "../../base/printable.ts";
import { ParquetFault } from "../parquet/parquet-fault.ts";
import { compressors, readRowGroups } from "../parquet/row-groups.ts";
import { findColumns, type ListColumns, ListFault, type ListRow } from "./columns.ts";

const limits = { rowsMax: 2_000_000, bytesMax: 512 * 1024 * 1024, compressors };

/** The rows of a Parquet file from any source, one row group at a time; only the columns that are wanted are read. @throws ListFault */
export async function* readParquetList(file: ArrayBuffer, columns: ListColumns): AsyncGenerator<ListRow> {
  let names: readonly string[] = [];
  const choose = (all: readonly SchemaElement[]): readonly string[] => {
    const { value, label } = findColumns(
      all.map(({ name }) => name),
      columns,
    );
    const wanted = [value, ...(label === undefined ? [] : [label])].map((at) => all[at] as SchemaElement);
    const strange = wanted.find(({ type }) => type !== "BYTE_ARRAY" && type !== "FIXED_LEN_BYTE_ARRAY");
    if (strange !== undefined)
      throw new ParquetFault(`column \`${strange.name}\` is neither text nor bytes, but ${strange.type ?? "nested"}`);
    names = wanted.map(({ name }) => name);
    return names;
  };
  try {
    let number = 0;
    for await (const rows of readRowGroups(file, { ...limits, choose })) {
      for (const row of rows) {
        const [value, label] = names.map((name) => textOf(row[name]));
        yield { place: `row ${++number}`, value, label };
      }
    }
  } catch (error) {
    // Whatever the library makes of bytes that are no Parquet, the file is to blame.
    throw error instanceof ListFault ? error : new ListFault(`it cannot be read as Parquet: ${printable((error as Error).message)}`);
  }
}

/** Columns of text that are not marked as such come as bytes; 32 bytes that do not begin with `0x` are an address. */
function textOf(value: unknown): unknown {
  if (!(value instanceof Uint8Array)) return value;
  const isText = value.length !== 32 || (value[0] === 0x30 && value[1] === 0x78);
  return isText ? new TextDecoder().decode(value) : value;
}
