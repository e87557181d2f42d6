import { type OpenChange, type OpenChangeRequest, probeQueries } from "../../../archive/nodes/probes.ts";
import { openModuleArchive } from "../../../archive/read/module-archive.ts";
import { changeTimes, type MadeAt } from "../../../archive/times/ledger-times.ts";
import { suggestNames } from "../../../base/names.ts";
import { plural } from "../../../base/plural.ts";
import { printable } from "../../../base/printable.ts";
import {
  address,
  all,
  always,
  either,
  from,
  list,
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
} from "../../../base/result.ts";
import { aboutTime, formatDuration } from "../../../base/time.ts";
import { assertArchiveAgrees } from "../../../crawl/check/first-answer.ts";
import { type TraceRequest, type TraceSummary, trace } from "../../../crawl/trace/trace.ts";
import { isExact, leastProbes, type TracedChange, type TraceWork } from "../../../crawl/trace/trace-group.ts";
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
import { madeAt, spent } from "../../output/result-fields.ts";

const bounds = { after_version: from("after", version), at_or_before_version: from("atOrBefore", version) };
const unknown: MadeAt = { ledgerTime: null, ledgerTimeErrorMs: null };

const change = object({
  address,
  module: orNull(text),
  kind: from(({ module }: TracedChange) => (module === undefined ? "authentication_key" : "module"), word("module", "authentication_key")),
  ...bounds,
  is_exact: from(isExact, truth),
  ...within("time", madeAt),
  from_key: from((one: TracedChange) => (one.module === undefined ? one.from : undefined), maybe(orNull(text))),
  to_key: from((one: TracedChange) => (one.module === undefined ? one.to : undefined), maybe(orNull(text))),
  from_sha256: from((one: TracedChange) => (one.module === undefined ? undefined : one.from), maybe(orNull(sha256))),
  to_sha256: from((one: TracedChange) => (one.module === undefined ? undefined : one.to), maybe(orNull(sha256))),
  state: word("exact", "open", "unreadable", "behind", "failed"),
  reason: orNull(text),
  probes: whole,
  least_probes: from("least", whole),
});

/** What a node, or an archive node by its address, has answered, and when the ledger made each change. */
export type Traced = { readonly archive?: string; readonly summary: TraceSummary; readonly times: readonly MadeAt[] };

/** What a trace found, at the node or at an archive node. */
export const summaryResult = object({
  archive: maybe(text),
  changes: from(({ summary, times }: Traced) => summary.changes.map((one, i) => ({ ...one, time: times[i] ?? unknown })), list(change)),
  exact: from(({ summary }: Traced) => summary.changes.filter(isExact).length, whole),
  ...within("summary", { inexact: whole, stopped_by: orNull(text), ...all(whole, "probes", "least_probes", "requests", "duration_ms") }),
});

/** What `--dry-run` prints. */
export const planResult = object({
  dry_run: always(true, truth),
  changes: list(object({ address, module: orNull(text), ...bounds })),
  least_probes: whole,
});

/** What `trace --json` prints. */
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

/** Changes that would be traced, and the probes that this takes at least. */
export type TracePlan = { readonly changes: readonly OpenChange[]; readonly leastProbes: number };

/** What a trace found, a line for each change, then what it cost. `times` are those of the changes, in their order. */
export function traceText(summary: TraceSummary, times: readonly MadeAt[]): string {
  const { changes, probes, leastProbes, inexact, stoppedBy, requests, durationMs } = summary;
  if (changes.length === 0) return "nothing to trace: every change between snapshots is exact already, or there is none\n";
  const exact = changes.filter(isExact).length;
  const lines = changes.map((change, place) => changeText(change, times[place]));
  lines.push(
    `${exact} of ${plural(changes.length, "change")} exact; ${plural(probes, "probe")}, at least ${leastProbes} needed (⌈log2⌉ of each interval); ` +
      `${plural(requests, "request")} in ${formatDuration(durationMs)}`,
    ...(inexact > 0
      ? [
          `${plural(inexact, "change")} not exact yet${stoppedBy === "budget" ? ": the budget of this run is spent, and the next one continues" : ""}`,
        ]
      : []),
    "a value that changed and changed back between two reads is not seen: an interval may hold more changes",
  );
  return `${lines.join("\n")}\n`;
}

function changeText(change: TracedChange, made: MadeAt | undefined): string {
  const { address, module, after, atOrBefore, probes, least } = change;
  const subject = printable(module === undefined ? `${address}: authentication key` : `${address}::${module}`, 300);
  const what = changeWord(change);
  const time = made && aboutTime(made.ledgerTime, made.ledgerTimeErrorMs);
  const cost = probes === 0 ? "" : ` (${plural(probes, "probe")}, at least ${least} needed)`;
  if (change.state === "exact") return `${subject} ${what} at ledger version ${atOrBefore}${time === undefined ? "" : `, ${time}`}${cost}`;
  const why = change.state === "failed" ? printable(change.reason ?? "failed", 500) : whyInexact[change.state];
  return `${subject} ${what}: at least one change after ${after}, at or before ${atOrBefore}; ${why}${cost}`;
}

const whyInexact = {
  open: "the same command continues",
  unreadable: "the node has pruned what lies between",
  behind: "the node has not reached the versions between yet",
} as const satisfies Partial<Record<TracedChange["state"], string>>;

function changeWord({ module, from, to }: TracedChange): string {
  if (module === undefined) return "rotated";
  return from === null ? "added" : to === null ? "removed" : "changed";
}

export function tracePlanText({ changes, leastProbes }: TracePlan): string {
  const lines = changes.map(
    ({ address, module, after, atOrBefore }) =>
      `would trace ${printable(module === undefined ? `the authentication key of ${address}` : `${address}::${module}`, 300)} between ${after} and ${atOrBefore}`,
  );
  return `${[...lines, `${plural(changes.length, "change")}, at least ${plural(leastProbes, "probe")}; dry run: nothing was asked or written`].join("\n")}\n`;
}
