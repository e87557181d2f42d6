import { createHash } from "node:crypto";
import { closeSync, existsSync, fsyncSync, openSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { syncPath, systemReason } from "../../core/base/files.ts";
import { pathError } from "./manifest.ts";

/** Text is buffered up to about this many characters. */
const PIECE = 65_536;

/** Creates a new file; one of that name must not exist. @throws ExchangeError `MOVEDEX_EXPORT_WRITE` */
export function createHashedFile(path: string) {
  const descriptor = attempt(path, () => openSync(path, "wx"));
  const hash = createHash("sha256");
  let bytes = 0;
  let text = "";
  let isOpen = true;
  const put = (data: Uint8Array): void => {
    hash.update(data);
    attempt(path, () => writeFileSync(descriptor, data));
    bytes += data.length;
  };
  const flush = (): void => {
    if (text !== "") put(Buffer.from(text, "utf8"));
    text = "";
  };
  const release = (): void => {
    if (isOpen) closeSync(descriptor);
    isOpen = false;
  };
  return {
    write: (data: Uint8Array | string): void => {
      if (typeof data === "string") {
        text += data;
        if (text.length >= PIECE) flush();
        return;
      }
      flush();
      put(data);
    },
    /** Flushes everything to the disk. `sha256` is 64 hex digits. */
    close: (): { readonly bytes: number; readonly sha256: string } => {
      flush();
      attempt(path, () => fsyncSync(descriptor));
      release();
      return { bytes, sha256: hash.digest("hex") };
    },
    /** Closes a file that was not finished. */
    [Symbol.dispose]: release,
  };
}

export type HashedFile = ReturnType<typeof createHashedFile>;

/** Runs an operation on a file. @throws ExchangeError `MOVEDEX_EXPORT_WRITE` with the path if it fails */
export function attempt<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    const { code: reason = String(error) } = error as NodeJS.ErrnoException;
    const text = `could not write \`${path}\`: ${systemReason(error)}. What was exported before is untouched; mend the cause and run the same command again.`;
    throw pathError(path, "MOVEDEX_EXPORT_WRITE", text, { reason }, error);
  }
}

/**
 * The ending of a file that is being written. No reader's pattern such as `part-*` with `gaps.parquet` behind it matches such a name.
 * A folder would not do: DuckDB's and polars' `*` also matches names that begin with a dot.
 */
export const DRAFT = ".tmp";

/** A new export is written in here, one folder deeper than readers look, so that it appears at once with all of its files. */
export const STAGE = `new${DRAFT}`;

/** Puts all drafts of an export directory in their places, after a power cut too: all are on the disk before the first moves. */
export function publishDrafts(path: string): void {
  attempt(path, () => {
    for (const folder of new Set(draftsIn(path).map(dirname))) syncPath(folder);
    const stage = join(path, STAGE);
    for (const part of existsSync(stage) ? readdirSync(stage) : []) {
      moveAll(draftsIn(join(stage, part)));
      renameSync(join(stage, part), join(path, part));
    }
    rmSync(stage, { recursive: true, force: true });
    // The manifest comes last.
    const drafts = draftsIn(path);
    moveAll(drafts.filter((draft) => dirname(draft) !== path));
    moveAll(drafts.filter((draft) => dirname(draft) === path));
    syncPath(path);
  });
}

/** Removes all drafts. @returns whether there were any: an export was killed, perhaps while they took their places */
export function removeDrafts(path: string): boolean {
  if (!existsSync(path)) return false;
  const drafts = draftsIn(path);
  for (const draft of drafts) rmSync(draft);
  rmSync(join(path, STAGE), { recursive: true, force: true });
  return drafts.length > 0;
}

/** All drafts in a folder and its subfolders, sorted. */
function draftsIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(DRAFT))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

function moveAll(drafts: readonly string[]): void {
  for (const draft of drafts) renameSync(draft, draft.slice(0, -DRAFT.length));
  for (const folder of new Set(drafts.map(dirname))) syncPath(folder);
}
