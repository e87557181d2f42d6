import type { ErrorCodeAbi, TypeParameterAbi } from "../../../abi/model.ts";
import type { Cell } from "../../../base/cell.ts";
import { unreachable } from "../../../errors.ts";
import type { MoveType } from "../../../move/types/make-type.ts";
import type { Transaction } from "../../engine/engine.ts";
import { asText, bytesOf, jsonEach, jsonItem } from "../../schema/sql/functions.ts";
import { type Sql, sql } from "../../schema/sql/sql.ts";
import type { ContentDigest } from "./abi-rows.ts";

/** Numbers of rows remembered from batch to batch: most modules name the same few hundred types, functions and errors. */
const REMEMBERED_MAX = 20_000;

type Keyed<Item> = readonly (readonly [key: string, item: Item])[];

/** Rows that are each once in their table: their numbers, by a text that tells a row from others. */
export class SharedRows<Item> {
  readonly #read: (tx: Transaction, asked: Keyed<Item>) => Promise<Keyed<number>>;
  readonly #ids = new Map<string, number>();
  /** What is named and has no number yet. */
  #wanted = new Map<string, Item>();

  /** @param read gives the numbers of rows by their texts, at least of those among the asked that are stored */
  constructor(read: (tx: Transaction, asked: Keyed<Item>) => Promise<Keyed<number>>) {
    this.#read = read;
  }

  want(key: string, item: Item): void {
    if (!this.#ids.has(key)) this.#wanted.set(key, item);
  }

  /** Looks up everything that is wanted, except what `isNew` is sure of. Returns what has no row yet. */
  async find(tx: Transaction, isNew?: (item: Item) => boolean): Promise<ReadonlyMap<string, Item>> {
    const unknown = this.#wanted;
    if (unknown.size === 0) return unknown;
    this.#wanted = new Map();
    const asked: [key: string, item: Item][] = [];
    for (const [key, item] of unknown) if (isNew?.(item) !== true) asked.push([key, item]);
    if (asked.length === 0) return unknown;
    for (const [key, id] of await this.#read(tx, asked)) {
      this.#ids.set(key, id);
      unknown.delete(key);
    }
    return unknown;
  }

  add(key: string, id: number): void {
    this.#ids.set(key, id);
  }

  get(key: string): number | undefined {
    return this.#ids.get(key);
  }

  of(key: string): number {
    return this.#ids.get(key) ?? unreachable(`${key} was not looked up`);
  }

  /** Forgets all where that is much. Rows that are being added have to be in their table by then. */
  trim(): void {
    if (this.#ids.size > REMEMBERED_MAX) this.forget();
  }

  forget(): void {
    this.#ids.clear();
    this.#wanted.clear();
  }
}

const keys = jsonEach(":keys::json", "j");
const [first, second, third] = [jsonItem("j.value", 0), jsonItem("j.value", 1), jsonItem("j.value", 2)];

/** `stored` gives the place and the row's number of those among `:keys`, a JSON list of lists of cells, that have a row. */
function rowsByCells<Item>(stored: Sql<[place: number, id: number]>, cellsOf: (item: Item) => readonly Cell[]): SharedRows<Item> {
  return new SharedRows(async (tx, asked) => {
    const rows = await tx.all(stored, { keys: JSON.stringify(asked.map(([, item]) => cellsOf(item))) });
    return rows.map(([place, id]) => [asked[place]?.[0] as string, id]);
  });
}

/** A called function, and the text that tells it from others. */
export type Called = readonly [module: number, name: string];
export const calledKey = ([module, name]: Called): string => `${module} ${name}`;

export function errorKey({ code, name, description }: ErrorCodeAbi): string {
  return JSON.stringify([`${code}`, name, description]);
}

/** The numbers of all rows that ABIs share, by table. */
export function sharedRows() {
  return {
    types: rowsByCells<MoveType>(sql`SELECT j.key, t.id FROM ${keys} JOIN _types t ON t.text = ${first}`, ({ text }) => [text]),
    signatures: rowsByCells<readonly [text: string, typeParams: readonly TypeParameterAbi[]]>(
      sql`SELECT j.key, s.id FROM ${keys} JOIN _signatures s ON s.declaration = ${first}`,
      ([text]) => [text],
    ),
    called: rowsByCells<Called>(
      sql`SELECT j.key, c.id FROM ${keys} JOIN _called_functions c ON c.module_id = CAST(${first} AS bigint) AND c.name = ${second}`,
      (called) => called,
    ),
    errors: rowsByCells<ErrorCodeAbi>(
      sql`SELECT j.key, e.id FROM ${keys}
      JOIN _error_codes e ON e.name = ${second} AND e.description = ${third} AND ${asText("e.code")} = ${first}`,
      ({ code, name, description }) => [`${code}`, name, description],
    ),
    error_maps: rowsByCells<ContentDigest>(
      sql`SELECT j.key, e.id FROM ${keys} JOIN _error_maps e ON e.digest = ${bytesOf(first)}`,
      (digest) => [digest],
    ),
  };
}
