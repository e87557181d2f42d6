import { openForeignArchive } from "../../../src/capabilities/import/foreign-archive.ts";
import { type ImportResult, importArchive } from "../../../src/capabilities/import/replay.ts";
import type { Engine } from "../../../src/core/db/engine/engine.ts";
import { NOON } from "./temporary-store.ts";

/** Imports a whole database. */
export async function importPath(engine: Engine, path: string): Promise<ImportResult> {
  await using archive = await openForeignArchive(path);
  return await importArchive(engine, { ...archive, chainId: archive.chainId ?? 4 }, NOON);
}
