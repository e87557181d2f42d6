import { keepTexts, plural } from "../../core/base/plural.ts";
import { all, always, either, from, list, maybe, object, orNull, text, time, truth, version, whole, word } from "../../core/base/result.ts";
import { DAY_MS, formatDuration } from "../../core/base/time.ts";
import { accountsOf, followSeal, scopeNote } from "../../core/cli/hooks.ts";
import type { Io } from "../../core/cli/io.ts";
import type { NightStep } from "../../core/cli/night-part.ts";
import { type NodeSession, openRun, withNode } from "../../core/cli/options/node-session.ts";
import type { RunFlags } from "../../core/cli/options/shared-flags.ts";
import { jsonLine } from "../../core/cli/output/json-line.ts";
import { forPrograms, list as listed, printList } from "../../core/cli/output/list.ts";
import { snapshotProgressLine } from "../../core/cli/output/progress-line.ts";
import { askFirst } from "../../core/crawl/check/first-answer.ts";
import type { RunWork } from "../../core/crawl/run/run-work.ts";
import { ConfigError } from "../../core/errors.ts";
import { type ExitName, gravest } from "../../core/exit-codes.ts";
import type { Address } from "../../core/move/address.ts";
import { openIfThere } from "../../core/work/store.ts";
import { ARCHIVE_CONCURRENCY, openArchive, requestsLeft, unlessTimeIsOver } from "../archival/archive-session.ts";
import type { ArchiveFlags } from "../archival/options.ts";
import { type BackfillPlan, planBackfill } from "./admission.ts";
import { type BackfillSummary, backfill } from "./backfill.ts";
import type { BackfillRequest } from "./backfill-points.ts";
import type { PointState } from "./point-queries.ts";

const point = { ledger_version: from("version", version), wanted_time: orNull(time), time_error_ms: forPrograms(orNull(whole)) };

const points = listed({ columns: { ...point, state: text, reason: orNull(text), ...all(whole, "accounts_read", "accounts_inferred") } });
const planned = listed({ columns: { ...point, accounts: whole, refused: orNull(word("pruned", "time", "budget")) } });

const counted = (state: PointState) => from(({ points }: BackfillSummary) => points.filter((one) => one.state === state).length, whole);

export const summaryResult = object({
  archive: maybe(text),
  chain_id: whole,
  versions: from("points", list(points.entry)),
  observed: counted("observed"),
  inferred: counted("inferred"),
  gaps: counted("gaps"),
  refused: counted("refused"),
  planned: counted("planned"),
  lost: counted("lost"),
  lost_now: whole,
  stopped_by: orNull(text),
  ...all(whole, "requests", "duration_ms"),
});

export const planResult = object({
  archive: maybe(text),
  dry_run: always(true, truth),
  chain_id: whole,
  versions: from("points", list(planned.entry)),
  requests: whole,
  duration_ms: orNull(whole),
});

export const backfillResult = either<unknown>([summaryResult, planResult]);

type AccountFlags = { readonly account?: readonly Address[]; readonly targets?: string };

export type BackfillFlags = RunFlags &
  ArchiveFlags &
  AccountFlags &
  Omit<BackfillRequest, "scope" | "reach"> & { readonly dryRun?: boolean };

export async function runBackfill(io: Io, flags: BackfillFlags): Promise<ExitName> {
  if (!flags.dryRun) return (await saveOlder(io, flags, (summary) => print(summary, flags, io))).exit;
  await printPlans(io, flags);
  return "done";
}

