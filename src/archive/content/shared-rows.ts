import type { ErrorCodeAbi } from "../../abi/model.ts";
import type { Cell } from "../../base/cell.ts";
import type { Transaction } from "../../engine/engine.ts";
import { unreachable } from "../../errors.ts";
import type { MoveType } from "../../move/types/types.ts";
import { asText, jsonEach, jsonItem } from "../../schema/sql/functions.ts";
import { type Sql, sql } from "../../schema/sql/sql.ts";

/** Numbers of rows remembered from batch to batch: most modules name the same few hundred types, functions and errors. */
const REMEMBERED_MAX = 20_000;

/** Rows that modules share, each once in its table: their numbers, by a text that tells a row from others. */
export class SharedRows<Item> {
  readonly #stored: Sql<[place: number, id: number]>;
  readonly #cellsOf: (item: Item) => readonly Cell[];
  readonly #ids = new Map<string, number>();

  /** @param stored gives the place and the row's number of those among `:keys`, a JSON list of lists of cells, that have a row */
  constructor(stored: Sql<[place: number, id: number]>, cellsOf: (item: Item) => readonly Cell[]) {
    this.#stored = stored;
    this.#cellsOf = cellsOf;
  }

  /** Looks up everything that is named, except what `isNew` is sure of. Returns what has no row yet. */
  async find(tx: Transaction, wanted: ReadonlyMap<string, Item>, isNew: (item: Item) => boolean): Promise<ReadonlyMap<string, Item>> {
    const unknown = new Map<string, Item>();
    const asked: [key: string, cells: readonly Cell[]][] = [];
    for (const [key, item] of wanted) {
      if (this.#ids.has(key)) continue;
      unknown.set(key, item);
      if (!isNew(item)) asked.push([key, this.#cellsOf(item)]);
    }
    if (asked.length === 0) return unknown;
    const keys = JSON.stringify(asked.map(([, cells]) => cells));
    for (const [place, id] of await tx.all(this.#stored, { keys })) {
      const [key] = asked[place] as (typeof asked)[number];
      this.#ids.set(key, id);
      unknown.delete(key);
    }
    return unknown;
  }

  /** Remembers the number of a row that is being added. */
  add(key: string, id: number): void {
    this.#ids.set(key, id);
  }

  of(key: string): number {
    return this.#ids.get(key) ?? unreachable(`${key} was not looked up`);
  }

  /** Forgets all where that is much. Rows that are being added have to be in their table by then. */
  trim(): void {
    if (this.#ids.size > REMEMBERED_MAX) this.forget();
  }

  /** Forgets all, after a transaction that was rolled back. */
  forget(): void {
    this.#ids.clear();
  }
}

const keys = jsonEach(":keys::json", "j");
const [first, second, third] = [jsonItem("j.value", 0), jsonItem("j.value", 1), jsonItem("j.value", 2)];

export const typeRows = (): SharedRows<MoveType> =>
  new SharedRows(sql`SELECT j.key, t.id FROM ${keys} JOIN _types t ON t.text = ${first}`, ({ text }) => [text]);

export type Called = readonly [module: number, name: string];

/** Called functions, by `calledKey`. */
export const calledRows = (): SharedRows<Called> =>
  new SharedRows(
    sql`SELECT j.key, c.id FROM ${keys} JOIN _called_functions c ON c.module_id = CAST(${first} AS bigint) AND c.name = ${second}`,
    (called) => called,
  );

export function calledKey([module, name]: Called): string {
  return `${module} ${name}`;
}

/** Error codes, by `errorKey`. */
export const errorRows = (): SharedRows<ErrorCodeAbi> =>
  new SharedRows(
    sql`SELECT j.key, e.id FROM ${keys}
    JOIN _error_codes e ON e.name = ${second} AND e.description = ${third} AND ${asText("e.code")} = ${first}`,
    ({ code, name, description }) => [`${code}`, name, description],
  );

export function errorKey({ code, name, description }: ErrorCodeAbi): string {
  return JSON.stringify([`${code}`, name, description]);
}
