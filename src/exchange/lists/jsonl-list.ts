import { findColumns, LINE_MAX, type ListColumns, ListFault, type ListRow } from "./columns.ts";

/** The rows of JSON lines as they are read: one object a line, each with its own keys. @throws ListFault */
export async function* readJsonlList(chunks: AsyncIterable<Uint8Array>, columns: ListColumns): AsyncGenerator<ListRow> {
  let number = 0;
  for await (const line of linesOf(chunks)) {
    number++;
    if (line.trim() === "") continue;
    const place = `line ${number}`;
    const object = parseObject(line, place);
    const names = Object.keys(object);
    const found = atPlace(place, () => findColumns(names, columns));
    const cell = (at: number | undefined): unknown => (at === undefined ? undefined : object[names[at] as string]);
    yield { place, value: cell(found.value), label: cell(found.label) };
  }
}

async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  try {
    yield* textLines(chunks, LINE_MAX);
  } catch (error) {
    throw error instanceof RangeError ? new ListFault(error.message) : error;
  }
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

function atPlace<T>(place: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof ListFault ? new ListFault(`${place}: ${error.message}`) : error;
  }
}

/**
 * The lines of a text in UTF-8 that comes in chunks, without their ends (`\n` or `\r\n`) and without a byte order mark.
 * @throws RangeError for a line of more than `max` characters, before it is whole
 */
async function* textLines(chunks: AsyncIterable<Uint8Array>, max: number): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let begun = "";
  let number = 1;
  const tooLong = () => new RangeError(`line ${number} has more than ${max} characters`);
  for await (const chunk of chunks) {
    const lines = (begun + decoder.decode(chunk, { stream: true })).split("\n");
    begun = lines.pop() ?? "";
    for (const line of lines) {
      if (line.length > max) throw tooLong();
      yield line.endsWith("\r") ? line.slice(0, -1) : line;
      number++;
    }
    if (begun.length > max) throw tooLong();
  }
  begun += decoder.decode();
  if (begun !== "") yield begun;
}
