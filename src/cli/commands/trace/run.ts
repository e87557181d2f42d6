import { type OpenChangeRequest, probeQueries } from "../../../archive/nodes/probes.ts";
import { openModuleArchive } from "../../../archive/read/module-archive.ts";
import { changeTimes } from "../../../archive/times/ledger-times.ts";
import { suggestNames } from "../../../base/names.ts";
import { printable } from "../../../base/printable.ts";
import { assertArchiveAgrees } from "../../../crawl/check/archive-agrees.ts";
import { leastProbes } from "../../../crawl/trace/bisect.ts";
import { type TraceRequest, type TraceSummary, trace } from "../../../crawl/trace/trace.ts";
import type { TraceWork } from "../../../crawl/trace/trace-group.ts";
import { ConfigError } from "../../../errors.ts";
import { type ExitName, gravest } from "../../../exit-codes.ts";
import { parseAddress } from "../../../move/address.ts";
import { NotHeldError } from "../../../questions/not-held.ts";
import { runQueries } from "../../../work/runs/runs.ts";
import { openStore } from "../../../work/store.ts";
import type { Io } from "../../io.ts";
import { judgeAfter } from "../../jobs/judge.ts";
import { ARCHIVE_CONCURRENCY, openArchive, unlessTimeIsOver } from "../../options/archive-session.ts";
import { endOfRun, openRun, runWithNode, type Spent } from "../../options/node-session.ts";
import type { ArchiveFlags, RunFlags } from "../../options/shared-flags.ts";
import { jsonLine } from "../../output/json-line.ts";
import { traceProgressLine } from "../../output/progress-line.ts";
import { spent } from "../../output/result-fields.ts";
import { planResult, summaryResult, type Traced } from "./result.ts";
import { type TracePlan, tracePlanText, traceText } from "./text.ts";

export type TraceFlags = RunFlags &
  ArchiveFlags & {
    readonly between?: readonly bigint[];
    readonly dryRun?: boolean;
  };

export async function runTrace(io: Io, what: string | undefined, flags: TraceFlags): Promise<ExitName> {
  const request: OpenChangeRequest = { ...parseSubject(what), ...parseBetween(flags.between) };
  await requireHeld(flags.db, request);
  if (flags.dryRun) {
    const plan = await planOf(flags.db, request);
    await io.stdout(flags.json ? jsonLine(planResult.print(plan)) : tracePlanText(plan));
    return "done";
  }
  const show = (traced: Traced): Promise<void> => io.stdout(flags.json ? jsonLine(summaryResult.print(traced)) : tracedText(traced));
  return endOfRun(io, flags.json, await traceChanges(io, request, flags, show));
}

/** As a step of the night: of every change that is not exact. */
export const step = {
  run: (io: Io, flags: TraceFlags) => traceChanges(io, {}, flags),
  print: (end: TraceEnd | Spent) => ("spent" in end ? spent.print(end.spent) : summaryResult.print(end)),
};

type TraceEnd = Traced & { readonly exit: ExitName };

/** Does what `trace` does, and gives what its last part found. `show` is given each part. */
async function traceChanges(
  io: Io,
  request: OpenChangeRequest,
  flags: TraceFlags,
  show: (traced: Traced) => Promise<void> = async () => {},
): Promise<TraceEnd | Spent> {
  return runWithNode(io, flags, async (session) => {
    await using run = await openRun("trace", flags, session);
    const { engine, log, stop } = run.work;
    using line = traceProgressLine(io, log);
    const work = { ...run.work, report: line.show };
    const [firstAbove] = await runQueries(engine).reportedVersions(1);
    const wanted = { ...request, firstAbove };
    const summary = await trace(work, wanted);
    line.end();
    // Shown before the archive is asked, which may be refused.
    const first: Traced = { summary, times: await changeTimes(engine, summary.changes) };
    await show(first);
    const more = await unlessTimeIsOver(work, () => traceAtArchive(work, wanted, summary, flags, io));
    line.end();
    if (more !== undefined) await show(more);
    await judgeAfter(engine, flags.db, io, log, stop.signal);
    return { ...(more ?? first), exit: gravest([summary.exit, more?.summary.exit]) };
  });
}

/** @throws NotHeldError when the account or the module that is to be traced was never seen */
async function requireHeld(path: string, { address, module }: OpenChangeRequest): Promise<void> {
  if (address === undefined) return;
  await using archive = await openModuleArchive(path);
  const version = await archive.newestCovering(address);
  if (version === undefined) throw new NotHeldError(`no sealed snapshot has an answer about ${address}: there is nothing to trace.`);
  if (module === undefined || (await archive.historyOf({ address, name: module })).length > 0) return;
  const near = suggestNames(
    module,
    (await archive.modulesAt(version, address)).map(({ name }) => name),
  );
  throw new NotHeldError(`${address} has no module \`${printable(module, 100)}\`: there is nothing to trace.${near}`);
}

function tracedText({ archive, summary, times }: Traced): string {
  return `${archive === undefined ? "" : `from the archive node ${printable(archive)}:\n`}${traceText(summary, times)}`;
}

async function planOf(path: string, request: OpenChangeRequest): Promise<TracePlan> {
  await using store = await openStore(path, { mode: "read" });
  const changes = await probeQueries(store.engine).openChanges(request);
  const intervals = new Map(changes.map((c) => [`${c.address} ${c.module === undefined} ${c.after} ${c.atOrBefore}`, c]));
  return { changes, leastProbes: [...intervals.values()].reduce((sum, c) => sum + leastProbes(c.after, c.atOrBefore), 0) };
}

function parseSubject(what: string | undefined): OpenChangeRequest {
  if (what === undefined) return {};
  const split = what.indexOf("::");
  const address = parseAddress(split < 0 ? what : what.slice(0, split));
  const module = split < 0 ? undefined : what.slice(split + 2);
  if (address === undefined || module === "" || module?.includes("::")) {
    throw new ConfigError(`\`${printable(what, 120)}\` is not an account or a module. Give one such as 0x1 or 0x1::coin.`);
  }
  return { address, module };
}

function parseBetween(between: readonly bigint[] | undefined): OpenChangeRequest {
  if (between === undefined) return {};
  const [a, b, ...more] = between;
  if (a === undefined || b === undefined || more.length > 0) {
    throw new ConfigError(
      `--between takes two ledger versions, not ${between.length}. Put the subject before it: \`trace 0x1 --between A B\`.`,
    );
  }
  return a < b ? { from: a, to: b } : { from: b, to: a };
}

/**
 * Traces at an archive node the changes that the node has pruned, after comparing the archive with the node and the database.
 * Undefined where nothing is left to trace. @throws WrongChainError, ConfigError when it may not be asked
 */
async function traceAtArchive(
  work: TraceWork,
  request: TraceRequest,
  first: TraceSummary,
  flags: ArchiveFlags,
  io: Io,
): Promise<Traced | undefined> {
  const pruned = first.changes.filter(({ state }) => state === "unreadable");
  if (flags.archive === undefined || pruned.length === 0 || first.stoppedBy !== undefined) return undefined;
  await using session = await openArchive(flags, io, work);
  const { node: archive } = session;
  if (archive === undefined) return undefined;
  await assertArchiveAgrees(work.node, archive, [...new Set(pruned.map(({ address }) => address))], work.stop.signal);
  const summary = await trace({ ...work, node: archive, concurrency: ARCHIVE_CONCURRENCY, source: archive.url }, request);
  return { archive: archive.url, summary, times: await changeTimes(work.engine, summary.changes) };
}
