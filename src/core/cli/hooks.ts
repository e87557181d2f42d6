import type { Metric } from "../base/exposition.ts";
import type { Log } from "../base/log.ts";
import type { Clock } from "../base/time.ts";
import type { Check, Slice } from "../db/engine/check.ts";
import type { Engine, Session, Transaction } from "../db/engine/engine.ts";

/** A database in which snapshots were sealed, or changes found more exactly, open to write. */
export type Sealed = {
  readonly engine: Engine;
  readonly path: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal?: AbortSignal;
};

/** Rows that follow from bytecode. */
export type DerivedRows = {
  /** Where a damage lies of which no more is known. */
  readonly table: string;
  /** Makes each of a slice again, and compares. */
  readonly check: (session: Session, slice: Slice) => Check;
  /** Deletes all, for `afterSeal` to make them anew. */
  readonly forget: (tx: Transaction) => Promise<void>;
};

/** What a capability does where others work, each loaded when it is wanted. */
export type Hooks = {
  readonly name: string;
  /** Is called after what seals snapshots. What it leaves undone, such as at a signal, the next call does. */
  readonly afterSeal?: () => Promise<(sealed: Sealed) => Promise<unknown>>;
  /** Rows that it keeps, for `verify`. */
  readonly derivedRows?: () => Promise<DerivedRows>;
  /** What `doctor` is to warn of. */
  readonly warnings?: () => Promise<(engine: Engine, path: string) => Promise<readonly Warning[]>>;
  /** What a file of metrics has of it. */
  readonly metrics?: () => Promise<(engine: Engine) => Promise<readonly Metric[]>>;
};

export async function derivedRowsOf(hooks: readonly Hooks[]): Promise<DerivedRows[]> {
  return Promise.all(hooks.flatMap(({ derivedRows }) => derivedRows?.() ?? []));
}

export type Warning = { readonly subject: string; readonly text: string };
