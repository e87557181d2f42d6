import type { Cell } from "../../core/base/cell.ts";
import type { ModuleId } from "../../core/move/module-id.ts";
import type { AbortExplanation } from "../explain/explain-abort.ts";

/** A snapshot: a ledger version, or a word for one. */
export type SnapshotName = bigint | "latest" | "previous" | "oldest";

/** A module as it stood over a stretch of sealed snapshots. */
export type ArchivedModule = ModuleId & {
  /** The first snapshot that showed it so. */
  readonly from: bigint;
  /** The last one; null while it stands. */
  readonly to: bigint | null;
  /** Of its bytes, 64 hex digits. */
  readonly sha256: string;
  /** Bytes. */
  readonly size: number;
};

/** A movedex database, open for reading. Every method rejects with a `MovedexError` whose sentence says what to do. */
export type Archive = {
  /** The chain's number; null while nothing was read. */
  chainId(): Promise<number | null>;
  /** Ledger versions of the sealed snapshots, oldest first. */
  snapshots(): Promise<readonly bigint[]>;
  /** Modules at a snapshot, the latest if none is named, of one account or of all. */
  modules(options?: { readonly at?: SnapshotName; readonly account?: string }): Promise<readonly ArchivedModule[]>;
  /**
   * A module (`0x1::coin`, or `coin` if one account has it) with its bytecode; at the newest snapshot that covers its account
   * if none is named. A version between two snapshots that agree is answered too. `MOVEDEX_NOT_HELD` if it is not there.
   */
  module(name: string, options?: { readonly at?: SnapshotName }): Promise<ArchivedModule & { readonly bytes: Uint8Array }>;
  /** All that a module was, oldest first. */
  history(name: string): Promise<readonly ArchivedModule[]>;
  /** The bytecode of a module that `modules` or `history` gave. */
  bytes(module: ArchivedModule): Promise<Uint8Array>;
  /** `explainAbort`, with the errors of the module as it stood at a snapshot; if it is not held, without them. */
  explainAbort(message: string, options?: { readonly at?: SnapshotName }): Promise<AbortExplanation | undefined>;
  /**
   * The rows of one reading SQL statement over the public views, with values for `?` (PostgreSQL: `$1`) or `:name`. `Row` is
   * what you say they are: `movedex/views` has the type of each view's rows.
   */
  query<Row extends object = Readonly<Record<string, Cell>>>(
    sql: string,
    parameters?: readonly Cell[] | Readonly<Record<string, Cell>>,
  ): AsyncIterable<Row>;
  close(): Promise<void>;
};
