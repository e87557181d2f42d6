import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { postgresqlDialect } from "../../schema/sql/postgresql-dialect.ts";
import { named } from "../../schema/sql/sql.ts";
import type { BulkRows, BulkTable, FlatRows } from "../engine.ts";
import { BinaryRows } from "./binary-rows.ts";
import type { Client, Driver } from "./driver.ts";

/** Loads rows into a table by COPY. @returns how many */
export async function copyRows(client: Client, copyFrom: Driver["copyFrom"], table: BulkTable, rows: BulkRows): Promise<number> {
  const names = Object.keys(table.columns).map((name) => named(name).in(postgresqlDialect));
  const kinds = Object.values(table.columns).map(({ kind }) => kind);
  const form = new BinaryRows(kinds);
  let count = 0;
  const add = (row: readonly unknown[]): void => {
    if (row.length !== kinds.length) throw new TypeError(`a row for ${table.name} has ${row.length} cells instead of ${kinds.length}.`);
    count++;
    form.add(row, 0);
  };
  const gatherAll = () => {
    if (Symbol.asyncIterator in rows) return gatherAsync(rows, add, form);
    if (!("cells" in rows)) return gather(rows, add, form);
    count = rows.cells.length / kinds.length;
    return gatherFlat(rows, kinds.length, form);
  };
  const copy = copyFrom(`COPY ${named(table.name).in(postgresqlDialect)} (${names.join(", ")}) FROM STDIN WITH (FORMAT binary)`);
  await pipeline(Readable.from(gatherAll()), client.query(copy));
  return count;
}

type Add = (row: readonly unknown[]) => void;
type Form = Pick<BinaryRows, "add" | "isFull" | "take" | "finish">;

function* gatherFlat({ cells }: FlatRows, width: number, form: Form): Generator<Buffer> {
  for (let from = 0; from < cells.length; from += width) {
    form.add(cells, from);
    if (form.isFull) yield form.take();
  }
  yield form.finish();
}

// The same walk twice: an asynchronous one costs several times more a row, and most rows are at hand.
function* gather(rows: Iterable<readonly unknown[]>, add: Add, form: Form): Generator<Buffer> {
  for (const row of rows) {
    add(row);
    if (form.isFull) yield form.take();
  }
  yield form.finish();
}

async function* gatherAsync(rows: AsyncIterable<readonly unknown[]>, add: Add, form: Form): AsyncGenerator<Buffer> {
  for await (const row of rows) {
    add(row);
    if (form.isFull) yield form.take();
  }
  yield form.finish();
}
