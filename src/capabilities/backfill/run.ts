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
import type { RunWork } from "../../core/crawl/run/run-work.ts";
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
type Answered = { readonly archive?: string; readonly summary: BackfillSummary };
type Backfilled = { readonly exit: ExitName; readonly summary: BackfillSummary };

export async function runBackfill(io: Io, flags: BackfillFlags): Promise<ExitName> {
  const end = flags.dryRun ? await printPlans(io, flags) : await saveOlder(io, flags, (part) => print(part, flags, io));
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

function saveOlder(io: Io, flags: BackfillFlags, show: (part: Answered) => Promise<void> = async () => {}): Promise<Backfilled | Spent> {
  return withRequest(io, flags, async (session, request) => {
    await using run = await openRun("backfill", flags, session);
    using report = snapshotProgressLine(io, session.log);
    const work = { ...run.work, report: report.show };
    let end: Backfilled | undefined;
    for await (const { archive, ...part } of partsOf(work, request, flags, io)) {
      const read = () => backfill({ ...work, ...part }, part.request);
      // Before any answer of an archive is kept, it is compared with the database.
      const ofArchive = () => unlessTimeIsOver(work, () => askFirst({ ...work, ...part, isArchive: true }).then(read));
      const summary = archive === undefined ? await read() : await ofArchive();
      if (summary === undefined) break;
      report.end();
      await show({ ...(archive === undefined ? {} : { archive }), summary });
      end = { exit: gravest([end?.exit, summary.exit]), summary };
      if (summary.stoppedBy !== undefined) break;
    }
    await followSeal(io, { engine: work.engine, path: flags.db, log: session.log, signal: work.stop.signal });
    return end as Backfilled;
  });
}

/** What is asked of a node; of an archive node, which node that is and how it is asked. */
type Part = { readonly request: BackfillRequest; readonly archive?: string } & Partial<Pick<RunWork, "node" | "concurrency">> & {
    readonly rate?: number;
  };

/**
 * The node for the versions that it still has, then an archive node for those below its horizon. The node comes first, since it prunes
 * meanwhile.
 */
async function* partsOf(
  work: Pick<RunWork, "node" | "stop" | "log">,
  request: BackfillRequest,
  flags: BackfillFlags,
  io: Io,
): AsyncGenerator<Part> {
  if (flags.archive === undefined) return void (yield { request });
  await using opened = await openArchive(flags, io, work);
  const { node, horizon, rate } = opened;
  yield { request: { ...request, reach: { part: "above", horizon } as const } };
  if (node === undefined) return;
  const reach = { part: "archive", horizon } as const;
  const below = { ...request, maxRequests: requestsLeft(flags, work.node), reach };
  yield { request: below, node, archive: node.url, concurrency: ARCHIVE_CONCURRENCY, rate };
}

async function withRequest<T>(io: Io, flags: BackfillFlags, work: (session: NodeSession, request: BackfillRequest) => Promise<T>) {
  const request = await requestOf(flags, io);
  if (flags.archive !== undefined && flags.from === undefined)
    throw new ConfigError("--archive reads as far back as --from says: give --from VERSION, a moment, or genesis.");
  return runWithNode(io, flags, (session) => work(session, request));
}

function printPlans(io: Io, flags: BackfillFlags): Promise<{ readonly exit: "done" } | Spent> {
  return withRequest(io, flags, async (session, request) => {
    await using store = await openIfThere(flags.db);
    for await (const { archive, rate, ...part } of partsOf(session, request, flags, io)) {
      const work = { ...session, engine: store?.engine, clock: io.clock, ...part };
      await printPlan(io, flags, await planBackfill(work, part.request, rate ?? session.choice.pace.rate), archive);
    }
    return { exit: "done" };
  });
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

async function print({ archive, summary }: Answered, flags: BackfillFlags, io: Io): Promise<void> {
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
