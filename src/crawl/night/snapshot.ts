import type { Gap } from "../../archive/content/visit-model.ts";
import { claimQueries } from "../../archive/snapshots/claims.ts";
import { gapQueries } from "../../archive/snapshots/gaps.ts";
import { planQueries } from "../../archive/snapshots/plan-queries.ts";
import { sealQueries } from "../../archive/snapshots/seal.ts";
import { snapshotQueries } from "../../archive/snapshots/snapshot-queries.ts";
import { MovedexError } from "../../errors.ts";
import type { LedgerNode } from "../../node/open-node.ts";
import type { SnapshotOutcome } from "./progress.ts";
import { openReader, type SnapshotWork } from "./snapshot-reader.ts";

/** A process whose node cannot help with what the others read. Code: `MOVEDEX_WORKER_NODE`. */
export class WorkerError extends MovedexError {
  /** Its node has pruned the version that is read, or is not yet there. */
  static pruned(version: bigint, node: Pick<LedgerNode, "url" | "lastHead">): WorkerError {
    const head = node.lastHead();
    const window = head === undefined ? "" : `: it reads versions ${head.oldestVersion} to ${head.ledgerVersion}`;
    const text = `${node.url} does not have ledger version ${version}, which other processes are reading${window}. This one has taken nothing more; the others go on. Give it another node.`;
    const facts = { url: node.url, version, oldest: head?.oldestVersion ?? null, newest: head?.ledgerVersion ?? null };
    return new WorkerError("MOVEDEX_WORKER_NODE", text, { facts, exit: "absent" });
  }
}

/** What came of a snapshot, sealed or left to a later run. */
export type ReadSnapshot = { readonly isSealed: boolean; readonly outcome: SnapshotOutcome };

/**
 * Reads what is left of a snapshot's plan and seals it; other processes may read it too, and the last one seals.
 * @throws NodeError when the run cannot go on, for the next to resume; WorkerError when this node alone has pruned the version
 */
export async function readSnapshot(work: SnapshotWork, version: bigint): Promise<ReadSnapshot> {
  const { engine, stop, clock, host } = work;
  const reader = await openReader(work, version);
  for (;;) {
    await reader.read();
    const { pinPruned, postponed, nodeFault } = reader.failures;
    if (pinPruned !== undefined) {
      const { claimed } = await claimQueries(engine, { now: clock.now }).accountsLeft(version);
      if (claimed > 0) throw WorkerError.pruned(version, work.node);
      await gapQueries(engine).commitRest(version, pinPruned, clock.now());
    } else {
      // A plan that was chosen for the budget ends with it; any other goes on in the next run, or with others.
      if (stop.reason === "budget") await passOverRest(work, version, postponed);
      if (stop.reason !== undefined && (await snapshotQueries(engine).progress(version)).planned > 0)
        return { isSealed: false, outcome: reader.outcome() };
      if (nodeFault !== undefined) throw nodeFault;
    }
    const sealedBy = await sealQueries(engine).sealIfWhole(version, { now: clock.now(), by: host });
    if (sealedBy === undefined) continue;
    return { isSealed: true, outcome: { ...reader.outcome(), ...(sealedBy === "another" && { isSealedByAnother: true }) } };
  }
}

/** Seals what was read of a snapshot whose version is pruned; its other accounts become final gaps with this message. */
export async function sealPruned(
  { engine, clock, host }: Pick<SnapshotWork, "engine" | "clock" | "host">,
  version: bigint,
  message: string,
): Promise<void> {
  const now = clock.now();
  const gap = { reason: "pruned", errorCode: null, httpStatus: null, message, attempts: 0, isFinal: true };
  await gapQueries(engine).commitRest(version, gap, now);
  await sealQueries(engine).sealIfWhole(version, { now, by: host });
}

/** Leaves to other nights what a chosen plan did not come to. Accounts that were asked and failed are gaps, and not passed over. */
async function passOverRest({ engine, clock }: SnapshotWork, version: bigint, failed: readonly Gap[]): Promise<void> {
  const { claimed } = await claimQueries(engine, { now: clock.now }).accountsLeft(version);
  if (claimed > 0 || (await snapshotQueries(engine).findSnapshot(version))?.passedOver === undefined) return;
  for (const gap of failed) await gapQueries(engine).commitGap(version, gap, clock.now());
  await planQueries(engine).passOverRest(version, clock.now());
}
