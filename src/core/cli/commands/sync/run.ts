import {
  all,
  always,
  either,
  from,
  list,
  maybe,
  number,
  object,
  orNull,
  perhaps,
  sha256,
  text,
  truth,
  u64,
  version,
  whole,
  word,
} from "../../../base/result.ts";
import type { DryRun } from "../../../crawl/night/dry-run.ts";
import { exitOf, type SyncSummary, sealedDespiteSignal } from "../../../crawl/night/summary.ts";
import { sync } from "../../../crawl/night/sync.ts";
import type { SyncRequest, VersionRequest } from "../../../crawl/night/tonight.ts";
import type { RecordCadence } from "../../../crawl/targets/targets.ts";
import type { ExitName } from "../../../exit-codes.ts";
import type { Address } from "../../../move/address.ts";
import { openIfThere } from "../../../work/store.ts";
import { followSeal } from "../../capability.ts";
import { notifyOfRun } from "../../hooks.ts";
import type { Io } from "../../io.ts";
import { endOfRun, type NodeChoice, type NodeSession, openRun, pacesOf, runWithNode, type Spent } from "../../options/node-session.ts";
import type { AgeFlags, RunFlags } from "../../options/shared-flags.ts";
import { readAccountsOption, scopeNote } from "../../options/text-file.ts";
import { jsonLine } from "../../output/json-line.ts";
import { snapshotProgressLine } from "../../output/progress-line.ts";
import { outlook, spent } from "../../output/result-fields.ts";
import { dryRunText, summaryText } from "./text.ts";

const ofVersion = { chain_id: whole, ledger_version: version };
const head = perhaps("head", {
  head_version: from("ledgerVersion", version),
  head_age_ms: from("ageMs", whole),
  head_risen_by: from("risenBy", orNull(u64)),
  no_newer_state: from("isStale", truth),
});

const readResult = object({
  ...ofVersion,
  status: word("sealed", "sealed_with_gaps", "unsealed"),
  ...all(whole, "accounts", "modules", "new_bytecodes"),
  empty_accounts: from("empty", whole),
  ...all(whole, "changed_modules", "requests", "retries", "bytes_received", "gaps"),
  digest: orNull(sha256),
  duration_ms: whole,
  stopped_by: from((summary: SyncSummary) => (sealedDespiteSignal(summary) ? summary.stoppedBy : undefined), maybe(text)),
  sealed_by: maybe(text),
  others_go_on: maybe(truth),
  accounts_left: maybe(whole),
  ...perhaps("failing", { node_failures: from("attempts", whole), node_failure: from("last", text) }),
  modules_doubtful: from("doubtful", maybe(whole)),
  modules_undecoded: from("undecoded", maybe(whole)),
  accounts_before: from("fewerThan", maybe(whole)),
  accounts_passed_over: from("passedOver", maybe(whole)),
  records_unread: from("unreadRecords", maybe(whole)),
  ...perhaps("ages", {
    targets: whole,
    targets_never_read: from("neverRead", whole),
    oldest_reading_ms: from("oldestMs", orNull(whole)),
    median_reading_ms: from("medianMs", orNull(whole)),
  }),
  ...perhaps("outlook", outlook),
  ...head,
  ...perhaps("retried", { gaps_retried: from("gaps", whole), gaps_filled: from("filled.length", whole) }),
  ...perhaps("abis", {
    abis_compared: from("compared", whole),
    abis_explained: from("explained", whole),
    abi_findings: from("findings", whole),
    node_build: from("build", orNull(text)),
  }),
});

/** Of a snapshot that was held before, and of which nothing was read: its counts are those of another run. */
const heldResult = object({
  ...ofVersion,
  status: always("held", word("held")),
  ...all(whole, "requests", "retries", "bytes_received", "duration_ms"),
  stopped_by: from("stoppedBy", maybe(text)),
  records_unread: from("unreadRecords", maybe(whole)),
  ...head,
});

const snapshotResult = either<object, SyncSummary>([readResult, heldResult], (summary) =>
  summary.isHeld ? heldResult.print(summary) : readResult.print(summary),
);

const dryRunResult = object({
  dry_run: always(true, truth),
  ...ofVersion,
  held: from("isHeld", truth),
  accounts: whole,
  accounts_passed_over: from("passedOver", maybe(whole)),
  ...perhaps("outlook", outlook),
  requests_at_least: whole,
  duration_ms: from(({ times: [wanted] }: DryRun) => wanted?.durationMs, orNull(whole)),
  paces: from("times", list(object({ name: text, per_second: number, duration_ms: whole }))),
  bytes_received: from("bytes.received", orNull(whole)),
  bytes_stored: from("bytes.stored", orNull(whole)),
  above_horizon: version,
  unfinished: list(object({ ledger_version: version, accounts_left: whole, pruned: from("isPruned", truth) })),
});

