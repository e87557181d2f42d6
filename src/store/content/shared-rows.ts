import { type Sql, sql } from "../../schema/sql/sql.ts";
import { asText, each, item } from "../../schema/sql/words.ts";
import type { Cell, Transaction } from "../engine/engine.ts";

/** Numbers of rows remembered from batch to batch: most modules name the same few hundred types, functions and errors. */
const REMEMBERED_MAX = 20_000;

/** Rows that modules share, each once in its table: their numbers, by what tells a row from others. */
export class SharedRows {
  readonly #stored: Sql;
  readonly #ids = new Map<string, number>();

  /** @param stored gives the number and the key's cells of the rows among `:keys`, a JSON list of lists of cells */
  constructor(stored: Sql) {
    this.#stored = stored;
  }

  /** Looks up all keys of a batch. Returns those that have no row yet, each once. */
  async find(tx: Transaction, keys: Iterable<readonly Cell[]>): Promise<readonly (readonly Cell[])[]> {
    if (this.#ids.size > REMEMBERED_MAX) this.#ids.clear();
    const asked = new Map<string, readonly Cell[]>();
    for (const cells of keys) {
      const key = keyOf(cells);
      if (!this.#ids.has(key)) asked.set(key, cells);
    }
    if (asked.size === 0) return [];
    for (const [id, ...cells] of await tx.all<[id: number, ...Cell[]]>(this.#stored, { keys: JSON.stringify([...asked.values()]) }))
      this.#ids.set(keyOf(cells), id);
    return [...asked].filter(([key]) => !this.#ids.has(key)).map(([, cells]) => cells);
  }

  /** Remembers the number of a row that is being added. */
  add(key: readonly Cell[], id: number): void {
    this.#ids.set(keyOf(key), id);
  }

  /** The number of a row of the batch. */
  of(key: readonly Cell[]): number {
    const id = this.#ids.get(keyOf(key));
    if (id === undefined) throw new RangeError(`${keyOf(key)} was not looked up`);
    return id;
  }

  /** Forgets all, after a transaction that was rolled back. */
  forget(): void {
    this.#ids.clear();
  }
}

const keys = each(":keys::json", "j");
const [first, second, third] = [item("j.value", 0), item("j.value", 1), item("j.value", 2)];

/** Types, by their text. */
export const typeRows = (): SharedRows => new SharedRows(sql`SELECT t.id, t.text FROM ${keys} JOIN _types t ON t.text = ${first}`);

/** Called functions, by the number of their module and their name. */
export const calledRows = (): SharedRows =>
  new SharedRows(
    sql`SELECT c.id, c.module_id, c.name FROM ${keys} JOIN _called_functions c ON c.module_id = CAST(${first} AS bigint) AND c.name = ${second}`,
  );

/** Error codes, by code, name and description. */
export const errorRows = (): SharedRows =>
  new SharedRows(sql`SELECT e.id, ${asText("e.code")}, e.name, e.description FROM ${keys}
    JOIN _error_codes e ON e.name = ${second} AND e.description = ${third} AND ${asText("e.code")} = ${first}`);

function keyOf(cells: readonly Cell[]): string {
  return cells.length === 1 ? (cells[0] as string) : JSON.stringify(cells.map((cell) => (typeof cell === "bigint" ? Number(cell) : cell)));
}
