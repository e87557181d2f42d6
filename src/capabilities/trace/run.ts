import { compare } from "../../core/base/lists.ts";
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
  word,
} from "../../core/base/result.ts";
import { formatDuration } from "../../core/base/time.ts";
import { followSeal } from "../../core/cli/hooks.ts";
import type { Io } from "../../core/cli/io.ts";
import type { NightStep } from "../../core/cli/night-part.ts";
import type { RunFlags } from "../../core/cli/options/declared-command.ts";
import { openRun, withNode } from "../../core/cli/options/node-session.ts";
import { jsonLine } from "../../core/cli/output/json-line.ts";
import { forPeople, forPrograms, list, printList } from "../../core/cli/output/list.ts";
import { progressLine } from "../../core/cli/output/progress-line.ts";
import { madeAt } from "../../core/cli/output/result-fields.ts";
import { openModuleArchive } from "../../core/db/archive/read/module-archive.ts";
import { ConfigError } from "../../core/errors.ts";
import type { ExitName } from "../../core/exit-codes.ts";
import { resolveSubject } from "../../core/questions/resolve-module.ts";
import { parseSubject } from "../../core/questions/subject.ts";
import { runQueries } from "../../core/work/runs/runs.ts";
import { openStore } from "../../core/work/store.ts";
import { type OpenChangeRequest, probeQueries } from "./probes.ts";
import { groupChanges, isExact, type TracedChange, type TraceProgress, type TraceSummary, trace } from "./trace.ts";

const bounds = { after_version: from("after", version), at_or_before_version: from("atOrBefore", version) };

const changes = list({
  columns: {
    address,
    module: orNull(text),
    kind: forPrograms(from(({ module }: TracedChange) => (module ? "module" : "authentication_key"), word("module", "authentication_key"))),
    change: forPeople(from(changeWord, text)),
    ...bounds,
    is_exact: forPrograms(from(isExact, truth)),
    ledger_time: madeAt.ledger_time,
    ledger_time_error_ms: forPrograms(madeAt.ledger_time_error_ms),
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

export const summaryResult = object({
  changes: listOf(changes.entry),
  exact: from(({ changes }: TraceSummary) => changes.filter(isExact).length, whole),
  inexact: whole,
  stopped_by: orNull(text),
  ...all(whole, "probes", "least_probes", "requests", "duration_ms"),
});

export const planResult = object({ dry_run: always(true, truth), changes: listOf(openChanges.entry), least_probes: whole });

export const traceResult = either<unknown>([summaryResult, planResult]);

export type TraceFlags = RunFlags & { readonly between?: readonly bigint[]; readonly dryRun?: boolean };

export async function runTrace(io: Io, what: string | undefined, flags: TraceFlags): Promise<ExitName> {
  const bounds = flags.between && boundsOf(flags.between);
  const request: OpenChangeRequest = { ...(what !== undefined && (await subjectOf(what, flags.db))), ...bounds };
  if (!flags.dryRun) return (await traceChanges(io, request, flags, (summary) => print(io, flags, summary))).exit;
  await printPlan(io, flags, request);
  return "done";
}

/** As a step of the night: of every change that is not exact. */
export const step: NightStep<TraceFlags, TraceSummary> = {
  run: (io, flags) => traceChanges(io, {}, flags),
  print: summaryResult.print,
  says: ({ inexact }) => ({ troubles: [inexact > 0 && `${plural(inexact, "change")} without an exact version`] }),
};

function traceChanges(io: Io, request: OpenChangeRequest, flags: TraceFlags, show?: (summary: TraceSummary) => Promise<void>) {
  return withNode(io, flags, async (session) => {
    await using run = await openRun("trace", flags, session);
    const { engine, log, stop } = run.work;
    const words = ({ done, planned, probes }: TraceProgress) => `${done}/${planned} intervals traced · ${plural(probes, "probe")}`;
    const facts = ({ done, planned, probes }: TraceProgress) => ({ intervals_done: done, intervals_planned: planned, probes });
    using line = progressLine(io, log, words, facts);
    const [firstAbove] = await runQueries(engine).reportedVersions(1);
    const [alerted] = await Promise.all(io.hooks.flatMap(({ tracedFirst }) => tracedFirst?.() ?? []));
    const wanted = { ...request, ...(firstAbove !== undefined && { firstAbove }), ...(alerted && { first: alerted }) };
    const summary = await trace({ ...run.work, report: line.show }, wanted);
    line.end();
    await show?.(summary);
    await followSeal(io, { engine, path: flags.db, log, signal: stop.signal });
    return summary;
  });
}

async function printPlan(io: Io, { db, json }: TraceFlags, request: OpenChangeRequest): Promise<void> {
  await using store = await openStore(db, { mode: "read" });
  const found = await probeQueries(store.engine).openChanges(request);
  const plan = { changes: found, leastProbes: groupChanges(found).reduce((sum, [first]) => sum + (first?.least ?? 0), 0) };
  if (json) return await io.stdout(jsonLine(planResult.print(plan)));
  await printList(io, openChanges, found, { width: Number.POSITIVE_INFINITY });
  await io.stdout(`${plural(found.length, "change")}, about ${plural(plan.leastProbes, "probe")}; nothing was asked or written\n`);
}

/** @throws NotHeldError when the account or the module that is to be traced was never seen */
async function subjectOf(what: string, path: string): Promise<OpenChangeRequest> {
  const named = parseSubject(what);
  if (named.item !== undefined || named.version !== undefined)
    throw new ConfigError(`\`${printable(what, 120)}\` is not an account or a module. Give one such as 0x1, 0x1::coin or coin.`);
  await using archive = await openModuleArchive(path);
  const { address, module } = await resolveSubject(archive, named);
  return { address, ...(module !== undefined && { module }) };
}

function boundsOf(between: readonly bigint[]): OpenChangeRequest {
  const [from, to, ...more] = between.toSorted(compare);
  if (from !== undefined && to !== undefined && more.length === 0) return { from, to };
  const text = `--between takes two ledger versions, not ${between.length}. The subject comes first: \`trace 0x1 --between A B\`.`;
  throw new ConfigError(text);
}

async function print(io: Io, { json }: TraceFlags, summary: TraceSummary): Promise<void> {
  if (json) return await io.stdout(jsonLine(summaryResult.print(summary)));
  const { changes: found, probes, inexact, stoppedBy, requests, durationMs } = summary;
  if (found.length === 0) return await io.stdout("nothing to trace: every change between snapshots is exact already, or there is none\n");
  await printList(io, changes, found, { width: Number.POSITIVE_INFINITY });
  const lines = keepTexts([
    `${found.filter(isExact).length} of ${plural(found.length, "change")} exact; ${plural(probes, "probe")}; ` +
      `${plural(requests, "request")} in ${formatDuration(durationMs)}`,
    inexact > 0 &&
      `${plural(inexact, "change")} not exact yet${stoppedBy === "budget" ? ": the budget of this run is spent, and the next one continues" : ""}`,
    "a value that changed and changed back between two reads is not seen: an interval may hold more changes",
  ]);
  await io.stdout(`${lines.join("\n")}\n`);
}
