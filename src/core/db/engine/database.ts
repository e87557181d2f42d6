import type { VerifySession } from "./check.ts";
import type { Engine, Integer } from "./engine.ts";
import type { QueryOptions, SqlSession } from "./sql-session.ts";

/** Opening to read: the database is never changed or made. */
export type ReadOptions = {
  readonly mode: "read";
  /** How long to wait for another's lock, in milliseconds. Default: 10 s. */
  readonly lockTimeoutMs?: number;
  readonly whenBusy?: WhenBusy | undefined;
  /** Ends waiting for a server that hangs. */
  readonly ending?: AbortSignal;
  /**
   * On a server: the maximum of connections (default: 8), and the time limit of a statement (default: the server's own). A file has one
   * connection, and its statements cannot be stopped.
   */
  readonly connections?: number;
  readonly statementTimeoutMs?: number;
};

/** Opening to write: the database is made when missing, and migrated. A file is locked too. `now` gives milliseconds since 1970. */
export type WriteOptions = {
  readonly mode: "write";
  readonly now: () => number;
  readonly appVersion?: string;
  /** Hears, in a sentence, that a server which went away is waited for, or that the tables of an older file were changed. */
  readonly onNotice?: (sentence: string) => void;
  /** Ends waiting for such a server. */
  readonly ending?: AbortSignal;
  /** Milliseconds until `ending` ends the wait. */
  readonly leftMs?: () => number;
  readonly whenBusy?: WhenBusy;
  /** Whether views are made anew though they are noted as this movedex's. */
  readonly viewsAnew?: boolean;
  /**
   * What it does where others may write to a server at the same time; of `backfill` there is one. Without it, it writes alone.
   */
  readonly beside?: SharedWork;
};

/** Work that several processes may do on a server at the same time, each its own. */
export type SharedWork = "sync" | "backfill" | "trace";

/**
 * How a database is opened. `read` never changes or makes it. `join` writes in short transactions beside the run that has the
 * lock `write`, for things that no run changes, such as the list of targets.
 */
export type OpenOptions = WriteOptions | ReadOptions | JoinOptions;

export type JoinOptions = { readonly mode: "join"; readonly whenBusy?: WhenBusy };

/**
 * Called when another program has locked a file, or a server's tables for all of `waitedMs`, or is in the way as `why` says: resolves when
 * to try again, with false to give up. Without it 10 s are waited.
 */
export type WhenBusy = (waitedMs?: number, why?: string) => Promise<boolean>;

export type OpenDatabase = { readonly engine: Engine; readonly close: () => Promise<void>; readonly watch: () => Promise<DatabaseWatch> };

export type DatabaseWatch = {
  /** Another number once some other process has committed. Undefined where finding out costs as much as asking for the rows. */
  readonly changes: (() => Promise<Integer>) | undefined;
  /** Whether another database or none lies in its place by now (a restore, a file moved there): row numbers mean nothing in that one. */
  readonly isReplaced: () => Promise<boolean>;
};

export type LockName = "write" | "backup" | "night" | "tell" | "week";

/** Something around a database, such as its folder or a lock, and whether it is in the way of a run. */
export type Surrounding = { readonly state: "ok" | "warn" | "fail"; readonly text: string };

/** What an engine is called in answers. */
export const engineNames = ["sqlite", "postgresql"] as const;
export type EngineName = (typeof engineNames)[number];

/** A place where a database is or may be. What is wanted of it is asked here, and nobody asks which engine it is of. */
export type Database = {
  /** What it is called among others on the machine: a file's folder and name, a server's database and schema. Without secrets. */
  readonly name: string;
  readonly engine: EngineName;
  /** Whether several processes can share the work in it. */
  readonly isShareable: boolean;
  /** Whether a statement can be stopped in its midst; where not, the process that asked it has to be ended. */
  readonly stopsStatements: boolean;
  readonly absence: string;
  /** The paths of its files: its own, and what comes and goes beside it. */
  readonly files: () => Promise<readonly string[]>;
  /** Where readers of its pages ask it in SQL, as nothing ends their statements here; undefined where the pages may ask. */
  readonly otherSql?: string;
  /** @throws StoreError when a server cannot be asked */
  readonly isThere: (options?: Pick<ReadOptions, "whenBusy" | "ending">) => Promise<boolean>;
  readonly isDatabase: () => Promise<boolean>;
  /** @throws StoreError */
  readonly open: (options: OpenOptions) => Promise<OpenDatabase>;
  /** Opens it for the user's own SQL, which cannot write. Takes no lock, and loads nothing that SQL does not need. @throws StoreError */
  readonly openToQuery: (options?: QueryOptions) => Promise<SqlSession & AsyncDisposable>;
  /** Opens one state of it, until it is closed; waits for others' locks as reading does. @throws StoreError */
  readonly openToVerify: (options?: Pick<ReadOptions, "lockTimeoutMs">) => Promise<VerifySession>;
  /** Takes a lock for a process of a machine, and returns what frees it. @throws StoreError `MOVEDEX_STORE_LOCKED` when another has it */
  readonly acquireLock: (name: LockName, by: { readonly now: () => number; readonly host: string }) => Promise<() => Promise<void>>;
  /** The place itself: whether its files can be written to, who has its locks, whether its disk has room. Nothing is changed. */
  readonly surroundings: () => Promise<readonly Surrounding[]>;
  /** Makes sure that it is copied as a file. @throws ConfigError that names the engine's own tools, where these copy it */
  readonly assertFile: (what: "backup" | "restore", file: string) => void;
};
