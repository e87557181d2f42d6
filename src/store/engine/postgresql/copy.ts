import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Kind } from "../../../schema/kinds.ts";
import { postgresqlWords } from "../../../schema/sql/postgresql-words.ts";
import { named } from "../../../schema/sql/sql.ts";
import type { BulkRows, BulkTable } from "../engine.ts";
import type { Client, Driver } from "./driver.ts";
import { copyField } from "./values.ts";

/** Characters that are gathered before they are sent. */
const CHUNK = 65_536;

/** Loads rows into a table by COPY in its text format. @returns how many */
export async function copyRows(client: Client, copyFrom: Driver["copyFrom"], table: BulkTable, rows: BulkRows): Promise<number> {
  const names = Object.keys(table.columns).map((name) => named(name).in(postgresqlWords));
  const kinds = Object.values(table.columns).map(({ kind }) => kind);
  let count = 0;
  const line = (row: readonly unknown[]): string => {
    if (row.length !== kinds.length) throw new TypeError(`a row for ${table.name} has ${row.length} cells instead of ${kinds.length}.`);
    count++;
    let text = copyField(row[0], kinds[0] as Kind);
    for (let i = 1; i < kinds.length; i++) text += `\t${copyField(row[i], kinds[i] as Kind)}`;
    return `${text}\n`;
  };
  const chunks = Symbol.asyncIterator in rows ? gatherAsync(rows, line) : gather(rows, line);
  const copy = copyFrom(`COPY ${named(table.name).in(postgresqlWords)} (${names.join(", ")}) FROM STDIN`);
  await pipeline(Readable.from(chunks), client.query(copy));
  return count;
}

type Line = (row: readonly unknown[]) => string;

// The same walk twice: an asynchronous one costs several times more a row, and most rows are at hand.
function* gather(rows: Iterable<readonly unknown[]>, line: Line): Generator<string> {
  let text = "";
  for (const row of rows) {
    text += line(row);
    if (text.length < CHUNK) continue;
    yield text;
    text = "";
  }
  if (text !== "") yield text;
}

async function* gatherAsync(rows: AsyncIterable<readonly unknown[]>, line: Line): AsyncGenerator<string> {
  let text = "";
  for await (const row of rows) {
    text += line(row);
    if (text.length < CHUNK) continue;
    yield text;
    text = "";
  }
  if (text !== "") yield text;
}