export const syncResult = either<unknown>([readResult, heldResult, dryRunResult, spent]);

export type SyncFlags = RunFlags &
  AgeFlags & {
    readonly account?: readonly Address[];
    readonly targets?: string;
    readonly ledgerVersion: VersionRequest;
    readonly lag?: bigint;
    readonly crossCheck: number;
    readonly retryGaps: number;
    readonly records?: RecordCadence;
    readonly dryRun?: boolean;
  };

export type Synced = { readonly exit: ExitName; readonly summaries: readonly SyncSummary[] };

export async function runSync(io: Io, flags: SyncFlags): Promise<ExitName> {
  const end = flags.dryRun ? await planNight(io, flags) : await takeSnapshot(io, flags, (synced) => print(io, flags, synced));
  return endOfRun(io, flags.json, end);
}

/** As a step of the night, which has the end of the last snapshot. */
export const step = {
  run: (io: Io, flags: SyncFlags) => takeSnapshot(io, flags),
  print: (end: Synced | Spent) => ("spent" in end ? spent.print(end.spent) : snapshotResult.print(end.summaries.at(-1) as SyncSummary)),
};

/** Does what `sync` does. `show` is a part of it: a run whose result nobody could take has failed. */
async function takeSnapshot(io: Io, flags: SyncFlags, show?: (synced: Synced) => Promise<void>): Promise<Synced | Spent> {
  const scope = await readAccountsOption(flags, io);
  return runWithNode(io, flags, (session) =>
    notifyOfRun({ io, log: session.log, flags, command: "sync", database: flags.db }, async (begin) => {
      const synced = await readNight(session, flags, requestOf(io, flags, scope, session.choice), begin);
      await show?.(synced);
      return { ...synced, summary: { snapshots: synced.summaries.map(snapshotResult.print) } };
    }),
  );
}

function requestOf(io: Io, flags: SyncFlags, scope: SyncRequest["scope"], { pace }: NodeChoice): SyncRequest {
  const { maxRequests, maxDuration, maxAge } = flags;
  const isLimited = maxRequests !== undefined || maxDuration !== undefined;
  return {
    version: flags.ledgerVersion,
    lag: flags.lag ?? BigInt(pace.lag),
    scope,
    crossCheck: flags.crossCheck,
    gapTries: flags.retryGaps,
    records: flags.records,
    chooser: io.chooseTargets,
    halfLifeMs: flags.halfLife,
    ...(isLimited && { budget: { maxRequests, maxDurationMs: maxDuration, perSecond: pace.rate } }),
    ...(maxAge !== undefined && { maxAgeMs: maxAge }),
  };
}

async function planNight(io: Io, flags: SyncFlags): Promise<{ readonly exit: "done" } | Spent> {
  const scope = await readAccountsOption(flags, io);
  return runWithNode(io, flags, async ({ log, node, choice, stop }) => {
    await using store = await openIfThere(flags.db);
    const { dryRun } = await import("../../../crawl/night/dry-run.ts");
    const work = { node, engine: store?.engine, clock: io.clock, log, stop, pageSize: flags.pageSize };
    const plan = await dryRun(work, requestOf(io, flags, scope, choice), pacesOf(choice, flags));
    await io.stdout(flags.json ? jsonLine(dryRunResult.print(plan)) : dryRunText(plan));
    return { exit: "done" } as const;
  });
}

async function readNight(session: NodeSession, flags: SyncFlags, request: SyncRequest, begin: () => Promise<void>): Promise<Synced> {
  const { io, log, stop } = session;
  const begunMs = io.clock.monotonic();
  await using run = await openRun("sync", flags, session);
  await begin();
  using report = snapshotProgressLine(io, log);
  const summaries = await sync({ ...run.work, report: report.show }, request);
  report.end();
  // A first snapshot changed nothing.
  if (summaries.length > 1 || summaries[0]?.isFirst !== true) {
    await followSeal(io, { engine: run.work.engine, path: flags.db, log, signal: stop.signal });
  }
  return { exit: exitOf(summaries), summaries: addRest(summaries, io.clock.monotonic() - begunMs) };
}

/** Counts what no snapshot counts, such as the judging of changes, with the last one, so that all add up to what the run took. */
function addRest(summaries: readonly SyncSummary[], wholeMs: number): SyncSummary[] {
  const rest = wholeMs - summaries.reduce((sum, { durationMs }) => sum + durationMs, 0);
  return summaries.map((summary, i) => (i < summaries.length - 1 ? summary : { ...summary, durationMs: summary.durationMs + rest }));
}

async function print(io: Io, flags: SyncFlags, { summaries }: Synced): Promise<void> {
  for (const summary of summaries) await io.stdout(flags.json ? jsonLine(snapshotResult.print(summary)) : summaryText(summary, flags.db));
  if (!flags.json) await io.stdout(scopeNote(flags));
}
