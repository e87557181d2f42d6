import type { Database } from "better-sqlite3";
import { isPostgresAddress } from "../../base/postgresql-address.ts";
import { printable } from "../../base/printable.ts";
import { sql } from "../../schema/sql/sql.ts";
import { openSqlite } from "../connection/open-sqlite.ts";
import { findSqliteError, guarded } from "../connection/sqlite-errors.ts";
import type { Session } from "../engine/engine.ts";
import { beginReading } from "../engine/reading.ts";
import { sqliteSession } from "../engine/sqlite/sqlite-session.ts";
import { StoreError } from "../errors.ts";
import { bytecodeCheck } from "./bytecodes.ts";
import type { Check, Damage, Slice } from "./check.ts";
import { fileCheck } from "./file.ts";
import { listingCheck } from "./listings.ts";
import { addressCheck } from "./names.ts";
import { observationCheck } from "./observations.ts";
import { orphanCheck } from "./orphans.ts";
import { prepareSampling, type Sampling } from "./sampling.ts";
import { sealCheck } from "./seals.ts";
import { serverCheck } from "./server.ts";
import { spanCheck } from "./spans.ts";
import { wordCheck } from "./words.ts";

export type { Damage, Slice } from "./check.ts";
export type { HeldAccount, SampledAccount } from "./sampling.ts";

/** A database in one state: its questions, and SQLite's own connection where it is a file, which has judgements of its own. */
export type Verified = { readonly session: Session; readonly file?: Database };

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
  const { verified, close } = await openVerified(path);
  const { session } = verified;
  return {
    run: (slice) => verify(verified, slice),
    ...prepareSampling(session),
    chainId: async () => (await session.first<[number | null]>(chainId))?.[0] ?? null,
    close,
  };
}

async function openVerified(path: string): Promise<{ readonly verified: Verified; readonly close: () => Promise<void> }> {
  if (!isPostgresAddress(path)) {
    const { database, close } = openSqlite(path, { mode: "read" });
    guarded(path, "begin reading", () => database.exec("BEGIN"));
    return { verified: { session: sqliteSession(database, path), file: database }, close: async () => close() };
  }
  const { openServer } = await import("../connection/open-server.ts");
  const { engine, close } = await openServer(path, { mode: "read" });
  const reading = await beginReading(engine);
  const end = async () => {
    await reading.close();
    await close();
  };
  return { verified: { session: reading.session }, close: end };
}

/** Runs every check, one after the other. A check that the database's damage brings down is damage too, and the others go on. */
export async function* verify({ session, file }: Verified, slice: Slice): AsyncGenerator<VerifyStep> {
  const checks: Readonly<Record<string, () => Check>> = {
    tables: () => (file === undefined ? serverCheck(session, slice) : fileCheck(file, slice)),
    _bytecodes: () => bytecodeCheck(session, slice),
    _addresses: () => addressCheck(session, slice),
    observations: () => observationCheck(session, slice),
    orphans: () => orphanCheck(session, slice),
    _search_words: () => wordCheck(session, slice),
    _listings: () => listingCheck(session, slice),
    spans: () => spanCheck(session, slice),
    _pins: () => sealCheck(session, slice),
  };
  for (const [subject, prepare] of Object.entries(checks)) yield* runCheck(subject, prepare);
}

async function* runCheck(subject: string, prepare: () => Check): AsyncGenerator<VerifyStep> {
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
    const failure = failureOf(error);
    if (failure === undefined) throw error;
    const problem = `could not be read to its end: ${printable(failure)}`;
    yield { check: name, done, total: done, damage: [{ table: subject, row: "", problem }] };
  }
}

/** What a failure says where damage brings it about: any of SQLite, whose file is all there is to fail; of a server damaged data, and numbers too large to count with. */
function failureOf(error: unknown): string | undefined {
  const cause = error instanceof StoreError ? error.cause : error;
  const failure = findSqliteError(cause);
  if (failure !== undefined) return `${failure.message} (${failure.code})`;
  const state = error instanceof StoreError ? error.facts["sqlState"] : undefined;
  return typeof state === "string" && /^(?:XX|22)/.test(state) ? (error as StoreError).message : undefined;
}
