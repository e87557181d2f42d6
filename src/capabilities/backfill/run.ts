import { keepTexts, plural } from "../../core/base/plural.ts";
import { all, always, either, from, list, object, orNull, text, time, truth, version, whole, word } from "../../core/base/result.ts";
import { DAY_MS, formatDuration } from "../../core/base/time.ts";
import { type AccountOptions, accountsOf, followSeal, scopeNote } from "../../core/cli/hooks.ts";
import type { Io } from "../../core/cli/io.ts";
import type { NightStep } from "../../core/cli/night-part.ts";
import type { RunFlags } from "../../core/cli/options/declared-command.ts";
import { type NodeSession, openRun, withNode } from "../../core/cli/options/node-session.ts";
import { jsonLine } from "../../core/cli/output/json-line.ts";
import { forPrograms, list as listed, printList } from "../../core/cli/output/list.ts";
import { snapshotProgressLine } from "../../core/cli/output/progress-line.ts";
import type { ExitName } from "../../core/exit-codes.ts";
import { openIfThere } from "../../core/work/store.ts";
import { type BackfillPlan, planBackfill } from "./admission.ts";
import { type BackfillSummary, backfill } from "./backfill.ts";
import type { BackfillRequest, Step } from "./backfill-points.ts";
import type { PointState } from "./point-queries.ts";

const point = { ledger_version: from("version", version), wanted_time: orNull(time), time_error_ms: forPrograms(orNull(whole)) };

const points = listed({ columns: { ...point, state: text, reason: orNull(text), ...all(whole, "accounts_read", "accounts_inferred") } });
const planned = listed({ columns: { ...point, accounts: whole, refused: orNull(word("pruned", "time", "budget")) } });

const counted = (state: PointState) => from(({ points }: BackfillSummary) => points.filter((one) => one.state === state).length, whole);

export const summaryResult = object({
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
  dry_run: always(true, truth),
  chain_id: whole,
  versions: from("points", list(planned.entry)),
  requests: whole,
  duration_ms: orNull(whole),
});

export const backfillResult = either<unknown>([summaryResult, planResult]);

export type BackfillFlags = RunFlags &
  AccountOptions &
  Omit<BackfillRequest, "scope" | "every"> & { readonly every?: Step; readonly dryRun?: boolean };

export async function runBackfill(io: Io, flags: BackfillFlags): Promise<ExitName> {
  if (!flags.dryRun) return (await saveOlder(io, flags, (summary) => print(summary, flags, io))).exit;
  await planOlder(io, flags);
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

function saveOlder(io: Io, flags: BackfillFlags, show?: (summary: BackfillSummary) => Promise<void>): Promise<BackfillSummary> {
  return withRequest(io, flags, async (session, request) => {
    await using run = await openRun("backfill", flags, session);
    using line = snapshotProgressLine(io, session.log);
    const summary = await backfill({ ...run.work, report: line.show }, request);
    line.end();
    await show?.(summary);
    await followSeal(io, { engine: run.work.engine, path: flags.db, log: session.log, signal: run.work.stop.signal });
    return summary;
  });
}

async function withRequest<T>(io: Io, flags: BackfillFlags, work: (session: NodeSession, request: BackfillRequest) => Promise<T>) {
  const request = { ...flags, every: flags.every ?? { ms: DAY_MS }, scope: await accountsOf(flags, io) };
  return withNode(io, flags, (session) => work(session, request));
}

function planOlder(io: Io, flags: BackfillFlags): Promise<void> {
  return withRequest(io, flags, async (session, request) => {
    await using store = await openIfThere(flags.db);
    await printPlan(
      io,
      flags,
      await planBackfill({ ...session, engine: store?.engine, clock: io.clock }, request, session.choice.pace.rate),
    );
  });
}

async function printPlan(io: Io, { json }: BackfillFlags, plan: BackfillPlan): Promise<void> {
  if (json) return await io.stdout(jsonLine(planResult.print(plan)));
  const { requests, durationMs, snapshots } = plan;
  const time = durationMs === undefined ? "" : `, ${formatDuration(durationMs)} at this rate`;
  await printList(io, planned, plan.points, { width: Number.POSITIVE_INFINITY });
  await io.stdout(
    `${plural(snapshots, "snapshot")}, about ${plural(requests, "request")}${time}; fewer if both sides turn out equal\ndry run: nothing was written\n`,
  );
}

async function print(summary: BackfillSummary, flags: BackfillFlags, io: Io): Promise<void> {
  if (flags.json) return await io.stdout(jsonLine(summaryResult.print(summary)));
  const { points: read, tooLate: late, requests, durationMs, lostNow, stoppedBy } = summary;
  const counts = [...Map.groupBy(read, ({ state }) => state)].map(
    ([state, of]) => `${of.length} ${state === "gaps" ? "with gaps" : state}`,
  );
  const lines = keepTexts([
    `${plural(read.length, "version")}: ${counts.join(", ") || "none"}; ${plural(requests, "request")} in ${formatDuration(durationMs)}`,
    lostNow > 0 && `${plural(lostNow, "version")} lost in this run, whole or in part`,
    late > 0 &&
      `${plural(late, "version")} will be pruned before ${late === 1 ? "it" : "they"} can be read at this rate; a higher --rate saves more`,
    stoppedBy === "budget" && "the budget of this run is spent; the same command continues",
  ]);
  await printList(io, points, read, { width: Number.POSITIVE_INFINITY });
  await io.stdout(`${lines.join("\n")}\n${scopeNote(flags)}`);
}
