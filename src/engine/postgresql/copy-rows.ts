import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { from as copyFrom } from "pg-copy-streams";
import { formatHex } from "../../base/hex.ts";
import type { Kind } from "../../schema/kinds.ts";
import { checkName } from "../../schema/sql/sql.ts";
import type { BulkRows, BulkTable } from "../engine.ts";
import { notExact } from "../errors.ts";
import type { Client } from "./driver.ts";
import { connectionLost, failureCode } from "./postgresql-errors.ts";

/** Characters of a piece that is sent at once. */
const PIECE = 65_536;

/** What stands for a character that would end a cell or a row, or begin such a word. */
const escapes: Readonly<Record<string, string>> = { "\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r" };

type Cells = readonly unknown[];

/** Loads rows into a table by COPY, as text (postgresql.org/docs/current/sql-copy.html, "Text Format"). @returns how many */
export async function copyRows(client: Client, { name, columns }: BulkTable, rows: BulkRows): Promise<number> {
  const kinds = Object.values(columns).map(({ kind }) => kind);
  const line = (row: Cells): string => {
    if (row.length !== kinds.length) throw new TypeError(`a row for ${name} has ${row.length} cells instead of ${kinds.length}.`);
    return `${kinds.map((kind, i) => copyCell(row[i], kind)).join("\t")}\n`;
  };
  const source =
    Symbol.asyncIterator in rows ? piecesAsync(rows, line) : pieces("cells" in rows ? slices(rows.cells, kinds.length) : rows, line);
  const copy = copyFrom(`COPY ${checkName(name)} (${Object.keys(columns).map(checkName).join(", ")}) FROM STDIN`);
  try {
    await pipeline(Readable.from(source), client.query(copy));
  } catch (error) {
    // Else it is an error of whoever gives the rows, or the server's.
    const { destroyed, readableEnded } = client.connection.stream;
    throw (destroyed || readableEnded) && failureCode(error) === undefined ? connectionLost(error) : error;
  }
  return copy.rowCount;
}

/** A cell as `BulkRows` has it, in COPY's text. @throws RangeError for a number that is not exact */
export function copyCell(value: unknown, kind: Kind): string {
  if (value === null || value === undefined) return "\\N";
  if (kind === "text" || kind === "json") return escaped(String(value));
  if (kind === "bytes") return `\\\\x${typeof value === "string" ? escaped(value) : formatHex(value as Uint8Array)}`;
  if (kind === "bool") return value === false || value === 0 ? "f" : "t";
  if (kind === "time") return new Date(value as number).toISOString();
  if (typeof value !== "number") return String(BigInt(value as bigint | string));
  if (!Number.isSafeInteger(value)) throw notExact(value);
  return String(value);
}

function escaped(text: string): string {
  return /[\\\t\n\r]/.test(text) ? text.replace(/[\\\t\n\r]/g, (character) => escapes[character] as string) : text;
}

function* slices(cells: readonly unknown[], width: number): Generator<Cells> {
  for (let from = 0; from < cells.length; from += width) yield cells.slice(from, from + width);
}

// The same walk twice: an asynchronous one costs several times more a row, and most rows are at hand.
function* pieces(rows: Iterable<Cells>, line: (row: Cells) => string): Generator<string> {
  let piece = "";
  for (const row of rows) {
    piece += line(row);
    if (piece.length < PIECE) continue;
    yield piece;
    piece = "";
  }
  yield piece;
}

async function* piecesAsync(rows: AsyncIterable<Cells>, line: (row: Cells) => string): AsyncGenerator<string> {
  let piece = "";
  for await (const row of rows) {
    piece += line(row);
    if (piece.length < PIECE) continue;
    yield piece;
    piece = "";
  }
  yield piece;
}
