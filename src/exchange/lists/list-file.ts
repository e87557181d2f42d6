import type { ListColumns, ListRow } from "./columns.ts";
import { readCsvList } from "./csv-list.ts";
import { readJsonlList } from "./jsonl-list.ts";

const PARQUET_MAGIC = "PAR1";

/**
 * The rows of a list in the order of the file. What kind of file it is its bytes say: Parquet begins with `PAR1`, JSON lines
 * with `{`; everything else is CSV, of which a file with one value a line is the simplest.
 *
 * @throws ListFault that says what is wrong
 */
export async function readList(bytes: Uint8Array, columns: ListColumns): Promise<ListRow[]> {
  if (Buffer.from(bytes.subarray(0, 4)).toString("latin1") === PARQUET_MAGIC) {
    const { readParquetList } = await import("./parquet-list.ts");
    return await readParquetList(bytes, columns);
  }
  const text = new TextDecoder().decode(bytes);
  return /^\s*\{/.test(text) ? readJsonlList(text, columns) : await readCsvList(text, columns);
}