export const step: NightStep<BackfillFlags, BackfillSummary> = {
  run: (io, flags) => saveOlder(io, flags),
  print: summaryResult.print,
  says: (end) => ({ lost: end.lostNow, troubles: leftTexts(end) }),
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

/** Reads what is wanted of each node. @returns the last summary, with the gravest end */
function saveOlder(io: Io, flags: BackfillFlags, show?: (summary: BackfillSummary) => Promise<void>): Promise<BackfillSummary> {
  return withRequest(io, flags, async (session, request) => {
    await using run = await openRun("backfill", flags, session);
    using line = snapshotProgressLine(io, session.log);
    let end: BackfillSummary | undefined;
    for await (const { request: part, ...at } of partsOf(run.work, request, flags, io)) {
      const work = { ...run.work, report: line.show, ...at };
      const read = () => backfill(work, part);
      // Before any answer of an archive is kept, it is compared with the database.
      const ofArchive = () => unlessTimeIsOver(work, () => askFirst({ ...work, isArchive: true }).then(read));
      const summary = part.reach?.part === "archive" ? await ofArchive() : await read();
      if (summary === undefined) break;
      line.end();
      await show?.(summary);
      end = { ...summary, exit: gravest([end?.exit, summary.exit]) };
      if (summary.stoppedBy !== undefined) break;
    }
    await followSeal(io, { engine: run.work.engine, path: flags.db, log: session.log, signal: run.work.stop.signal });
    return end as BackfillSummary;
  });
}

type Asking = Pick<RunWork, "node" | "stop" | "log">;

/** What is asked of a node and, of an archive node, how it is asked. */
type Part = { readonly request: BackfillRequest; readonly rate?: number } & Partial<Pick<RunWork, "node" | "concurrency">>;

/** The node for the versions that it still has, which it prunes meanwhile, then an archive node for those below its horizon. */
async function* partsOf(work: Asking, request: BackfillRequest, flags: BackfillFlags, io: Io): AsyncGenerator<Part> {
  if (flags.archive === undefined) return void (yield { request });
  await using opened = await openArchive(flags, io, work);
  const { node, horizon, rate } = opened;
  yield { request: { ...request, reach: { part: "above", horizon } } };
  if (node === undefined) return;
  const below = { ...request, maxRequests: requestsLeft(flags, work.node), reach: { part: "archive", horizon } } as const;
  yield { request: below, node, concurrency: ARCHIVE_CONCURRENCY, rate };
}

async function withRequest<T>(io: Io, flags: BackfillFlags, work: (session: NodeSession, request: BackfillRequest) => Promise<T>) {
  const every = flags.every ?? (flags.count === undefined ? { ms: DAY_MS } : undefined);
  const request = { ...flags, ...(every && { every }), scope: await accountsOf(flags, io) };
  if (flags.archive !== undefined && flags.from === undefined)
    throw new ConfigError("--archive reads as far back as --from says: give --from VERSION, a moment, or genesis.");
  return withNode(io, flags, (session) => work(session, request));
}

function printPlans(io: Io, flags: BackfillFlags): Promise<void> {
  return withRequest(io, flags, async (session, request) => {
    await using store = await openIfThere(flags.db);
    for await (const { rate = session.choice.pace.rate, request: part, ...at } of partsOf(session, request, flags, io))
      await printPlan(io, flags, await planBackfill({ ...session, engine: store?.engine, clock: io.clock, ...at }, part, rate));
  });
}

async function printPlan(io: Io, { json }: BackfillFlags, plan: BackfillPlan): Promise<void> {
  if (json) return await io.stdout(jsonLine(planResult.print(plan)));
  const { archive, requests, durationMs, snapshots } = plan;
  const time = durationMs === undefined ? "" : `, ${formatDuration(durationMs)} at this rate`;
  if (archive !== undefined) await io.stdout(`from the archive node ${archive}:\n`);
  await printList(io, planned, plan.points, { width: Number.POSITIVE_INFINITY });
  await io.stdout(
    `${plural(snapshots, "snapshot")}, about ${plural(requests, "request")}${time}; fewer if both sides turn out equal\ndry run: nothing was written\n`,
  );
}

async function print(summary: BackfillSummary, flags: BackfillFlags, io: Io): Promise<void> {
  if (flags.json) return await io.stdout(jsonLine(summaryResult.print(summary)));
  const { archive, points: read, tooLate: late, requests, durationMs, lostNow, stoppedBy } = summary;
  const counts = [...Map.groupBy(read, ({ state }) => state)].map(([state, of]) => `${of.length} ${state}`);
  const lines = keepTexts([
    `${plural(read.length, "version")}: ${counts.join(", ") || "none"}; ${plural(requests, "request")} in ${formatDuration(durationMs)}`,
    lostNow > 0 && `${plural(lostNow, "version")} lost in this run, whole or in part`,
    late > 0 &&
      `${plural(late, "version")} will be pruned before ${late === 1 ? "it" : "they"} can be read at this rate; a higher --rate saves more`,
    stoppedBy === "budget" && "the budget of this run is spent; the same command continues",
  ]);
  if (archive !== undefined) await io.stdout(`from the archive node ${archive}:\n`);
  await printList(io, points, read, { width: Number.POSITIVE_INFINITY });
  await io.stdout(`${lines.join("\n")}\n${scopeNote(flags)}`);
}
