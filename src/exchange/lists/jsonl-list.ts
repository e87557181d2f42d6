import { findColumns, type ListColumns, ListFault, type ListRow } from "./columns.ts";

/** The rows of JSON lines: one object a line, each with its own keys. @throws ListFault */
export function readJsonlList(text: string, columns: ListColumns): ListRow[] {
  const rows: ListRow[] = [];
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === "") continue;
    const place = `line ${index + 1}`;
    const object = parseObject(line, place);
    const names = Object.keys(object);
    const found = atPlace(place, () => findColumns(names, columns));
    const cell = (at: number | undefined): unknown => (at === undefined ? undefined : object[names[at] as string]);
    rows.push({ place, value: cell(found.value), label: cell(found.label) });
  }
  return rows;
}

function parseObject(line: string, place: string): Readonly<Record<string, unknown>> {
  let json: unknown;
  try {
    json = JSON.parse(line);
  } catch {
    throw new ListFault(`${place}: it began as JSON lines, and this is no JSON`);
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
