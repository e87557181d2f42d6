import { plural } from "../../../base/plural.ts";
import { type BackfillRequest, type BackfillSummary, backfill } from "../../../crawl/backfill/backfill.ts";
import { type BackfillPlan, planBackfill } from "../../../crawl/backfill/backfill-plan.ts";
import type { Edge, Step } from "../../../crawl/backfill/backfill-points.ts";
import { assertArchiveAgrees } from "../../../crawl/check/archive-agrees.ts";
import type { SnapshotWork } from "../../../crawl/night/snapshot-reader.ts";
import type { RecordCadence } from "../../../crawl/targets/targets.ts";
import { listScope } from "../../../crawl/targets/targets.ts";
import { ConfigError } from "../../../errors.ts";
import { type ExitName, gravest } from "../../../exit-codes.ts";
import type { Address } from "../../../move/address.ts";
import { openIfThere } from "../../../work/store.ts";
import type { Io } from "../../io.ts";
import { judgeAfter } from "../../jobs/judge.ts";
import { ARCHIVE_CONCURRENCY, openArchive, requestsLeft, unlessTimeIsOver } from "../../options/archive-session.ts";
import { endOfRun, type NodeSession, openRun, runWithNode, type Spent } from "../../options/node-session.ts";
import type { ArchiveFlags, RunFlags } from "../../options/shared-flags.ts";
import { readAccountsOption, scopeNote } from "../../options/text-file.ts";
import { jsonLine } from "../../output/json-line.ts";
import { snapshotProgressLine } from "../../output/progress-line.ts";
import { spent } from "../../output/result-fields.ts";
import { planResult, summaryResult } from "./result.ts";
import { backfillPlanText, backfillText } from "./text.ts";

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

/** As a step of the night. */
export const step = {
  run: (io: Io, flags: BackfillFlags) => saveOlder(io, flags),
  print: (end: Backfilled | Spent) => ("spent" in end ? spent.print(end.spent) : summaryResult.print(end.summary)),
};

/** Does what `backfill` does, and gives the summary of its last part. `show` is given each part. */
function saveOlder(io: Io, flags: BackfillFlags, show: (part: Part) => Promise<void> = async () => {}): Promise<Backfilled | Spent> {
  return withRequest(io, flags, async (session, request) => {
    await using run = await openRun("backfill", flags, session);
    using report = snapshotProgressLine(io, session.log);
    const work = { ...run.work, report: report.show };
    const judge = () => judgeAfter(work.engine, flags.db, io, session.log, work.stop.signal);
    if (flags.archive !== undefined) {
      const end = await backfillWithArchive(work, request, flags, io, show);
      await judge();
      return end;
    }
    const summary = await backfill(work, request);
    report.end();
    await judge();
    await show({ summary });
    return { exit: summary.exit, summary };
  });
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
  const plan = await planBackfill(work, own, choice.pace.rate);
  await io.stdout(flags.json ? jsonLine(planResult.print(plan)) : backfillPlanText(plan));
  if (archive?.node === undefined) return { exit: "done" };
  const below = { ...request, reach: { part: "archive", horizon: archive.horizon } as const };
  const { url } = archive.node;
  const more = await planBackfill({ ...work, node: archive.node }, below, archive.rate);
  await io.stdout(flags.json ? jsonLine(planResult.print({ archive: url, ...more })) : archivePlanText(url, more));
  return { exit: "done" };
}

async function requestOf(flags: BackfillFlags, io: Io): Promise<BackfillRequest> {
  const { from, to, count } = flags;
  const every = flags.every ?? (count === undefined ? { ms: DAY_MS } : undefined);
  return {
    points: { every, from, to, count },
    scope: await readAccountsOption(flags, io),
    maxInferred: flags.maxInferred === "any" ? undefined : flags.maxInferred,
    maxRequests: flags.maxRequests,
    records: flags.records,
  };
}

/**
 * Reads the points that the node still has, then those below its horizon from an archive node. The node comes first, since it prunes
 * meanwhile. Before any answer is kept, the archive is compared with the node and the database.
 */
async function backfillWithArchive(
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
  const scope = await listScope(work.engine, request.scope);
  const second = await unlessTimeIsOver(work, async () => {
    await assertArchiveAgrees(work.node, node, scope, work.stop.signal);
    return backfill(
      { ...work, node, concurrency: ARCHIVE_CONCURRENCY },
      { ...request, maxRequests: requestsLeft(flags, work.node), reach: { part: "archive", horizon } },
    );
  });
  if (second === undefined) return { exit: first.exit, summary: first };
  await show({ archive: node.url, summary: second });
  return { exit: gravest([first.exit, second.exit]), summary: second };
}

/** An archive's part of a plan in words. Most accounts will be inferred, which only reading can tell. */
function archivePlanText(url: string, plan: BackfillPlan): string {
  return `from the archive node ${url}, at most (equal ends are not split further): ${plural(plan.requests, "request")}\n${backfillPlanText(plan)}`;
}

async function print({ archive, summary }: Part, flags: BackfillFlags, io: Io): Promise<void> {
  if (flags.json) return await io.stdout(jsonLine(summaryResult.print({ archive, ...summary })));
  const heading = archive === undefined ? "" : `from the archive node ${archive}:\n`;
  await io.stdout(heading + backfillText(summary) + scopeNote(flags));
}
