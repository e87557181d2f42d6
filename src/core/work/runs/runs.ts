import { keepTime, madeAt } from "../../db/archive/times/ledger-times.ts";
import type { Engine } from "../../db/engine/engine.ts";
import { addRow, orNull, rowOf, text, version, versionsOf, whole } from "../../db/engine/row-shape.ts";
import { writeChecksum } from "../../db/schema/sql/checksum.ts";
import { later } from "../../db/schema/sql/functions.ts";
import { sql, verbatim } from "../../db/schema/sql/sql.ts";
import { workTables } from "../../db/schema/tables/work.ts";
import type { NodeStats } from "../../node/open-node.ts";
import type { Head } from "../../node/protocol/ledger-head.ts";

export type RunEnd = Pick<NodeStats, "requests" | "retries" | "bytesReceived"> & {
  readonly now: number;
  /** A name of the exit code table. */
  readonly exit: string;
  /** The snapshot it worked on last; null when it worked on none. */
  readonly ledgerVersion: bigint | null;
  readonly accounts: number;
  readonly modules: number;
  readonly newBytecodes: number;
  readonly gaps: number;
};

/** A run as it is kept; what is null is not known: the run is going on, or died. */
export type RunRecord = ReturnType<typeof run.read>;

/** What a node, by its URL without credentials, said of its newest and oldest version, and when. */
export type StoredSample = ReturnType<typeof sample.read>;

const head = rowOf({ ledgerVersion: version("h.head_version"), timestampUsec: version("h.reported_usec"), seenAtMs: whole("h.seen_at") });
/** What a node said of its newest version, and when that was (milliseconds since 1970). */
export type SeenHead = ReturnType<typeof head.read>;
const sample = rowOf({
  node: text("node"),
  sampledAt: whole("sampled_at"),
  headVersion: version("head_version"),
  oldestVersion: version("oldest_version"),
  timestampUsec: version("timestamp_usec"),
});

const run = rowOf({
  id: whole("id"),
  command: text("command"),
  appVersion: text("app_version"),
  startedAt: whole("started_at"),
  finishedAt: orNull(whole("finished_at")),
  exit: orNull(text("exit")),
  ledgerVersion: orNull(version("ledger_version")),
  requests: orNull(whole("requests")),
  retries: orNull(whole("retries")),
  bytesReceived: orNull(whole("bytes_received")),
  accounts: orNull(whole("accounts")),
  modules: orNull(whole("modules")),
  newBytecodes: orNull(whole("new_bytecodes")),
  gaps: orNull(whole("gaps")),
  ...madeAt("r.ledger_version"),
});

const start = sql`INSERT INTO _runs (command, app_version, started_at) VALUES (:command, :appVersion, :now::time) RETURNING id`;
const finish = sql`UPDATE _runs SET finished_at = :now::time, exit = :exit, ledger_version = :ledgerVersion::version, requests = :requests,
  retries = :retries, bytes_received = :bytesReceived, accounts = :accounts, modules = :modules, new_bytecodes = :newBytecodes, gaps = :gaps
  WHERE id = :id`;
const checkRun = writeChecksum(workTables.runs);
const newest = sql`SELECT ${run.columns} FROM _runs r WHERE command <> 'report' ORDER BY id DESC LIMIT :limit`;
const noteReport = sql`INSERT INTO _runs (command, app_version, started_at, finished_at, exit, ledger_version)
  VALUES ('report', :appVersion, :now::time, :now::time, 'done', :ledgerVersion) RETURNING id`;
const lastReport = sql<[number]>`SELECT started_at FROM _runs WHERE command = 'report' ORDER BY id DESC LIMIT 1`;
const reported = sql`SELECT ledger_version FROM _runs WHERE command = 'report' GROUP BY ledger_version ORDER BY max(id) DESC LIMIT :limit`;

const addSample = sql`INSERT INTO _head_samples (node, sampled_at, head_version, oldest_version, timestamp_usec)
  VALUES (:node, :sampledAt::time, :headVersion, :oldestVersion, :timestampUsec::u64) RETURNING id`;
