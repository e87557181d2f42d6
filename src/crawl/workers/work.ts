import type { Log } from "../../base/log.ts";
import { NodeError } from "../../node/node-error.ts";
import { askFirst } from "../check/first-answer.ts";
import { recordRun } from "../night/run-record.ts";
import { readSnapshot } from "../night/snapshot.ts";
import type { SnapshotWork } from "../night/snapshot-reader.ts";
import { WorkerError } from "./worker-error.ts";

/** What a worker works with: what a snapshot needs, and the version of movedex for the record. */
export type WorkerWork = SnapshotWork & { readonly log: Log; readonly appVersion: string };

/** What a worker came to until it was told to stop. */
export type WorkerSummary = {
  /** Snapshots that it read a part of, oldest first. */
  readonly ledgerVersions: readonly bigint[];
  readonly requests: number;
  readonly durationMs: number;
};

/** How often one looks for work, and how long a worker whose node fails lets it be. */
const LOOK_EVERY_MS = 2_000;
const FAILED_PAUSE_MS = 30_000;

/**
 * Joins every snapshot that others have begun and not finished, as `sync` and `backfill` do, and waits for more until it is
 * told to stop. It begins none of its own, and leaves alone what its node does not have.
 *
 * @throws WrongChainError when the node is of another chain; StoreError
 */
export async function workAlong(work: WorkerWork): Promise<WorkerSummary> {
  const { store, node, clock, stop, log } = work;
  const startedMs = clock.monotonic();
  const joined = new Set<bigint>();
  const unreadable = new Set<bigint>();
  // A node of another chain is told at once, and not when there is work one day.
  await askFirst({ ...work, signal: stop.signal });
  while (stop.reason === undefined) {
    const version = (await store.openVersions()).find((open) => !unreadable.has(open));
    if (version === undefined) {
      await pause(work, LOOK_EVERY_MS);
      continue;
    }
    try {
      if (await join(work, version)) joined.add(version);
      else unreadable.add(version);
    } catch (error) {
      if (stop.reason !== undefined && stop.signal.aborted) break;
      if (error instanceof WorkerError) unreadable.add(version);
      else if (!(error instanceof NodeError)) throw error;
      log("warn", error.message, { ledger_version: version });
      if (error instanceof NodeError) await pause(work, FAILED_PAUSE_MS);
    }
  }
  const ledgerVersions = [...joined].sort((a, b) => (a < b ? -1 : 1));
  return { ledgerVersions, requests: node.stats().requests, durationMs: clock.monotonic() - startedMs };
}

/** Reads a snapshot with the others. @returns whether this worker's node has its version */
async function join(work: WorkerWork, version: bigint): Promise<boolean> {
  const { store, stop, log } = work;
  const { head } = await askFirst({ ...work, signal: stop.signal });
  if (version < head.oldestVersion || version > head.ledgerVersion) {
    log("warn", WorkerError.pruned(version, work.node).message, { ledger_version: version });
    return false;
  }
  log("info", `reading ledger version ${version} with those who are at it`, { ledger_version: version });
  let newBytecodes = 0;
  await recordRun(
    work,
    "work",
    async () => {
      ({ newBytecodes } = await readSnapshot(work, version));
    },
    () => ({ exit: "done", ledgerVersion: version, accounts: 0, modules: 0, newBytecodes, gaps: 0 }),
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
