import type { Log } from "../../core/base/log.ts";
import { suggestNames } from "../../core/base/names.ts";
import { keepTexts, plural } from "../../core/base/plural.ts";
import { printable } from "../../core/base/printable.ts";
import {
  address,
  all,
  always,
  either,
  from,
  list as listOf,
  maybe,
  object,
  orNull,
  sha256,
  text,
  truth,
  version,
  whole,
  within,
  word,
} from "../../core/base/result.ts";
import { formatDuration } from "../../core/base/time.ts";
import { followSeal } from "../../core/cli/hooks.ts";
import type { Io } from "../../core/cli/io.ts";
import type { NightStep } from "../../core/cli/night-part.ts";
import { endOfRun, openRun, runWithNode, type Spent } from "../../core/cli/options/node-session.ts";
import type { RunFlags } from "../../core/cli/options/shared-flags.ts";
import { jsonLine } from "../../core/cli/output/json-line.ts";
import { forPeople, forPrograms, list, printList } from "../../core/cli/output/list.ts";
import { type ProgressLine, progressLine } from "../../core/cli/output/progress-line.ts";
import { madeAt, spent } from "../../core/cli/output/result-fields.ts";
import { askFirst } from "../../core/crawl/check/first-answer.ts";
import { openModuleArchive } from "../../core/db/archive/read/module-archive.ts";
import type { MadeAt } from "../../core/db/archive/times/ledger-times.ts";
import { ConfigError } from "../../core/errors.ts";
import { type ExitName, gravest } from "../../core/exit-codes.ts";
import { parseAddress } from "../../core/move/address.ts";
import { NotHeldError } from "../../core/questions/subject.ts";
import { runQueries } from "../../core/work/runs/runs.ts";
import { openStore } from "../../core/work/store.ts";
import { ARCHIVE_CONCURRENCY, openArchive, unlessTimeIsOver } from "../archival/archive-session.ts";
import type { ArchiveFlags } from "../archival/options.ts";
import { changeTimes } from "./change-times.ts";
import { type OpenChangeRequest, probeQueries } from "./probes.ts";
import { groupChanges, type TraceSummary, trace } from "./trace.ts";
import { isExact, type TracedChange, type TraceProgress, type TraceWork } from "./trace-group.ts";

const bounds = { after_version: from("after", version), at_or_before_version: from("atOrBefore", version) };
const unknown: MadeAt = { ledgerTime: null, ledgerTimeErrorMs: null };

const { ledger_time, ledger_time_error_ms } = within("time", madeAt);
const changes = list({
  columns: {
    address,
    module: orNull(text),
    kind: forPrograms(
      from(({ module }: TracedChange) => (module === undefined ? "authentication_key" : "module"), word("module", "authentication_key")),
    ),
    change: forPeople(from(changeWord, text)),
    ...bounds,
    is_exact: forPrograms(from(isExact, truth)),
    ledger_time,
    ledger_time_error_ms: forPrograms(ledger_time_error_ms),
    from_key: forPrograms(from((one: TracedChange) => (one.module === undefined ? one.from : undefined), maybe(orNull(text)))),
    to_key: forPrograms(from((one: TracedChange) => (one.module === undefined ? one.to : undefined), maybe(orNull(text)))),
    from_sha256: forPrograms(from((one: TracedChange) => (one.module === undefined ? undefined : one.from), maybe(orNull(sha256)))),
    to_sha256: forPrograms(from((one: TracedChange) => (one.module === undefined ? undefined : one.to), maybe(orNull(sha256)))),
    state: word("exact", "open", "unreadable", "behind", "failed"),
    reason: orNull(text),
    probes: whole,
    least_probes: forPrograms(from("least", whole)),
  },
});

const openChanges = list({ columns: { address, module: orNull(text), ...bounds } });

function changeWord({ module, from, to }: TracedChange): string {
  if (module === undefined) return "key rotated";
  return from === null ? "added" : to === null ? "removed" : "changed";
}

/** What a node, or an archive node by its address, has answered, and when the ledger made each change. */
export type Traced = { readonly archive?: string; readonly summary: TraceSummary; readonly times: readonly MadeAt[] };

export const summaryResult = object({
  archive: maybe(text),
  changes: from(timedChanges, listOf(changes.entry)),
  exact: from(({ summary }: Traced) => summary.changes.filter(isExact).length, whole),
  ...within("summary", { inexact: whole, stopped_by: orNull(text), ...all(whole, "probes", "least_probes", "requests", "duration_ms") }),
});

function timedChanges({ summary, times }: Traced) {
  return summary.changes.map((one, i) => ({ ...one, time: times[i] ?? unknown }));
}

export const planResult = object({
  dry_run: always(true, truth),
  changes: listOf(openChanges.entry),
  least_probes: whole,
});

export const traceResult = either<unknown>([summaryResult, planResult, spent]);

export type TraceFlags = RunFlags &
  ArchiveFlags & {
    readonly between?: readonly bigint[];
    readonly dryRun?: boolean;
  };