const checkSample = writeChecksum(workTables.head_samples);
const sampledAt = sql`SELECT 1 FROM _head_samples WHERE node = :node LIMIT 1`;
const sampledAbove = sql`SELECT 1 FROM _head_samples WHERE oldest_version > :oldest LIMIT 1`;
/** How much older than the newest one a sample may be. */
const SAMPLED_MS = 14 * 86_400_000;
const samplesBefore = sql`FROM _head_samples WHERE sampled_at <= :upTo::time`;
const samplesUpTo = sql`SELECT ${sample.columns} ${samplesBefore}
  AND sampled_at >= ${later(sql`(SELECT max(sampled_at) ${samplesBefore})`, verbatim(`-${SAMPLED_MS}`))} ORDER BY sampled_at, id`;

/** Whether a snapshot's head counts. One whose node was wrong about its head keeps 0 as that head's time. */
export const isNotStruckOut = sql`head_timestamp_usec <> '0'`;
const heads = sql`(SELECT head_version, timestamp_usec AS reported_usec, sampled_at AS seen_at, 0 AS is_pin FROM _head_samples
    UNION ALL SELECT head_version, head_timestamp_usec, created_at, 1 FROM _all_snapshots WHERE ${isNotStruckOut})`;
const newestHeads = sql`SELECT ${head.columns} FROM ${heads} h ORDER BY h.head_version DESC, h.is_pin DESC LIMIT 1`;
// Ledger time never falls as versions rise. Who does not know it says 0.
const rise = sql`(CAST(h.reported_usec AS numeric) - CAST(:timestampUsec::u64 AS numeric))`;
const contradictingHeads = sql`SELECT ${head.columns} FROM ${heads} h WHERE h.reported_usec <> '0' AND :timestampUsec::u64 <> '0'
  AND ((h.head_version < :ledgerVersion AND ${rise} > 0) OR (h.head_version > :ledgerVersion AND ${rise} < 0))
  ORDER BY h.head_version DESC LIMIT 1`;

export type RunQueries = ReturnType<typeof runQueries>;

export function runQueries(engine: Engine) {
  return {
    /** Records the start of a run; returns its number. */
    startRun: (run: { readonly command: string; readonly appVersion: string; readonly now: number }): Promise<number> =>
      engine.transaction((tx) => addRow(tx, start, run, checkRun)),
    finishRun: (id: number, end: RunEnd): Promise<void> =>
      engine.transaction(async (tx) => {
        await tx.run(finish, { id, ...end });
        await tx.run(checkRun, { id });
      }),
    /** Records that a night's report was finished, and the newest version that it covers. */
    noteReport: async (report: { readonly ledgerVersion: bigint; readonly appVersion: string; readonly now: number }): Promise<void> => {
      await engine.transaction((tx) => addRow(tx, noteReport, report, checkRun));
    },
    /** The versions up to which nights have reported, each once, the last report's first. */
    reportedVersions: (limit: number): Promise<readonly bigint[]> => versionsOf(engine, reported, { limit }),
    /** When the last report of a night was finished; undefined before the first. */
    reportedAt: async (): Promise<number | undefined> => (await engine.first(lastReport))?.[0],
    /** The newest runs that read a node or wrote, newest first; reports are none. */
    listRuns: (limit: number): Promise<readonly RunRecord[]> => run.all(engine, newest, { limit }),
    addHeadSample: (sample: StoredSample): Promise<void> =>
      engine.transaction(async (tx) => {
        await addRow(tx, addSample, sample, checkSample);
        await keepTime(tx, sample.headVersion, sample.timestampUsec);
      }),
    /** The samples up to a moment, of the newest and of the fourteen days before it; oldest first. A later one is of a wrong clock. */
    headSamples: (upTo: number): Promise<readonly StoredSample[]> => sample.all(engine, samplesUpTo, { upTo }),
    /** Whether a node has answered at this address, or under this name, in an earlier run. */
    hasAnsweredAt: async (node: string): Promise<boolean> => (await engine.first(sampledAt, { node })) !== undefined,
    /** Whether a node was never asked that has versions which another had pruned. */
    isNewWithOlder: async (node: string, oldest: bigint): Promise<boolean> =>
      (await engine.first(sampledAt, { node })) === undefined && (await engine.first(sampledAbove, { oldest })) !== undefined,
    /** The newest version in any node's answer, from samples and snapshots alike. */
    newestHead: (): Promise<SeenHead | undefined> => head.first(engine, newestHeads),
    /** A head of any node that no ledger can have had which has this one now: versions and ledger time rise together. */
    contradictingHead: ({ ledgerVersion, timestampUsec }: Head): Promise<SeenHead | undefined> =>
      head.first(engine, contradictingHeads, { ledgerVersion, timestampUsec }),
  };
}
