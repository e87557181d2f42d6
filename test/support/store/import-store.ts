import { type ExportDoor, openExportDoor } from "../../../src/archive/copy/exporting.ts";
import type { ImportResult } from "../../../src/archive/merge/importing.ts";
import { closing } from "../../../src/base/closing.ts";
import { type ArchiveTableName, archiveTables } from "../../../src/schema/archive.ts";
import type { Store } from "../../../src/work/store.ts";
import { NOON } from "./temporary-store.ts";

/** Imports what an export door gives, each row as `change` makes it. */
export async function importFrom(
  store: Store,
  door: ExportDoor,
  change: (table: ArchiveTableName, row: readonly unknown[]) => readonly unknown[] = (_, row) => row,
): Promise<ImportResult> {
  const versions = door.snapshots.map(({ ledgerVersion }) => ledgerVersion);
  return store.importArchive({
    chainId: door.chainId ?? 4,
    kind: "database",
    name: door.path,
    digest: door.path,
    rows: async function* () {
      for (const table of Object.keys(archiveTables) as ArchiveTableName[])
        yield { part: 0, table, rows: await Array.fromAsync(door.archiveRows(table, versions, []), (row) => change(table, row) as never) };
    },
    now: NOON,
  });
}

/** Imports a whole database file. */
export async function importPath(store: Store, path: string): Promise<ImportResult> {
  await using door = closing(await openExportDoor(path));
  return await importFrom(store, door);
}
