import { once } from "node:events";
import { formatHex } from "../../core/base/bytes.ts";
import type { BulkLoad } from "../../core/db/engine/engine.ts";
import { notExact } from "../../core/db/engine/errors.ts";
import type { Kind } from "../../core/db/schema/column.ts";
import { checkName } from "../../core/db/schema/sql/sql.ts";
import type { Client, CopyConnection } from "./driver.ts";
import { connectionLost, failureCode } from "./postgresql-errors.ts";

/** Characters of a piece that is sent at once. */
const PIECE = 65_536;

/** What stands for a character that would end a cell or a row, or begin such a word. */
const escapes: Readonly<Record<string, string>> = { "\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r" };

type Cells = readonly unknown[];

/**
 * Loads rows into tables by COPY, as text (postgresql.org/docs/current/sql-copy.html, "Text Format"), in one round: the rows of all tables
 * are on their way before the server has begun with the first.
 */
export async function copyRows(client: Client, loads: readonly BulkLoad[]): Promise<void> {
  if (loads.length === 0) return;
  const answered = Promise.withResolvers<void>();
  const ended = new AbortController();
  let failed: { readonly error: unknown } | undefined;
  void client.query({
    submit: (connection) => {
      connection.query(loads.map(([{ name, columns }]) => copyInto(name, Object.keys(columns))).join("; "));
      sendAll(connection, loads, ended.signal).catch((error: unknown) => {
        if (ended.signal.aborted) return;
        failed = { error };
        connection.sendCopyFail("the rows ended early");
      });
    },
    handleCopyInResponse: () => {},
    handleCommandComplete: () => {},
    handleError: (error) => {
      ended.abort();
      answered.reject(failed?.error ?? error);
    },
    handleReadyForQuery: () => answered.resolve(),
  });
  try {
    await answered.promise;
  } catch (error) {
    // Else it is an error of whoever gives the rows, or the server's.
    const { destroyed, readableEnded } = client.connection.stream;
    throw (destroyed || readableEnded) && failureCode(error) === undefined ? connectionLost(error) : error;
  }
}

function copyInto(table: string, columns: readonly string[]): string {
  return `COPY ${checkName(table)} (${columns.map(checkName).join(", ")}) FROM STDIN`;
}

/** Sends the rows of all tables, as fast as the server takes them, until the signal says that it takes no more. */
async function sendAll(connection: CopyConnection, loads: readonly BulkLoad[], signal: AbortSignal): Promise<void> {
  const { stream } = connection;
  let piece = "";
  const send = async (): Promise<void> => {
    connection.sendCopyFromChunk(Buffer.from(piece));
    piece = "";
    if (!stream.writableNeedDrain) return;
    stream.uncork();
    await once(stream, "drain", { signal });
    stream.cork();
  };
  // What is small goes together.
  stream.cork();
  try {
    for (const [{ name, columns }, rows] of loads) {
      const kinds = Object.values(columns).map(({ kind }) => kind);
      const add = (cells: Cells, from: number): boolean => {
        piece += copyCell(cells[from], kinds[0] as Kind);
        for (let i = 1; i < kinds.length; i++) piece += `\t${copyCell(cells[from + i], kinds[i] as Kind)}`;
        piece += "\n";
        return piece.length >= PIECE;
      };
      const addRow = (row: Cells): boolean => {
        if (row.length !== kinds.length) throw new TypeError(`a row for ${name} has ${row.length} cells instead of ${kinds.length}.`);
        return add(row, 0);
      };
      if ("cells" in rows) for (let i = 0; i < rows.cells.length; i += kinds.length) add(rows.cells, i) && (await send());
      else for (const row of rows) addRow(row) && (await send());
      if (piece !== "") await send();
      signal.throwIfAborted();
      connection.endCopyFrom();
    }
  } finally {
    stream.uncork();
  }
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
