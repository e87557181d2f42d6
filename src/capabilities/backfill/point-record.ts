import { printable } from "../../core/base/printable.ts";
import { sealPruned } from "../../core/crawl/night/night.ts";
import type { SnapshotWork } from "../../core/crawl/night/snapshot-reader.ts";
import { statusQueries } from "../../core/db/archive/read/status-queries.ts";
import { snapshotQueries } from "../../core/db/archive/snapshots/snapshot-queries.ts";
import type { Address } from "../../core/move/address.ts";
import type { BackfillPoint, PointState } from "../../core/work/runs/backfill.ts";
import { recordNodeSource } from "../archival/sources.ts";
import type { RunForecast } from "../horizon/horizon-forecast.ts";
import { pointQueries } from "./point-queries.ts";

/** What a backfill's record is of: the accounts asked for, those still to be read at a version, and whether an archive node is asked. */
type Subject = {
  readonly scope: readonly Address[];
  readonly isArchive: boolean;
  readonly openAt: (version: bigint) => Promise<readonly Address[]>;
  /** Called when a snapshot was sealed, which changes what is still to be read. */
  readonly forget: () => void;
};

/** Takes down what becomes of each version that backfill was asked for, and counts what this run came to. */
export function openPointRecord(work: SnapshotWork, forecast: RunForecast, { scope, isArchive, openAt, forget }: Subject) {
  const { engine, node, clock, log } = work;
  const [points, snapshots, status] = [pointQueries(engine), snapshotQueries(engine), statusQueries(engine)];
  const counts = { ledgerVersion: null as bigint | null, accounts: 0, modules: 0, newBytecodes: 0, gaps: 0 };
  const lost = new Set<bigint>();
  let isAnnounced = false;

  function decide(version: bigint, state: PointState, reason: string | null, accountsRead = 0, accountsInferred = 0): Promise<void> {
    return points.decidePoint(version, { state, reason, accountsRead, accountsInferred }, clock.now());
  }

  async function lose(version: bigint, reason: string): Promise<void> {
    await decide(version, "lost", reason);
    lost.add(version);
  }

  /** Records the state of a version by what is sealed, so that a run that died before this point ends with the same record. */
  async function settle(version: bigint): Promise<void> {
    const sealed = (await snapshots.findSnapshot(version))?.status;
    const read = sealed?.startsWith("sealed") ? (await status.snapshotCounts(version)).accounts : 0;
    const unread = (await openAt(version)).length;
    const state = sealed === "sealed_with_gaps" ? "gaps" : read > 0 ? "observed" : "inferred";
    await decide(version, state, null, read, Math.max(0, scope.length - read - unread));
  }

  /** Records a version whose snapshot was sealed; `isLost` when the horizon overtook a part of it. */
  async function finish(version: bigint, isLost: boolean): Promise<void> {
    forget();
    const held = await status.snapshotCounts(version);
    if (held.status === "abandoned") return lose(version, "pruned before any account was read");
    if (isArchive) await recordNodeSource(engine, node.url, held, clock.now());
    await settle(version);
    counts.ledgerVersion = version;
    counts.accounts += held.accounts;
    counts.modules += held.modules;
    counts.gaps += held.gaps;
    if (isLost) lost.add(version);
  }

  /** Seals what was read of a pruned version; the rest is lost. */
  async function giveUp(version: bigint): Promise<void> {
    const window = forecast();
    if (window !== undefined && version >= window.lowest)
      return decide(version, "refused", "some of the nodes behind the address have pruned it, others have not");
    const oldest = window?.oldest ?? "unknown";
    const held = (await snapshots.findSnapshot(version))?.status;
    if ((await snapshots.progress(version)).planned > 0) {
      const message = `ledger version ${version} was pruned before the account was read; the node's oldest is ${oldest}`;
      await sealPruned(work, version, message);
    }
    if (held === undefined || held === "abandoned")
      await lose(version, `pruned before it was read: the node's oldest version is ${oldest}`);
    else await finish(version, held === "unsealed");
  }

  /** Gives up what is pruned. What would be before it is read stays planned: the next run may be quicker. */
  async function refuse(refused: ReadonlyMap<bigint, string>): Promise<void> {
    const pruned = [...refused].flatMap(([version, why]) => (why === "pruned" ? [version] : []));
    for (const version of pruned) await giveUp(version);
    if (isAnnounced || refused.size === 0) return;
    isAnnounced = true;
    const facts = { pruned: pruned.length, too_late: refused.size - pruned.length };
    const message = `${refused.size} of the versions asked for cannot be saved: ${pruned.length} are pruned, ${facts.too_late} would be before they are read`;
    log("warn", message, facts);
  }

  return {
    /** What the snapshots finished by this run hold, all together. */
    counts,
    /** Versions that were lost in this run, whole or in part. */
    lost,
    settle,
    finish,
    refuse,
    /** Gives up what earlier runs left and the node has pruned since. */
    recordPruned: async (): Promise<void> => {
      const lowest = forecast()?.lowest;
      if (lowest === undefined) return;
      const isLeft = ({ version, state }: BackfillPoint): boolean => version < lowest && (state === "planned" || state === "refused");
      const left = (await points.backfillPoints()).filter(isLeft).map(({ version }) => version);
      for (const version of left) await giveUp(version);
      if (left.length === 0) return;
      const message = `${left.length} of the versions that earlier runs left were pruned since: ${left.join(", ")}`;
      log("warn", printable(message, 500), { pruned_since: left.length });
    },
  };
}
