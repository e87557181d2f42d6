import { Readable } from "node:stream";
import { findJsonExcess } from "../../../core/base/json.ts";
import { printable } from "../../../core/base/printable.ts";

/** One entry of a list from another program: the cells that are wanted, and where it stands for messages (`line 3`). */
export type ListRow = { readonly place: string; readonly value: unknown; readonly label: unknown };

/** What columns with addresses and with labels are called, in lower case. */
const [ADDRESS_NAMES, LABEL_NAME] = [["address", "account", "account_address", "owner"], "label"];

/** Where the wanted cells stand: the first column called as addresses are, else the first of all; a label's is -1 where there is none. */
function columnsOf(names: readonly string[]): { readonly value: number; readonly label: number } {
  const lower = names.map((name) => name.toLowerCase());
  return {
    value: Math.max(
      0,
      lower.findIndex((name) => ADDRESS_NAMES.includes(name)),
    ),
    label: lower.indexOf(LABEL_NAME),
  };
}

/** Characters of one record: an address with what else the maker of a list knows of it. */
const LINE_MAX = 1024 * 1024;

/** Largest JSON array, which is read whole: some three million addresses. */
const ARRAY_BYTES = 256 * 1024 * 1024;
const ARRAY = { values: 50_000_000, depth: 16 };

/** Bytes at the start of a list in which its kind shows. */
const START_BYTES = 65_536;

/** A list that cannot be read: what is wrong with it, and where. */
export class ListFault extends Error {}

/**
 * The rows of a list in the file's order. Its first bytes tell JSON lines (`{`) and a JSON array (`[`), else it is CSV. But for an array, a
 * chunk is held at most.
 * @throws ListFault that says what is wrong
 */
export async function* readList(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<ListRow> {
  const rest = chunks[Symbol.asyncIterator]();
  const read: Uint8Array[] = [];
  // A character for each byte, up to the first that is no space.
  let start = "";
  while (start.length < START_BYTES && (start.length < 4 || start.trim() === "")) {
    const next = await rest.next();
    if (next.done === true) break;
    read.push(next.value);
    start += Buffer.from(next.value.subarray(0, START_BYTES)).toString("latin1");
  }
  const whole = async function* (): AsyncGenerator<Uint8Array> {
    yield* read.splice(0);
    yield* { [Symbol.asyncIterator]: () => rest };
  };
  try {
    const [first] = start.replace(/^\u00ef\u00bb\u00bf/, "").trimStart();
    if (start.startsWith("PAR1")) throw new ListFault("it is a Parquet file, and a list is CSV, JSON or text: save it as CSV");
    yield* first === "{" ? readJsonLines(whole()) : first === "[" ? readJsonArray(whole()) : readCsv(whole());
  } finally {
    await rest.return?.();
  }
}

type ParsedRecord = { readonly record: readonly string[]; readonly info: { readonly lines: number } };

/**
 * The rows of CSV with commas, semicolons or tabs, or of one address a line, as they are read. Blank lines and lines that begin with `#`
 * are passed over. The first record is a header when it has a usual name in it. @throws ListFault
 */
async function* readCsv(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<ListRow> {
  const { CsvError, parse } = await import("csv-parse");
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
  let columns: ReturnType<typeof columnsOf> | undefined;
  try {
    for await (const { record, info } of source.pipe(parser) as AsyncIterable<ParsedRecord>) {
      if (record.every((cell) => cell === "")) continue;
      const isHeader = columns === undefined && record.some((name) => ADDRESS_NAMES.includes(name.toLowerCase()));
      columns ??= columnsOf(isHeader ? record : []);
      if (!isHeader) yield { place: `line ${info.lines}`, value: record[columns.value], label: record[columns.label] };
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw error.code === "CSV_MAX_RECORD_SIZE" ? tooLong(Number(error["lines"])) : new ListFault(printable(error.message));
  } finally {
    source.destroy();
    parser.destroy();
  }
}

const tooLong = (line: number) => new ListFault(`a record at line ${line} has more than ${LINE_MAX} characters`);

/** The rows of JSON lines as they are read: one object a line, each with its own keys. @throws ListFault */
async function* readJsonLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<ListRow> {
  let number = 0;
  for await (const lines of linesOf(chunks))
    for (const line of lines) {
      const place = `line ${++number}`;
      if (line.trim() === "") continue;
      const entry = parseJson(line, `${place}: it began as JSON lines, and this is not JSON`);
      if (typeof entry !== "object" || entry === null || Array.isArray(entry)) throw new ListFault(`${place}: wanted a JSON object`);
      yield rowOf(entry, place);
    }
}

/** The rows of a JSON array of addresses, or of objects that each have one. @throws ListFault */
async function* readJsonArray(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<ListRow> {
  const read: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > ARRAY_BYTES) throw new ListFault(`it is a JSON array of more than ${ARRAY_BYTES} bytes: give it as JSON lines`);
    read.push(chunk);
  }
  const text = Buffer.concat(read);
  if (findJsonExcess(text, ARRAY) !== undefined) throw new ListFault("it is a JSON array with too many values, or too deep");
  const entries = parseJson(new TextDecoder().decode(text), "it began as a JSON array, and this is not JSON") as unknown[];
  for (const [at, entry] of entries.entries()) yield rowOf(entry, `entry ${at + 1}`);
}

function parseJson(text: string, fault: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ListFault(fault);
  }
}

function rowOf(entry: unknown, place: string): ListRow {
  if (typeof entry !== "object" || entry === null || Array.isArray(entry)) return { place, value: entry, label: undefined };
  const [columns, cells] = [columnsOf(Object.keys(entry)), Object.values(entry)];
  return { place, value: cells[columns.value], label: cells[columns.label] };
}

/** Where a line ends; of `\r\n` the first stays with the line. */
const LINE_END = /\n|\r(?!\n|$)/;

/**
 * The lines of a text in UTF-8 that comes in chunks, a list for each chunk, without their ends and without a byte order mark.
 * @throws ListFault for a line of more than `LINE_MAX` characters, before it is whole
 */
async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string[]> {
  const decoder = new TextDecoder();
  let [begun, number] = ["", 1];
  for await (const chunk of chunks) {
    const lines = (begun + decoder.decode(chunk, { stream: true })).split(LINE_END);
    const long = lines.findIndex((line) => line.length > LINE_MAX);
    if (long >= 0) throw tooLong(number + long);
    begun = lines.pop() ?? "";
    number += lines.length;
    if (lines.length > 0) yield lines;
  }
  begun += decoder.decode();
  if (begun !== "") yield [begun];
}
