import { keepTexts, plural } from "../../core/base/plural.ts";
import {
  all,
  always,
  either,
  from,
  list as listOf,
  maybe,
  object,
  orNull,
  text,
  time,
  truth,
  version,
  whole,
  word,
} from "../../core/base/result.ts";
import { formatDuration } from "../../core/base/time.ts";
import { accountsOf, followSeal, scopeNote } from "../../core/cli/hooks.ts";
import type { Io } from "../../core/cli/io.ts";
import type { NightStep } from "../../core/cli/night-part.ts";
import { endOfRun, type NodeSession, openRun, runWithNode, type Spent } from "../../core/cli/options/node-session.ts";
import type { RunFlags } from "../../core/cli/options/shared-flags.ts";
import { jsonLine } from "../../core/cli/output/json-line.ts";
import { forPrograms, list, printList } from "../../core/cli/output/list.ts";
import { snapshotProgressLine } from "../../core/cli/output/progress-line.ts";
import { spent } from "../../core/cli/output/result-fields.ts";
import { askFirst } from "../../core/crawl/check/first-answer.ts";
import type { SnapshotWork } from "../../core/crawl/night/snapshot-reader.ts";
import type { RecordCadence } from "../../core/crawl/targets/targets.ts";
import { ConfigError } from "../../core/errors.ts";
import { type ExitName, gravest } from "../../core/exit-codes.ts";
import type { Address } from "../../core/move/address.ts";
import type { PointState } from "../../core/work/runs/backfill.ts";
import { openIfThere } from "../../core/work/store.ts";
import { ARCHIVE_CONCURRENCY, openArchive, requestsLeft, unlessTimeIsOver } from "../archival/archive-session.ts";
import type { ArchiveFlags } from "../archival/options.ts";
import { type BackfillPlan, type BackfillRequest, type BackfillSummary, backfill, planBackfill } from "./backfill.ts";
import type { Edge, Step } from "./backfill-points.ts";

const point = { ledger_version: from("version", version), wanted_time: orNull(time), time_error_ms: forPrograms(orNull(whole)) };

const points = list({ columns: { ...point, state: text, reason: orNull(text), ...all(whole, "accounts_read", "accounts_inferred") } });
const planned = list({ columns: { ...point, accounts: whole, refused: orNull(word("pruned", "time", "budget")) } });

const counted = (state: PointState) => from(({ points }: BackfillSummary) => points.filter((one) => one.state === state).length, whole);

export const summaryResult = object({
  archive: maybe(text),
  chain_id: whole,
  versions: from("points", listOf(points.entry)),
  observed: counted("observed"),
  inferred: counted("inferred"),
  gaps: counted("gaps"),
  refused: counted("refused"),
  planned: counted("planned"),
  lost: counted("lost"),
  lost_now: whole,
  stopped_by: orNull(text),
  requests: whole,
  duration_ms: whole,
});

export const planResult = object({
  archive: maybe(text),
  dry_run: always(true, truth),
  chain_id: whole,
  versions: from(refusedOf, listOf(planned.entry)),
  requests: whole,
  duration_ms: orNull(whole),
});

function refusedOf(plan: BackfillPlan) {
  return plan.points.map((one) => ({ ...one, refused: plan.refused.get(one.version) }));
}

export const backfillResult = either<unknown>([summaryResult, planResult, spent]);

export type BackfillFlags = RunFlags &
  ArchiveFlags & {
    readonly every?: Step;
    readonly from?: Edge;
    readonly to?: Edge;
    readonly count?: number;
    readonly maxInferred: Step | "any";
    readonly account?: readonly Address[];
    readonly records?: RecordCadence;
    readonly dryRun?: boolean;
    readonly targets?: string;
  };

const DAY_MS = 86_400_000;

/** What a node, or an archive node by its address, has answered. */
type Part = { readonly archive?: string; readonly summary: BackfillSummary };
type Backfilled = { readonly exit: ExitName; readonly summary: BackfillSummary };

export async function runBackfill(io: Io, flags: BackfillFlags): Promise<ExitName> {
  const end = flags.dryRun
    ? await withRequest(io, flags, (session, request) => planAll(session, request, flags))
    : await saveOlder(io, flags, (part) => print(part, flags, io));
  return endOfRun(io, flags.json, end);
}

export const step: NightStep<BackfillFlags, Backfilled | Spent> = {
  run: (io, flags) => saveOlder(io, flags),
  print: (end) => ("spent" in end ? spent.print(end.spent) : summaryResult.print(end.summary)),
  says: (end) => ("spent" in end ? {} : { lost: end.summary.lostNow, troubles: leftTexts(end.summary) }),
};

/** The older versions that are left: those that can be read another night, and those that will be pruned before. */
function leftTexts({ points, tooLate }: BackfillSummary): (string | false)[] {
  const others = points.filter(({ state }) => state === "refused" || state === "planned").length - tooLate;
  const them = tooLate === 1 ? "it" : "they";
  return [
    others > 0 && `${plural(others, "older version")} left to other nights`,
    tooLate > 0 && `${plural(tooLate, "older version")} that the node will prune before ${them} can be read at this rate`,
  ];
}

function saveOlder(io: Io, flags: BackfillFlags, show: (part: Part) => Promise<void> = async () => {}): Promise<Backfilled | Spent> {
  return withRequest(io, flags, async (session, request) => {
    await using run = await openRun("backfill", flags, session);
    using report = snapshotProgressLine(io, session.log);
    const work = { ...run.work, report: report.show };
    const showPart = (part: Part): Promise<void> => {
      report.end();
      return show(part);
    };
    const end = flags.archive === undefined ? await atNode(work, request, showPart) : await withArchive(work, request, flags, io, showPart);
    await followSeal(io, { engine: work.engine, path: flags.db, log: session.log, signal: work.stop.signal });
    return end;
  });
}

