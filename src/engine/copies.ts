import type { VerifyDoor } from "./check.ts";
import type { Session } from "./engine.ts";

export type BackupRequest = {
  readonly file: string;
  /** Whether to pack the copy with Zstandard. */
  readonly isPacked: boolean;
  readonly now: () => number;
  /** Told as pages are copied. */
  readonly report: (pages: { readonly done: number; readonly planned: number }) => void;
};

/** Which backup to put in a database's place. */
export type RestoreRequest = {
  readonly file: string;
  /** Whether a database that is there may be replaced; it is kept beside. */
  readonly replaces: boolean;
  readonly now: () => number;
};

/** A copy that was made, or one that was put in place. */
export type FileCopy<S> = {
  /** Size of the file as it lies there. */
  readonly bytes: number;
  readonly databaseBytes: number;
  /** Of the database's plain bytes, 64 hex digits. */
  readonly sha256: string;
  /** What its judge found in it. */
  readonly seals: S;
};

/** What was put in place, and the path of what was there before. */
export type Restored<S> = FileCopy<S> & { readonly keptAside: string | null };

/** A copy that no other process uses: movedex's own tables, every page, index and reference in order. */
export type CopyDoor = VerifyDoor & {
  readonly path: string;
  /** Whether its tables are today's. Those of an older movedex cannot be read before they are migrated, which is not done to a copy. */
  readonly isToday: boolean;
};

/** What an archive makes sure of in a copy before it takes its place. `S`: what a copy has to have in common with its original. */
export type CopyJudge<S> = {
  readonly seals: (session: Session) => Promise<S>;
  /** @param expected what the original has; undefined where the copy is all there is */
  readonly check: (copy: CopyDoor, expected?: S) => Promise<S>;
};
