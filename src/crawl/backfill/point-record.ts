import { sourceQueries } from "../../archive/nodes/sources.ts";
import { statusQueries } from "../../archive/read/status-queries.ts";
import { pinQueries } from "../../archive/snapshots/pins.ts";
import { printable } from "../../base/printable.ts";
import { formatDuration } from "../../base/time/duration.ts";
import type { Address } from "../../move/address.ts";
import { backfillQueries, type PointState } from "../../work/runs/backfill.ts";
import type { HeadWatch } from "../horizon/head-watch.ts";
import { sealPruned } from "../night/snapshot.ts";
import type { SnapshotWork } from "../night/snapshot-reader.ts";
import type { Means, RefusedJob } from "./deadlines.ts";
import type { OpenAccounts } from "./open-accounts.ts";

/** What a backfill's record is of: the accounts asked for, those still open, and whether an archive node is asked. */
type Subject = { readonly scope: readonly Address[]; readonly open: OpenAccounts; readonly isArchive: boolean };

/** Takes down what becomes of each version that backfill was asked for, and counts what this run came to. */
export function openPointRecord({ engine, host, node, clock, log }: SnapshotWork, watch: HeadWatch, { scope, open, isArchive }: Subject) {
  const counts = { ledgerVersion: null as bigint | null, accounts: 0, modules: 0, newBytecodes: 0, gaps: 0 };
  const lost = new Set<bigint>();
  let isAnnounced = false;

  function decide(version: bigint, state: PointState, reason: string | null, accountsRead = 0, accountsInferred = 0): Promise<void> {
    return backfillQueries(engine).decidePoint(version, { state, reason, accountsRead, accountsInferred }, clock.now());
  }

  async function lose(version: bigint, reason: string): Promise<void> {
    await decide(version, "lost", reason);
    lost.add(version);
  }

  /** Records the state of a version by what is sealed, so that a run that died before this point ends with the same record. */
  async function settle(version: bigint): Promise<void> {
    const status = (await pinQueries(engine).findPin(version))?.status;
    const read = status?.startsWith("sealed") ? (await statusQueries(engine).snapshotCounts(version)).accounts : 0;
    const unread = (await open.at(version)).length;
    const state = status === "sealed_with_gaps" ? "gaps" : read > 0 ? "observed" : "inferred";
    await decide(version, state, null, read, Math.max(0, scope.length - read - unread));
  }

  /** Records a version whose snapshot was sealed; `isLost` when the horizon overtook a part of it. */
  async function finish(version: bigint, isLost: boolean): Promise<void> {
    open.forget();
    const held = await statusQueries(engine).snapshotCounts(version);
    if (held.status === "abandoned") {
      await lose(version, "pruned before any account was read");
      return;
    }
    if (isArchive) await sourceQueries(engine).recordNodeSource(node.url, version, held.accounts, clock.now());
    await settle(version);
    counts.ledgerVersion = version;
    counts.accounts += held.accounts;
    counts.modules += held.modules;
    counts.gaps += held.gaps;
    if (isLost) lost.add(version);
  }

  /** Seals what was read of a pruned version; the rest is lost. */
  async function forget(version: bigint): Promise<void> {
    const forecast = watch.forecast();
    if (forecast !== undefined && version >= forecast.lowest) {
      await decide(version, "refused", "some of the nodes behind the address have pruned it, others have not");
      return;
    }
    const oldest = forecast?.oldest ?? "unknown";
    const status = (await pinQueries(engine).findPin(version))?.status;
    if ((await pinQueries(engine).progress(version)).planned > 0) {
      const message = `ledger version ${version} was pruned before the account was read; the node's oldest is ${oldest}`;
      await sealPruned({ engine, host, clock }, version, message);
    }
    if (status === undefined || status === "abandoned")
      await lose(version, `pruned before it was read: the node's oldest version is ${oldest}`);
    else await finish(version, status === "unsealed");
  }

  /** Tells how many versions are not going to be read: once, since the later decisions of a run are about the same ones. */
  function announce(refused: readonly RefusedJob[]): void {
    if (isAnnounced) return;
    isAnnounced = true;
    const count = (why: RefusedJob["why"]): number => refused.filter((refusal) => refusal.why === why).length;
    const facts = { pruned: count("pruned"), too_late: count("time"), over_budget: count("budget") };
    const unsaved = facts.pruned + facts.too_late;
    if (unsaved > 0) {
      const message = `${unsaved} of the versions asked for cannot be saved: ${facts.pruned} are pruned, ${facts.too_late} would be before they are read`;
      log("warn", message, facts);
    }
    if (facts.over_budget > 0) log("info", `${facts.over_budget} versions are left for another run: the request budget ends first`, facts);
  }

  return {
    /** What the snapshots finished by this run hold, all together. */
    counts,
    /** Versions that were lost in this run, whole or in part. */
    lost,
    settle,
    finish,
    /** Versions that earlier runs left to later ones, and that every node has pruned since: they are lost, whatever this run asks for. */
    recordPruned: async (): Promise<void> => {
      const lowest = watch.forecast()?.lowest;
      if (lowest === undefined) return;
      const isLeft = (state: PointState): boolean => state === "planned" || state === "refused";
      const left = (await backfillQueries(engine).backfillPoints()).filter(({ version, state }) => version < lowest && isLeft(state));
      for (const { version } of left) await forget(version);
      if (left.length === 0) return;
      const message = `${left.length} of the versions that earlier runs left were pruned since: ${left.map(({ version }) => version).join(", ")}`;
      log("warn", printable(message, 500), { pruned_since: left.length });
    },
    refuse: async (refused: readonly RefusedJob[], means: Means): Promise<void> => {
      for (const refusal of refused) {
        const { version } = refusal.job;
        if (refusal.why === "pruned") await forget(version);
        else await decide(version, "refused", refusalText(refusal, means));
      }
      announce(refused);
    },
  };
}

/** Why a version that can still be read is not going to be, in words for the record. */
function refusalText({ job, why }: RefusedJob, means: Means): string {
  if (why === "budget") return "the budget of this run ends first; another run may read it";
  const need = formatDuration(job.requests * means.msPerRequest);
  const left = formatDuration(means.leftMs(job.version)?.expected ?? 0);
  return `reading it takes about ${need} after what comes first, and it is unreadable in about ${left}`;
}
