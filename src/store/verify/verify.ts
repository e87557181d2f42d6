import type { Database } from "better-sqlite3";
import { printable } from "../../base/printable.ts";
import { asynchronous, type Synchronous } from "../connection/asynchronous.ts";
import { prepareHotStatements } from "../connection/hot-statements.ts";
import { openSqlite } from "../connection/open-sqlite.ts";
import { findSqliteError, guarded } from "../connection/sqlite-errors.ts";
import { bytecodeCheck } from "./bytecodes.ts";
import type { Check, Damage, Slice } from "./check.ts";
import { fileCheck } from "./file.ts";
import { listingCheck } from "./listings.ts";
import { addressCheck } from "./names.ts";
import { observationCheck } from "./observations.ts";
import { orphanCheck } from "./orphans.ts";
import { prepareSampling, type Sampling } from "./sampling.ts";
import { sealCheck } from "./seals.ts";
import { spanCheck } from "./spans.ts";
import { wordCheck } from "./words.ts";

export type { Damage, Slice } from "./check.ts";
export type { HeldAccount, SampledAccount } from "./sampling.ts";

/** One step of verifying: number `done` of `total` things of the kind `check`, and what is wrong with it. */
export type VerifyStep = { readonly check: string; readonly done: number; readonly total: number; readonly damage: readonly Damage[] };

/** A database as verifying sees it: one state of it, whatever others write meanwhile, and never changed. */
export type Verification = Sampling & {
  /** Looks at everything, or at a slice of it. Leaving the loop early costs nothing more. */
  readonly run: (slice: Slice) => AsyncIterable<VerifyStep>;
  readonly chainId: () => Promise<number | null>;
  readonly close: () => Promise<void>;
};

/**
 * Opens a database to verify it. As long as it is open, writers' log cannot be folded into the file, so a long run beside a
 * long write costs disk: close it when done.
 *
 * @throws StoreError when it is no database that can be read at all
 */
export async function openVerification(path: string): Promise<Verification> {
  const { database, close } = openSqlite(path, { mode: "read" });
  const methods = guarded(path, "begin reading", (): Synchronous<Verification> => {
    database.exec("BEGIN");
    const chainId = database.prepare<[], bigint | null>("SELECT chain_id FROM archive").pluck();
    return {
      run: function* (slice) {
        yield* verify(database, slice);
      },
      ...prepareSampling(database),
      chainId: () => {
        const stored = chainId.get();
        return stored === undefined || stored === null ? null : Number(stored);
      },
      close,
    };
  });
  return asynchronous<Verification>(methods, "read the database", path);
}

/** Runs every check on a connection, one after the other. A check that the file's damage brings down is damage too, and the others go on. */
export function* verify(database: Database, slice: Slice): Generator<VerifyStep> {
  const checks: Readonly<Record<string, () => Check>> = {
    tables: () => fileCheck(database, slice),
    bytecodes: () => bytecodeCheck(database, slice),
    addresses: () => addressCheck(database, slice),
    observations: () => observationCheck(database, slice),
    orphans: () => orphanCheck(database, slice),
    search_index: () => wordCheck(database, slice),
    listings: () => listingCheck(database, slice),
    spans: () => spanCheck(database, slice),
    pins: () => sealCheck(database, prepareHotStatements(database), slice),
  };
  for (const [subject, prepare] of Object.entries(checks)) yield* runCheck(subject, prepare);
}

function* runCheck(subject: string, prepare: () => Check): Generator<VerifyStep> {
  let done = 0;
  let name = subject;
  try {
    const check = prepare();
    name = check.name;
    const total = check.total();
    for (const damage of check.steps()) {
      done += 1;
      yield { check: name, done, total: Math.max(done, total), damage };
    }
  } catch (error) {
    const failure = findSqliteError(error);
    if (failure === undefined) throw error;
    const problem = `could not be read to its end: ${printable(failure.message)} (${failure.code})`;
    yield { check: name, done, total: done, damage: [{ table: subject, row: "", problem }] };
  }
}
