import type { ErrorCodeAbi } from "../../../abi/model.ts";
import type { Cell } from "../../../base/cell.ts";
import { unreachable } from "../../../errors.ts";
import type { MoveType } from "../../../move/types/make-type.ts";
import type { Transaction } from "../../engine/engine.ts";
import { asText, bytesOf, hexOf, jsonEach, jsonItem } from "../../schema/sql/functions.ts";
import { type Sql, sql } from "../../schema/sql/sql.ts";
import type { ContentDigest } from "./abi-rows.ts";

/** Numbers of rows remembered from batch to batch: most modules name the same few hundred types, functions and errors. */
const REMEMBERED_MAX = 20_000;

type Keyed<Item> = readonly (readonly [key: string, item: Item])[];

/** Rows that are each once in their table: their numbers, by a text that tells a row from others. */
export class SharedRows<Item> {
  readonly #read: (tx: Transaction, asked: Keyed<Item>) => Promise<Keyed<number>>;
  readonly #ids = new Map<string, number>();

  /** @param read gives the numbers of rows by their texts, at least of those among the asked that are stored */
  constructor(read: (tx: Transaction, asked: Keyed<Item>) => Promise<Keyed<number>>) {
    this.#read = read;
  }

  /** Looks up everything that is named, except what `isNew` is sure of. Returns what has no row yet. */
  async find(tx: Transaction, wanted: ReadonlyMap<string, Item>, isNew: (item: Item) => boolean): Promise<ReadonlyMap<string, Item>> {
    const unknown = new Map<string, Item>();
    const asked: [key: string, item: Item][] = [];
    for (const [key, item] of wanted) {
      if (this.#ids.has(key)) continue;
      unknown.set(key, item);
      if (!isNew(item)) asked.push([key, item]);
    }
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

export type Called = readonly [module: number, name: string];

export function calledKey([module, name]: Called): string {
  return `${module} ${name}`;
}

export function errorKey({ code, name, description }: ErrorCodeAbi): string {
  return JSON.stringify([`${code}`, name, description]);
}

export function contentKey(module: number, digest: ContentDigest): string {
  return `${module} ${digest}`;
}

/** ABIs by `contentKey`, or what ABIs have, each with its module: all that is stored of a module is read at once. */
function contentRows(content: Sql): SharedRows<number> {
  const ofModules = sql<[key: string, id: number]>`SELECT DISTINCT c.module_id || ' ' || ${hexOf("c.digest")}, c.id
    FROM ${jsonEach(":modules::json", "j")} JOIN _abis a ON a.module_id = CAST(j.value AS bigint) ${content}`;
  return new SharedRows((tx, asked) => tx.all(ofModules, { modules: JSON.stringify([...new Set(asked.map(([, module]) => module))]) }));
}

/** The numbers of all rows that ABIs share, by table. */
export function sharedRows() {
  return {
    types: rowsByCells<MoveType>(sql`SELECT j.key, t.id FROM ${keys} JOIN _types t ON t.text = ${first}`, ({ text }) => [text]),
    signatures: rowsByCells<string>(sql`SELECT j.key, s.id FROM ${keys} JOIN _signatures s ON s.declaration = ${first}`, (text) => [text]),
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
    functions: contentRows(sql`JOIN _abi_functions l ON l.abi_id = a.id JOIN _functions c ON c.id = l.function_id`),
    structs: contentRows(sql`JOIN _abi_structs l ON l.abi_id = a.id JOIN _structs c ON c.id = l.struct_id`),
    abis: contentRows(sql`JOIN _abis c ON c.id = a.id`),
  };
}