async function atNode(work: SnapshotWork, request: BackfillRequest, show: (part: Part) => Promise<void>): Promise<Backfilled> {
  const summary = await backfill(work, request);
  await show({ summary });
  return { exit: summary.exit, summary };
}

async function withRequest<T>(io: Io, flags: BackfillFlags, work: (session: NodeSession, request: BackfillRequest) => Promise<T>) {
  const request = await requestOf(flags, io);
  if (flags.archive !== undefined && flags.from === undefined)
    throw new ConfigError("--archive reads as far back as --from says: give --from VERSION, a moment, or genesis.");
  return runWithNode(io, flags, (session) => work(session, request));
}

async function planAll(session: NodeSession, request: BackfillRequest, flags: BackfillFlags): Promise<{ readonly exit: "done" }> {
  const { io, choice } = session;
  await using store = await openIfThere(flags.db);
  const work = { ...session, engine: store?.engine, clock: io.clock };
  await using archive = flags.archive === undefined ? undefined : await openArchive(flags, io, session);
  const own = archive === undefined ? request : { ...request, reach: { part: "above", horizon: archive.horizon } as const };
  await printPlan(io, flags, await planBackfill(work, own, choice.pace.rate));
  if (archive?.node === undefined) return { exit: "done" };
  const below = { ...request, reach: { part: "archive", horizon: archive.horizon } as const };
  const more = await planBackfill({ ...work, node: archive.node }, below, archive.rate);
  await printPlan(io, flags, more, archive.node.url);
  return { exit: "done" };
}

async function printPlan(io: Io, { json }: BackfillFlags, plan: BackfillPlan, archive?: string): Promise<void> {
  if (json) return await io.stdout(jsonLine(planResult.print({ archive, ...plan })));
  const { requests, durationMs, snapshots } = plan;
  const time = durationMs === undefined ? "" : `, ${formatDuration(durationMs)} at this rate`;
  await io.stdout(headingOf(archive));
  await printList(io, planned, () => refusedOf(plan), { width: Number.POSITIVE_INFINITY });
  await io.stdout(
    `${plural(snapshots, "snapshot")}, about ${plural(requests, "request")}${time}; fewer if both sides turn out equal\ndry run: nothing was written\n`,
  );
}

function headingOf(archive: string | undefined): string {
  return archive === undefined ? "" : `from the archive node ${archive}:\n`;
}

async function requestOf(flags: BackfillFlags, io: Io): Promise<BackfillRequest> {
  const { from, to, count } = flags;
  const every = flags.every ?? (count === undefined ? { ms: DAY_MS } : undefined);
  return {
    points: { every, from, to, count },
    scope: await accountsOf(flags, io),
    maxInferred: flags.maxInferred === "any" ? undefined : flags.maxInferred,
    maxRequests: flags.maxRequests,
    records: flags.records,
  };
}

/**
 * Reads the points that the node still has, then those below its horizon from an archive node. The node comes first, since it prunes
 * meanwhile. Before any answer is kept, the archive is compared with the database.
 */
async function withArchive(
  work: SnapshotWork,
  request: BackfillRequest,
  flags: BackfillFlags,
  io: Io,
  show: (part: Part) => Promise<void>,
): Promise<Backfilled> {
  await using archive = await openArchive(flags, io, work);
  const first = await backfill(work, { ...request, reach: { part: "above", horizon: archive.horizon } });
  await show({ summary: first });
  const { node, horizon } = archive;
  if (node === undefined || first.stoppedBy !== undefined) return { exit: first.exit, summary: first };
  const second = await unlessTimeIsOver(work, async () => {
    await askFirst({ ...work, node, isArchive: true });
    return backfill(
      { ...work, node, concurrency: ARCHIVE_CONCURRENCY },
      { ...request, maxRequests: requestsLeft(flags, work.node), reach: { part: "archive", horizon } },
    );
  });
  if (second === undefined) return { exit: first.exit, summary: first };
  await show({ archive: node.url, summary: second });
  return { exit: gravest([first.exit, second.exit]), summary: second };
}

async function print({ archive, summary }: Part, flags: BackfillFlags, io: Io): Promise<void> {
  if (flags.json) return await io.stdout(jsonLine(summaryResult.print({ archive, ...summary })));
  const { points: read, tooLate: late, requests, durationMs, lostNow, stoppedBy } = summary;
  const counts = Array.from(
    Map.groupBy(read, ({ state }) => state),
    ([state, of]) => `${of.length} ${state}`,
  );
  const lines = keepTexts([
    `${plural(read.length, "version")}: ${counts.join(", ") || "none"}; ${plural(requests, "request")} in ${formatDuration(durationMs)}`,
    lostNow > 0 && `${plural(lostNow, "version")} lost in this run, whole or in part`,
    late > 0 &&
      `${plural(late, "version")} will be pruned before ${late === 1 ? "it" : "they"} can be read at this rate; a higher --rate saves more`,
    stoppedBy === "budget" && "the budget of this run is spent; the same command continues",
  ]);
  await io.stdout(headingOf(archive));
  await printList(io, points, () => read, { width: Number.POSITIVE_INFINITY });
  await io.stdout(`${lines.join("\n")}\n${await scopeNote(flags, io)}`);
}
