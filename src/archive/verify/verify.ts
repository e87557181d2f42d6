import { printable } from "../../base/printable.ts";
import type { Check, Damage, Slice, VerifyDoor } from "../../engine/check.ts";
import { databaseAt } from "../../engine/database-at.ts";
import { sql } from "../../schema/sql/sql.ts";
import { bytecodeCheck } from "./bytecodes.ts";
import { listingCheck } from "./listings.ts";
import { addressCheck } from "./names.ts";
import { observationCheck } from "./observations.ts";
import { orphanCheck } from "./orphans.ts";
import { prepareSampling, type Sampling } from "./sampling.ts";
import { sealCheck } from "./seals.ts";
import { wordCheck } from "./search-index.ts";
import { spanCheck } from "./spans.ts";

export type { Damage, Slice } from "../../engine/check.ts";
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

const chainId = sql`SELECT chain_id FROM _archive`;

/**
 * Opens a database to verify it. As long as it is open, writers' log cannot be folded into the file, and a server cannot clear away old
 * rows, so a long run beside a long write costs disk: close it when done.
 *
 * @throws StoreError when it is no database that can be read at all
 */
export async function openVerification(path: string): Promise<Verification> {
  const door = await databaseAt(path).openToVerify();
  const { session, close } = door;
  return {
    run: (slice) => verify(door, slice),
    ...prepareSampling(session),
    chainId: async () => (await session.first<[number | null]>(chainId))?.[0] ?? null,
    close,
  };
}

/** Runs every check, one after the other. A check that the database's damage brings down is damage too, and the others go on. */
export async function* verify({ session, tables, damageIn }: Omit<VerifyDoor, "close">, slice: Slice): AsyncGenerator<VerifyStep> {
  const checks: Readonly<Record<string, () => Check>> = {
    tables: () => tables(slice),
    _bytecodes: () => bytecodeCheck(session, slice),
    _addresses: () => addressCheck(session, slice),
    observations: () => observationCheck(session, slice),
    orphans: () => orphanCheck(session, slice),
    _search_words: () => wordCheck(session, slice),
    _listings: () => listingCheck(session, slice),
    spans: () => spanCheck(session, slice),
    _pins: () => sealCheck(session, slice),
  };
  for (const [subject, prepare] of Object.entries(checks)) yield* runCheck(subject, prepare, damageIn);
}

async function* runCheck(subject: string, prepare: () => Check, damageIn: VerifyDoor["damageIn"]): AsyncGenerator<VerifyStep> {
  let done = 0;
  let name = subject;
  try {
    const check = prepare();
    name = check.name;
    const total = await check.total();
    for await (const damage of check.steps()) {
      done += 1;
      yield { check: name, done, total: Math.max(done, total), damage };
    }
  } catch (error) {
    const failure = damageIn(error);
    if (failure === undefined) throw error;
    const problem = `could not be read to its end: ${printable(failure)}`;
    yield { check: name, done, total: done, damage: [{ table: subject, row: "", problem }] };
  }
}
