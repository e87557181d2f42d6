import { Readable } from "node:stream";
import { printable } from "../../base/printable.ts";
import { findColumns, LINE_MAX, type ListColumns, ListFault, type ListRow } from "./columns.ts";

type ParsedRecord = { readonly record: readonly string[]; readonly info: { readonly lines: number } };

/**
 * The rows of CSV with commas, semicolons or tabs, as they are read. Blank lines and lines that begin with `#` are passed over. The
 * first record is a header when a column was asked for by name, or when it has a usual name in it. @throws ListFault
 */
export async function* readCsvList(chunks: AsyncIterable<Uint8Array>, columns: ListColumns): AsyncGenerator<ListRow> {
  const { CsvError, parse } = await import("csv-parse");
  let places: { readonly value: number; readonly label: number | undefined } | undefined;
  const rowOf = (record: readonly string[], line: number): ListRow | null => {
    if (places === undefined) {
      const isHeader =
        columns.value !== undefined || columns.label !== undefined || record.some((name) => columns.usual.includes(name.toLowerCase()));
      places = isHeader ? findColumns(record, columns) : { value: 0, label: undefined };
      if (isHeader) return null;
    }
    const { value, label } = places;
    return { place: `line ${line}`, value: record[value], label: label === undefined ? undefined : record[label] };
  };
  const parser = parse({
    bom: true,
    comment: "#",
    comment_no_infix: true,
    delimiter: [",", ";", "\t"],
    max_record_size: LINE_MAX,
    record_delimiter: ["\r\n", "\n", "\r"],
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    trim: true,
    info: true,
  });
  const source = Readable.from(chunks);
  source.on("error", (error) => parser.destroy(error));
  try {
    for await (const { record, info } of source.pipe(parser) as AsyncIterable<ParsedRecord>) {
      const row = record.some((cell) => cell !== "") ? rowOf(record, info.lines) : null;
      if (row !== null) yield row;
    }
  } catch (error) {
    throw error instanceof CsvError ? new ListFault(printable(error.message)) : error;
  } finally {
    source.destroy();
    parser.destroy();
  }
}
