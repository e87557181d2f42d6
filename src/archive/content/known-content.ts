import type { Transaction } from "../../engine/engine.ts";
import { bytesOf, hexOf, jsonEach } from "../../schema/sql/functions.ts";
import { named, sql } from "../../schema/sql/sql.ts";
import type { ContentDigest } from "./abi-rows.ts";

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
