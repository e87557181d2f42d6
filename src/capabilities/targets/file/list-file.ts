import { Readable } from "node:stream";
import { findJsonExcess } from "../../../core/base/json.ts";
import { printable } from "../../../core/base/printable.ts";

/** One entry of a list from another program: the cell that is wanted, and where it stands for messages (`line 3`). */
export type ListRow = { readonly place: string; readonly value: unknown; readonly label: unknown };

/** Which columns of a list are wanted, in lower case: the value is in the first one called as one of `usual`, else in the first of all. */
export type ListColumns = { readonly usual: readonly string[]; readonly label: string };

/** Characters of one record: an address with what else the maker of a list knows of it. */
const LINE_MAX = 1024 * 1024;

/** A list that cannot be read: what is wrong with it, and where. */
export class ListFault extends Error {}

/** Places in a header; `label` is undefined where no column is called so. */
function findColumns(
  names: readonly string[],
  { usual, label }: ListColumns,
): { readonly value: number; readonly label: number | undefined } {
  const lower = names.map((name) => name.toLowerCase());
  const labelAt = lower.indexOf(label);
  const valueAt = lower.findIndex((name) => usual.includes(name));
  return { value: Math.max(valueAt, 0), label: labelAt < 0 ? undefined : labelAt };
}

/** How a Parquet file begins. */
const PARQUET = "PAR1";
const IS_PARQUET = "it is a Parquet file, and a list is CSV, JSON or text: save it as CSV";

/** Largest JSON array, which is read whole: some three million addresses. */
const ARRAY_BYTES = 256 * 1024 * 1024;
const ARRAY = { values: 50_000_000, depth: 16 };

/** Bytes at the start of a list in which its kind shows. */
const START_BYTES = 65_536;

/**
 * The rows of a list in the file's order. Its first bytes tell JSON lines (`{`) and a JSON array (`[`), else it is CSV. But for an array, a
 * chunk is held at most.
 * @throws ListFault that says what is wrong
 */
