/**
 * movedex as a library: what the commands do, as functions over values. Nothing of the command line is loaded, and no database
 * before `openArchive`. docs/library.md shows each of them. @module
 */
import type { Archive } from "./capabilities/library/archive.ts";

export type { Archive, ArchivedModule, SnapshotName } from "./capabilities/library/archive.ts";
export type { Cell } from "./core/base/cell.ts";
export * from "./decode.ts";
export * from "./diff.ts";
export * from "./explain.ts";

/**
 * Opens a movedex database to read: a file, or `postgres://user@host/database` completed by libpq's variables. A run may write
 * meanwhile. @throws MovedexError `MOVEDEX_STORE_…` when the file is missing, is no movedex database, or is of another version
 */
export async function openArchive(path: string): Promise<Archive> {
  const { openHeldArchive } = await import("./capabilities/library/archive.ts");
  return openHeldArchive(path);
}
