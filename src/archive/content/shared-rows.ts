import type { ErrorCodeAbi } from "../../abi/model.ts";
import type { Cell } from "../../base/cell.ts";
import type { Transaction } from "../../engine/engine.ts";
import { unreachable } from "../../errors.ts";
import type { MoveType } from "../../move/types/types.ts";
import { asText, bytesOf, hexOf, jsonEach, jsonItem } from "../../schema/sql/functions.ts";
import { named, type Sql, sql } from "../../schema/sql/sql.ts";
import type { ContentDigest } from "./abi-rows.ts";

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

  forget(): void {
    this.#ids.clear();
  }
}

const keys = jsonEach(":keys::json", "j");
const [first, second, third] = [jsonItem("j.value", 0), jsonItem("j.value", 1), jsonItem("j.value", 2)];

export const typeRows = (): SharedRows<MoveType> =>
  new SharedRows(sql`SELECT j.key, t.id FROM ${keys} JOIN _types t ON t.text = ${first}`, ({ text }) => [text]);

export type Called = readonly [module: number, name: string];

export const calledRows = (): SharedRows<Called> =>
  new SharedRows(
    sql`SELECT j.key, c.id FROM ${keys} JOIN _called_functions c ON c.module_id = CAST(${first} AS bigint) AND c.name = ${second}`,
    (called) => called,
  );

export function calledKey([module, name]: Called): string {
  return `${module} ${name}`;
}

export const errorRows = (): SharedRows<ErrorCodeAbi> =>
  new SharedRows(
    sql`SELECT j.key, e.id FROM ${keys}
    JOIN _error_codes e ON e.name = ${second} AND e.description = ${third} AND ${asText("e.code")} = ${first}`,
    ({ code, name, description }) => [`${code}`, name, description],
  );

export function errorKey({ code, name, description }: ErrorCodeAbi): string {
  return JSON.stringify([`${code}`, name, description]);
}

/** Tables whose rows are content of a module, each once. */
const contentTables = ["_functions", "_structs", "_abis"] as const;
/** The name of such a table, or that of error maps, which modules share. */
export type ContentTable = (typeof contentTables)[number] | "_error_maps";

const contentOf = (table: (typeof contentTables)[number]) =>
  sql<[module: number, digest: ContentDigest, id: number]>`SELECT c.module_id, ${hexOf("c.digest")}, c.id
    FROM ${jsonEach(":modules::json", "j")} JOIN ${named(table)} c ON c.module_id = CAST(j.value AS bigint)`;
const statements = contentTables.map((table) => [table, contentOf(table)] as const);
const errorMaps = sql<[digest: ContentDigest, id: number]>`SELECT ${hexOf("e.digest")}, e.id FROM ${jsonEach(":digests::json", "j")}
  JOIN _error_maps e ON e.digest = ${bytesOf("j.value")}`;

/** Error maps belong to no module. */
export const NO_MODULE = 0;

/** What is stored already, or about to be, by the digest of each function, struct, error map and ABI. */
export class KnownContent {
  readonly #modules = new Set<number>();
  readonly #ids: { readonly [Table in ContentTable]: Map<number, Map<ContentDigest, number>> } = {
    _functions: new Map(),
    _structs: new Map(),
    _error_maps: new Map(),
    _abis: new Map(),
  };

  /** Reads what is stored of these modules, and which of these error maps are. Nothing is stored of a module that is new. */
  async learn(
    tx: Transaction,
    modules: ReadonlySet<number>,
    isNew: (module: number) => boolean,
    maps: ReadonlySet<ContentDigest>,
  ): Promise<void> {
    const unknownMaps = [...maps].filter((digest) => this.find("_error_maps", NO_MODULE, digest) === undefined);
    if (unknownMaps.length > 0) {
      const digests = JSON.stringify(unknownMaps);
      for (const [digest, id] of await tx.all(errorMaps, { digests })) this.add("_error_maps", NO_MODULE, digest, id);
    }
    const unknown = [...modules].filter((module) => !this.#modules.has(module));
    for (const module of unknown) this.#modules.add(module);
    const stored = unknown.filter((module) => !isNew(module));
    if (stored.length === 0) return;
    const values = { modules: JSON.stringify(stored) };
    for (const [table, statement] of statements) {
      for (const [module, digest, id] of await tx.all(statement, values)) this.add(table, module, digest, id);
    }
  }

  find(table: ContentTable, module: number, digest: ContentDigest): number | undefined {
    return this.#ids[table].get(module)?.get(digest);
  }

  add(table: ContentTable, module: number, digest: ContentDigest, id: number): void {
    const ofModule = this.#ids[table].get(module);
    if (ofModule === undefined) this.#ids[table].set(module, new Map([[digest, id]]));
    else ofModule.set(digest, id);
  }
}
