import type { Database } from "better-sqlite3";
import { and, asc, desc, drizzle, eq, gte, sql } from "../../schema/dialects/drizzle.ts";
import { sqliteTables } from "../../schema/dialects/sqlite.ts";
import type { Synchronous } from "../connection/asynchronous.ts";

/** What a run did, recorded when it ends. */
export type RunEnd = {
  readonly now: number;
  /** A name of the exit code table. */
  readonly exit: string;
  readonly ledgerVersion: bigint | null;
  readonly requests: number;
  readonly retries: number;
  readonly bytesReceived: number;
  readonly accounts: number;
  readonly modules: number;
  readonly newBytecodes: number;
  readonly gaps: number;
};

/** A run as it is kept; what is null is not known: the run is going on, or died. */
export type RunRecord = Readonly<typeof sqliteTables.runs.$inferSelect>;

/** What a node said of its newest and oldest version, and when. */
export type HeadSample = {
  /** The node's URL without credentials. */
  readonly node: string;
  readonly sampledAt: number;
  readonly headVersion: bigint;
  readonly oldestVersion: bigint;
  readonly timestampUsec: bigint;
};

/** The records of runs, and of how the readable windows of nodes moved. */
export type RunStore = {
  /** Records the start of a run; returns its number. */
  readonly startRun: (run: { readonly command: string; readonly appVersion: string; readonly now: number }) => Promise<number>;
  readonly finishRun: (id: number, end: RunEnd) => Promise<void>;
  /** The newest runs, newest first. */
  readonly listRuns: (limit: number) => Promise<readonly RunRecord[]>;
  readonly addHeadSample: (sample: HeadSample) => Promise<void>;
  /** What nodes said since a moment, oldest first. */
  readonly headSamples: (options: { readonly since: number }) => Promise<readonly HeadSample[]>;
  /** The newest version in any node's answer, from samples and pins alike, and when that was (milliseconds since 1970). */
  readonly newestHead: () => Promise<
    { readonly headVersion: bigint; readonly timestampUsec: bigint; readonly seenAtMs: number } | undefined
  >;
  /** Strikes out every answer with this newest version, as where a node's was false; returns how many. Snapshots stay. */
  readonly forgetHead: (headVersion: bigint) => Promise<number>;
};

const { head_samples: samples, pins, runs } = sqliteTables;

const isNotStruckOut = sql`${pins.head_timestamp_usec} <> '0'`;

/** SQLite numbers a row whose key is null. */
const nextNumber = sql<number>`NULL`;

/** Prepares the records of runs on a connection. */
export function prepareRuns(database: Database): Synchronous<RunStore> {
  const db = drizzle(database);
  const heads = {
    node: samples.node,
    sampledAt: samples.sampled_at,
    headVersion: samples.head_version,
    oldestVersion: samples.oldest_version,
    timestampUsec: samples.timestamp_usec,
  };
  return {
    startRun: ({ command, appVersion, now }) =>
      Number(db.insert(runs).values({ id: nextNumber, command, app_version: appVersion, started_at: now }).run().lastInsertRowid),
    finishRun: (id, { now, exit, ledgerVersion, requests, retries, bytesReceived, accounts, modules, newBytecodes, gaps }) => {
      const counts = { requests, retries, bytes_received: bytesReceived, accounts, modules, new_bytecodes: newBytecodes, gaps };
      db.update(runs)
        .set({ finished_at: now, exit, ledger_version: ledgerVersion, ...counts })
        .where(eq(runs.id, id))
        .run();
    },
    listRuns: (limit) => db.select().from(runs).orderBy(desc(runs.id)).limit(limit).all(),
    addHeadSample: ({ node, sampledAt, headVersion, oldestVersion, timestampUsec }) => {
      const row = { node, sampled_at: sampledAt, head_version: headVersion, oldest_version: oldestVersion, timestamp_usec: timestampUsec };
      db.insert(samples)
        .values({ id: nextNumber, ...row })
        .run();
    },
    headSamples: ({ since }) =>
      db.select(heads).from(samples).where(gte(samples.sampled_at, since)).orderBy(asc(samples.sampled_at), asc(samples.id)).all(),
    forgetHead: (headVersion) => {
      const dropped = db.delete(samples).where(eq(samples.head_version, headVersion)).run().changes;
      const struck = db
        .update(pins)
        .set({ head_version: sql`${pins.ledger_version}`, head_timestamp_usec: 0n })
        .where(and(eq(pins.head_version, headVersion), isNotStruckOut))
        .run().changes;
      return dropped + struck;
    },
    newestHead: () => {
      const sampled = db.select(heads).from(samples).orderBy(desc(samples.head_version)).limit(1).get();
      const pinned = db
        .select({ headVersion: pins.head_version, timestampUsec: pins.head_timestamp_usec, sampledAt: pins.created_at })
        .from(pins)
        .where(isNotStruckOut)
        .orderBy(desc(pins.head_version))
        .limit(1)
        .get();
      const newest = sampled === undefined || (pinned !== undefined && pinned.headVersion >= sampled.headVersion) ? pinned : sampled;
      return newest && { headVersion: newest.headVersion, timestampUsec: newest.timestampUsec, seenAtMs: newest.sampledAt };
    },
  };
}
