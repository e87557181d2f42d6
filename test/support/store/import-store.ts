import { openForeignArchive } from "../../../src/archive/import/foreign-archive.ts";
import type { ImportResult } from "../../../src/archive/import/importing.ts";
import type { Store } from "../../../src/work/store.ts";
import { NOON } from "./temporary-store.ts";

/** Imports a whole database. */
export async function importPath(store: Store, path: string): Promise<ImportResult> {
  await using archive = await openForeignArchive(path);
  const { session, snapshots, chainId } = archive;
  return await store.importArchive({ path, session, snapshots, chainId: chainId ?? 4, now: NOON });
}
