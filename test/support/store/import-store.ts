import { openForeignArchive } from "../../../src/capabilities/import/foreign-snapshots.ts";
import { type ImportResult, importQueries } from "../../../src/capabilities/import/importing.ts";
import type { Engine } from "../../../src/core/db/engine/engine.ts";
import { NOON } from "./temporary-store.ts";

/** Imports a whole database. */
export async function importPath(engine: Engine, path: string): Promise<ImportResult> {
  await using archive = await openForeignArchive(path);
  const { session, snapshots, chainId } = archive;
  return await importQueries(engine).importArchive({ path, session, snapshots, chainId: chainId ?? 4, now: NOON });
}
