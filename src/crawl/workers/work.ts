import { compare } from "../../base/sorted.ts";
import { NodeError } from "../../node/protocol/node-error.ts";
import type { OpenTrace } from "../../work/trace/traces.ts";
import { askFirst } from "../check/first-answer.ts";
import { NO_TOTALS, recordRun } from "../night/run-record.ts";
import { readSnapshot } from "../night/snapshot.ts";
import type { SnapshotWork } from "../night/snapshot-reader.ts";
import { WorkerError } from "../run/worker-error.ts";
import { type Leaving, searchAlong } from "../trace/shared-search.ts";
import type { TraceWork } from "../trace/trace-group.ts";

export type WorkerWork = SnapshotWork & { readonly reportTrace: TraceWork["report"] };

/** What a worker came to until it was told to stop. */
export type WorkerSummary = Awaited<ReturnType<typeof workAlong>>;

/** How often one looks for work, and how long a worker whose node fails lets it be. */
const LOOK_EVERY_MS = 2_000;
const FAILED_PAUSE_MS = 30_000;

/**
 * Joins every snapshot and trace that others have begun, snapshots first, and waits for more until it is told to stop. It begins
 * nothing of its own. @throws WrongChainError when the node is of another chain; StoreError
 */
export async function workAlong(work: WorkerWork) {
  const { store, node, clock, stop, log } = work;
  const startedMs = clock.monotonic();
  const [joined, traces] = [new Set<bigint>(), new Set<string>()];
  /** Snapshots and traces that this one can do nothing for. */
  const [unreadable, useless] = [new Set<bigint>(), new Set<string>()];
  const readable = async () => (await store.openVersions()).find((open) => !unreadable.has(open));
  // A node of another chain is told at once, and not when there is work one day.
  await askFirst(work).catch((error: unknown) => {
    // A worker ends when its time is over, whether there was work or not.
    if (!stop.isTimeOver(error)) throw error;
    log("warn", stop.signal.reason.message);
  });
  while (stop.reason === undefined) {
    const version = await readable();
    const trace = version === undefined ? await store.openTrace() : undefined;
    try {
      if (version !== undefined) {
        if (await join(work, version)) joined.add(version);
        else unreadable.add(version);
      } else if (trace !== undefined && !useless.has(trace.id)) {
        traces.add(trace.id);
        const leaving = await joinTrace(work, trace, async () => (await readable()) !== undefined);
        if (leaving === "of no use") useless.add(trace.id);
      } else await pause(work, LOOK_EVERY_MS);
    } catch (error) {
      if (stop.reason !== undefined && stop.signal.aborted) break;
      if (version !== undefined && error instanceof WorkerError) unreadable.add(version);
      else if (!(error instanceof NodeError)) throw error;
      log("warn", error.message, version === undefined ? {} : { ledger_version: version });
      if (error instanceof NodeError) await pause(work, FAILED_PAUSE_MS);
    }
  }
  return {
    /** Snapshots that it read a part of, oldest first. */
    ledgerVersions: [...joined].sort(compare),
    /** Traces that it searched a part of. */
    traces: traces.size,
    requests: node.stats().requests,
    durationMs: clock.monotonic() - startedMs,
  };
}

/** Searches a trace with the others, until it is over or a snapshot is to be read. */
async function joinTrace(work: WorkerWork, trace: OpenTrace, isNeeded: () => Promise<boolean>): Promise<Leaving> {
  const { store, log, reportTrace } = work;
  await askFirst(work);
  await store.comeToTrace(trace.id);
  log("info", "joining the workers that trace changes");
  const { leaving } = await recordRun(
    work,
    "work",
    (watch) => searchAlong({ ...work, report: reportTrace }, watch, trace, isNeeded),
    () => ({ exit: "done", ...NO_TOTALS }),
  );
  log("info", leaving === "over" ? "the trace is over" : "left the trace to the others");
  return leaving;
}

/** Reads a snapshot with the others. @returns whether this worker's node has its version */
async function join(work: WorkerWork, version: bigint): Promise<boolean> {
  const { store, log } = work;
  const { head } = await askFirst(work);
  if (version < head.oldestVersion || version > head.ledgerVersion) {
    log("warn", WorkerError.pruned(version, work.node).message, { ledger_version: version });
    return false;
  }
  log("info", `joining the workers at ledger version ${version}`, { ledger_version: version });
  let newBytecodes = 0;
  await recordRun(
    work,
    "work",
    async () => {
      ({ newBytecodes } = (await readSnapshot(work, version)).outcome);
    },
    () => ({ exit: "done", ...NO_TOTALS, ledgerVersion: version, newBytecodes }),
  );
  const { planned } = await store.progress(version);
  log("info", planned > 0 ? `left ledger version ${version} to the others` : `ledger version ${version} is done`, {
    ledger_version: version,
  });
  return true;
}

async function pause({ clock, stop }: WorkerWork, ms: number): Promise<void> {
  // Looked at often, so that one who is told to stop while nothing is to be done stops at once.
  for (let waitedMs = 0; waitedMs < ms && stop.reason === undefined; waitedMs += LOOK_EVERY_MS / 4) {
    await clock.sleep(LOOK_EVERY_MS / 4, stop.signal).catch(() => {});
  }
}