export async function* readList(chunks: AsyncIterable<Uint8Array>, columns: ListColumns): AsyncGenerator<ListRow> {
  const { start, whole } = await begin(chunks);
  try {
    if (start.startsWith(PARQUET)) throw new ListFault(IS_PARQUET);
    if (/^(?:\u00ef\u00bb\u00bf)?\s*\{/.test(start)) yield* readJsonlList(whole, columns);
    else if (/^(?:\u00ef\u00bb\u00bf)?\s*\[/.test(start)) yield* readJsonArray(whole, columns);
    else yield* readLines(whole, columns);
  } finally {
    await whole.return(undefined);
  }
}

/** The start of a file, a character for each byte, up to the first that is no space; and the whole file, which is read on from there. */
async function begin(chunks: AsyncIterable<Uint8Array>): Promise<{ readonly start: string; readonly whole: AsyncGenerator<Uint8Array> }> {
  const rest = chunks[Symbol.asyncIterator]();
  const read: Uint8Array[] = [];
  let start = "";
  while (start.length < START_BYTES && (start.length < PARQUET.length || start.trim() === "")) {
    const next = await rest.next();
    if (next.done === true) break;
    read.push(next.value);
    start += Buffer.from(next.value.subarray(0, START_BYTES)).toString("latin1");
  }
  const whole = async function* (): AsyncGenerator<Uint8Array> {
    try {
      yield* read.splice(0);
      yield* { [Symbol.asyncIterator]: () => rest };
    } finally {
      await rest.return?.();
    }
  };
  return { start, whole: whole() };
}

/** A line of nothing but an address, as all are in most lists. */
const PLAIN = /^0x[0-9a-fA-F]{1,64}\r?$/;
const PLAIN_MAX = 67;

/** The rows of plain lines; from the first other line on, those of CSV, whose parser takes twenty times as long. @throws ListFault */
async function* readLines(chunks: AsyncGenerator<Uint8Array>, columns: ListColumns): AsyncGenerator<ListRow> {
  let lines = 0;
  let text = "";
  for await (const chunk of chunks) {
    // A character for each byte, so that nothing is lost where a chunk ends within one.
    text += Buffer.from(chunk).toString("latin1");
    let at = 0;
    for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", at)) {
      const line = text.slice(at, end);
      if (!PLAIN.test(line)) break;
      at = end + 1;
      yield { place: `line ${++lines}`, value: line.trimEnd(), label: undefined };
    }
    text = text.slice(at);
    if (text.length <= PLAIN_MAX && !text.includes("\n")) continue;
    const rest = async function* () {
      yield Buffer.from(text, "latin1");
      yield* chunks;
    };
    return yield* readCsvList(rest(), columns, lines);
  }
  yield* readCsvList([Buffer.from(text, "latin1")], columns, lines);
}

type ParsedRecord = { readonly record: readonly string[]; readonly info: { readonly lines: number } };

/**
 * The rows of CSV with commas, semicolons or tabs, as they are read. Blank lines and lines that begin with `#` are passed over. The
 * first record is a header when it has a usual name in it. `before` are lines that were read as addresses. @throws ListFault
 */
async function* readCsvList(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  columns: ListColumns,
  before: number,
): AsyncGenerator<ListRow> {
  const { CsvError, parse } = await import("csv-parse");
  let places: ReturnType<typeof findColumns> | undefined = before === 0 ? undefined : { value: 0, label: undefined };
  const rowOf = (record: readonly string[], line: number): ListRow | null => {
    if (places === undefined) {
      const isHeader = record.some((name) => columns.usual.includes(name.toLowerCase()));
      places = isHeader ? findColumns(record, columns) : { value: 0, label: undefined };
      if (isHeader) return null;
    }
    const { value, label } = places;
    return { place: `line ${before + line}`, value: record[value], label: label === undefined ? undefined : record[label] };
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

/** The rows of JSON lines as they are read: one object a line, each with its own keys. @throws ListFault */
async function* readJsonlList(chunks: AsyncIterable<Uint8Array>, columns: ListColumns): AsyncGenerator<ListRow> {
  let number = 0;
  for await (const line of linesOf(chunks)) {
    number++;
    if (line.trim() === "") continue;
    const place = `line ${number}`;
    yield rowOf(parseObject(line, place), place, columns);
  }
}

/** The rows of a JSON array of addresses, or of objects that each have one. @throws ListFault */
async function* readJsonArray(chunks: AsyncIterable<Uint8Array>, columns: ListColumns): AsyncGenerator<ListRow> {
  const read: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > ARRAY_BYTES) throw new ListFault(`it is a JSON array of more than ${ARRAY_BYTES} bytes: give it as JSON lines`);
    read.push(chunk);
  }
  const entries = parseArray(Buffer.concat(read));
  for (const [at, entry] of entries.entries()) {
    const place = `entry ${at + 1}`;
    const isObject = typeof entry === "object" && entry !== null && !Array.isArray(entry);
    yield isObject ? rowOf(entry as Record<string, unknown>, place, columns) : { place, value: entry, label: undefined };
  }
}

function parseArray(text: Buffer): readonly unknown[] {
  if (findJsonExcess(text, ARRAY) !== undefined) throw new ListFault("it is a JSON array with too many values, or too deep");
  try {
    return JSON.parse(new TextDecoder().decode(text)) as unknown[];
  } catch {
    throw new ListFault("it began as a JSON array, and this is not JSON");
  }
}

function rowOf(object: Readonly<Record<string, unknown>>, place: string, columns: ListColumns): ListRow {
  const names = Object.keys(object);
  const found = findColumns(names, columns);
  const cell = (at: number | undefined): unknown => (at === undefined ? undefined : object[names[at] as string]);
  return { place, value: cell(found.value), label: cell(found.label) };
}

function parseObject(line: string, place: string): Readonly<Record<string, unknown>> {
  let json: unknown;
  try {
    json = JSON.parse(line);
  } catch {
    throw new ListFault(`${place}: it began as JSON lines, and this is not JSON`);
  }
  if (typeof json === "object" && json !== null && !Array.isArray(json)) return json as Record<string, unknown>;
  throw new ListFault(`${place}: wanted a JSON object`);
}

/**
 * The lines of a text in UTF-8 that comes in chunks, without their ends (`\n` or `\r\n`) and without a byte order mark.
 * @throws ListFault for a line of more than `LINE_MAX` characters, before it is whole
 */
async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let begun = "";
  let number = 1;
  const tooLong = () => new ListFault(`line ${number} has more than ${LINE_MAX} characters`);
  for await (const chunk of chunks) {
    const lines = (begun + decoder.decode(chunk, { stream: true })).split("\n");
    begun = lines.pop() ?? "";
    for (const line of lines) {
      if (line.length > LINE_MAX) throw tooLong();
      yield line.endsWith("\r") ? line.slice(0, -1) : line;
      number++;
    }
    if (begun.length > LINE_MAX) throw tooLong();
  }
  begun += decoder.decode();
  if (begun !== "") yield begun;
}
