import { closing } from "../base/async.ts";
import type { OpenDatabase, OpenOptions } from "../db/engine/database.ts";
import { databaseAt } from "../db/engine/database-at.ts";
import { StoreError } from "../db/engine/errors.ts";
import { uncounted } from "../db/schema/sql/predicates.ts";
import { sql } from "../db/schema/sql/sql.ts";

/** An open movedex database. Its questions are asked by query modules, such as `snapshotQueries(engine)`. */
export type Store = Omit<OpenDatabase, "watch">;

/** Asks whether a migration has left the index of words empty. */
const lacksWords = sql`SELECT 1 FROM _modules WHERE NOT EXISTS (SELECT 1 FROM _search_words) LIMIT 1`;

/**
 * Opens a database, a file or a PostgreSQL address: `write` makes, locks and migrates it, `read` changes nothing, `join` writes
 * beside a run. @throws StoreError with the reason's code and what to do
 */
export async function openStore(path: string, options: OpenOptions): Promise<Store & AsyncDisposable> {
  const store = await databaseAt(path).open(options);
  if (options.mode !== "write") return closing(store);
  try {
    if ((await store.engine.first(lacksWords)) !== undefined) {
      const { makeMissingIndex } = await import("../db/archive/content/search-words.ts");
      await store.engine.transaction(makeMissingIndex);
    }
    if ((await store.engine.first(uncounted)) !== undefined) {
      const { fillCounts } = await import("../db/archive/content/type-counts.ts");
      await fillCounts(store.engine);
    }
    return closing(store);
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** Opens a database to read it; undefined when there is none yet. @throws StoreError */
export async function openIfThere(path: string): Promise<(Store & AsyncDisposable) | undefined> {
  try {
    return await openStore(path, { mode: "read" });
  } catch (error) {
    if (error instanceof StoreError && error.code === "MOVEDEX_STORE_MISSING") return undefined;
    throw error;
  }
}
