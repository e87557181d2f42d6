import { findColumns, LINE_MAX, type ListColumns, ListFault, type ListRow } from "./columns.ts";
import { textLines } from "./text-lines.ts";

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
