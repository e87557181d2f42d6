import { printable } from "../../base/printable.ts";
import { findColumns, type ListColumns, ListFault, type ListRow } from "./columns.ts";

/** Characters of one record: a list of addresses with what else its maker knows. */
const RECORD_MAX = 1024 * 1024;

/**
 * The rows of CSV with commas, semicolons or tabs. Blank lines and lines that begin with `#` are passed over. The first record is
 * a header when a column was asked for by name, or when it has a usual name in it. @throws ListFault
 */
export async function readCsvList(text: string, columns: ListColumns): Promise<ListRow[]> {
  const { CsvError, parse } = await import("csv-parse/sync");
  const rows: ListRow[] = [];
  let places: { readonly value: number; readonly label: number | undefined } | undefined;
  const take = (record: readonly string[], line: number): void => {
    if (places === undefined) {
      const isHeader =
        columns.value !== undefined || columns.label !== undefined || record.some((name) => columns.usual.includes(name.toLowerCase()));
      places = isHeader ? findColumns(record, columns) : { value: 0, label: undefined };
      if (isHeader) return;
    }
    const { value, label } = places;
    rows.push({ place: `line ${line}`, value: record[value], label: label === undefined ? undefined : record[label] });
  };
  try {
    parse(text, {
      bom: true,
      comment: "#",
      comment_no_infix: true,
      delimiter: [",", ";", "\t"],
      max_record_size: RECORD_MAX,
      record_delimiter: ["\r\n", "\n", "\r"],
      relax_column_count: true,
      relax_quotes: true,
      skip_empty_lines: true,
      trim: true,
      // Nothing is kept but the cells that are wanted.
      on_record: (record: string[], { lines }) => {
        if (record.some((cell) => cell !== "")) take(record, lines);
        return null;
      },
    });
  } catch (error) {
    throw error instanceof CsvError ? new ListFault(printable(error.message)) : error;
  }
  return rows;
}
