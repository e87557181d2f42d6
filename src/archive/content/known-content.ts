import type { Transaction } from "../../engine/engine.ts";
import { bytesOf, each, hexOf } from "../../schema/sql/functions.ts";
import { named, type Sql, sql } from "../../schema/sql/sql.ts";
import type { ContentDigest } from "./abi-rows.ts";

/** Tables whose rows are content of a module, each once. */
const contentTables = ["_functions", "_structs", "_abis"] as const;
/** The name of such a table, or that of error maps, which modules share. */
export type ContentTable = (typeof contentTables)[number] | "_error_maps";

const contentOf = (table: (typeof contentTables)[number]): Sql =>
  sql`SELECT c.module_id, ${hexOf("c.digest")}, c.id FROM ${each(":modules::json", "j")} JOIN ${named(table)} c ON c.module_id = CAST(j.value AS bigint)`;
const statements = contentTables.map((table) => [table, contentOf(table)] as const);
const errorMaps = sql`SELECT ${hexOf("e.digest")}, e.id FROM ${each(":digests::json", "j")} JOIN _error_maps e ON e.digest = ${bytesOf("j.value")}`;

/** Error maps belong to no module. */
export const NO_MODULE = 0;

/** What is stored already of a batch, by the digest of each function, struct, error map and ABI. */
export class KnownContent {
  readonly #ids: { readonly [Table in ContentTable]: Map<number, Map<ContentDigest, number>> } = {
    _functions: new Map(),
    _structs: new Map(),
    _error_maps: new Map(),
    _abis: new Map(),
  };

  /** Reads what is stored of these modules, and which of these error maps are. Modules that are new need not be named. */
  static async read(tx: Transaction, modules: readonly number[], maps: readonly ContentDigest[]): Promise<KnownContent> {
    const known = new KnownContent();
    if (maps.length > 0) {
      const digests = JSON.stringify([...new Set(maps)]);
      for (const [digest, id] of await tx.all<[digest: ContentDigest, id: number]>(errorMaps, { digests }))
        known.add("_error_maps", NO_MODULE, digest, id);
    }
    if (modules.length === 0) return known;
    const values = { modules: JSON.stringify(modules) };
    for (const [table, statement] of statements) {
      for (const [module, digest, id] of await tx.all<[module: number, digest: ContentDigest, id: number]>(statement, values))
        known.add(table, module, digest, id);
    }
    return known;
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