export async function runTrace(io: Io, what: string | undefined, flags: TraceFlags): Promise<ExitName> {
  const request: OpenChangeRequest = { ...parseSubject(what), ...parseBetween(flags.between) };
  await requireHeld(flags.db, request);
  if (flags.dryRun) {
    await printPlan(io, flags, request);
    return "done";
  }
  return endOfRun(io, flags.json, await traceChanges(io, request, flags, (traced) => print(io, flags, traced)));
}

/** As a step of the night: of every change that is not exact. */
export const step: NightStep<TraceFlags, TraceEnd | Spent> = {
  run: (io, flags) => traceChanges(io, {}, flags),
  print: (end) => ("spent" in end ? spent.print(end.spent) : summaryResult.print(end)),
  says: (end) => {
    const inexact = ("spent" in end ? undefined : end.summary?.inexact) ?? 0;
    return { troubles: [inexact > 0 && `${plural(inexact, "change")} without an exact version`] };
  },
};

type TraceEnd = Traced & { readonly exit: ExitName };

function traceProgressLine(io: Io, log: Log): ProgressLine<TraceProgress> {
  const words = ({ done, planned, probes }: TraceProgress) => `${done}/${planned} intervals traced · ${probes} probes`;
  return progressLine(io, log, words, ({ done, planned, probes }) => ({ intervals_done: done, intervals_planned: planned, probes }));
}

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
    const [first] = await Promise.all(io.hooks.flatMap(({ tracedFirst }) => tracedFirst?.() ?? []));
    const wanted = { ...request, firstAbove, first };
    const summary = await trace(work, wanted);
    line.end();
    // Shown before the archive is asked, which may be refused.
    const traced: Traced = { summary, times: await changeTimes(engine, summary.changes) };
    await show(traced);
    const more = await unlessTimeIsOver(work, () => traceAtArchive(work, wanted, summary, flags, io));
    line.end();
    if (more !== undefined) await show(more);
    await followSeal(io, { engine, path: flags.db, log, signal: stop.signal });
    return { ...(more ?? traced), exit: gravest([summary.exit, more?.summary.exit]) };
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

async function printPlan(io: Io, { db, json }: TraceFlags, request: OpenChangeRequest): Promise<void> {
  await using store = await openStore(db, { mode: "read" });
  const found = await probeQueries(store.engine).openChanges(request);
  const plan = { changes: found, leastProbes: groupChanges(found).reduce((sum, [first]) => sum + (first?.least ?? 0), 0) };
  if (json) return await io.stdout(jsonLine(planResult.print(plan)));
  await printList(io, openChanges, () => found, { width: Number.POSITIVE_INFINITY });
  await io.stdout(`${plural(found.length, "change")}, at least ${plural(plan.leastProbes, "probe")}; nothing was asked or written\n`);
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
      `--between takes two ledger versions, not ${between.length}. The subject comes first: \`trace 0x1 --between A B\`.`,
    );
  }
  return a < b ? { from: a, to: b } : { from: b, to: a };
}

/**
 * Traces at an archive node the changes that the node has pruned, after comparing the archive with the database.
 * Undefined where nothing is left to trace. @throws WrongChainError, ConfigError when it may not be asked
 */
async function traceAtArchive(
  work: TraceWork,
  request: OpenChangeRequest,
  first: TraceSummary,
  flags: ArchiveFlags,
  io: Io,
): Promise<Traced | undefined> {
  const pruned = first.changes.filter(({ state }) => state === "unreadable");
  if (flags.archive === undefined || pruned.length === 0 || first.stoppedBy !== undefined) return undefined;
  await using session = await openArchive(flags, io, work);
  const { node: archive } = session;
  if (archive === undefined) return undefined;
  await askFirst({ ...work, node: archive, isArchive: true });
  const summary = await trace({ ...work, node: archive, concurrency: ARCHIVE_CONCURRENCY, source: archive.url }, request);
  return { archive: archive.url, summary, times: await changeTimes(work.engine, summary.changes) };
}

async function print(io: Io, { json }: TraceFlags, traced: Traced): Promise<void> {
  if (json) return await io.stdout(jsonLine(summaryResult.print(traced)));
  const { archive, summary } = traced;
  const { changes: found, probes, leastProbes: least, inexact, stoppedBy, requests, durationMs } = summary;
  if (found.length === 0) return await io.stdout("nothing to trace: every change between snapshots is exact already, or there is none\n");
  if (archive !== undefined) await io.stdout(`from the archive node ${printable(archive)}:\n`);
  await printList(io, changes, () => timedChanges(traced), { width: Number.POSITIVE_INFINITY });
  const lines = keepTexts([
    `${found.filter(isExact).length} of ${plural(found.length, "change")} exact; ${plural(probes, "probe")}, at least ${least} needed; ` +
      `${plural(requests, "request")} in ${formatDuration(durationMs)}`,
    inexact > 0 &&
      `${plural(inexact, "change")} not exact yet${stoppedBy === "budget" ? ": the budget of this run is spent, and the next one continues" : ""}`,
    "a value that changed and changed back between two reads is not seen: an interval may hold more changes",
  ]);
  await io.stdout(`${lines.join("\n")}\n`);
}
