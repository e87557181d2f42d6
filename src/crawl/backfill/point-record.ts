import { printable } from "../../base/printable.ts";
import type { Address } from "../../move/address.ts";
import type { PointState } from "../../work/runs/backfill.ts";
import type { HeadWatch } from "../horizon/head-watch.ts";
import { sealPruned } from "../night/snapshot.ts";
import type { SnapshotWork } from "../night/snapshot-reader.ts";
import type { OpenAccounts } from "./open-accounts.ts";

/** What a backfill's record is of: the accounts asked for, those still open, and whether an archive node is asked. */
type Subject = { readonly scope: readonly Address[]; readonly open: OpenAccounts; readonly isArchive: boolean };

/** Takes down what becomes of each version that backfill was asked for, and counts what this run came to. */
export class PointRecord {
  readonly #work: SnapshotWork;
  readonly #watch: HeadWatch;
  readonly #subject: Subject;
  /** What the snapshots finished by this run hold, all together. */
  readonly counts = { ledgerVersion: null as bigint | null, accounts: 0, modules: 0, newBytecodes: 0, gaps: 0 };
  /** Versions that were lost in this run, whole or in part. */
  readonly lost = new Set<bigint>();
  /** Whether a snapshot finished by this run has gaps. */
  hasGaps = false;

  constructor(work: SnapshotWork, watch: HeadWatch, subject: Subject) {
    this.#work = work;
    this.#watch = watch;
    this.#subject = subject;
  }

  /** Versions that earlier runs left to later ones, and that every node has pruned since: they are lost, whatever this run is asked for. */
  async recordPruned(): Promise<void> {
    const lowest = this.#watch.forecast()?.lowest;
    if (lowest === undefined) return;
    const left = (await this.#work.store.backfillPoints()).filter(({ version, state }) => version < lowest && isLeft(state));
    for (const { version } of left) await this.forget(version);
    if (left.length === 0) return;
    const message = `${left.length} of the versions that earlier runs left were pruned since: ${left.map(({ version }) => version).join(", ")}`;
    this.#work.log("warn", printable(message, 500), { pruned_since: left.length });
  }

  /** Records the state of a version by what is sealed, so that a run that died before this point ends with the same record. */
  async settle(version: bigint): Promise<void> {
    const { store } = this.#work;
    const status = (await store.findPin(version))?.status;
    const read = status?.startsWith("sealed") ? (await store.snapshotCounts(version)).accounts : 0;
    const open = (await this.#subject.open.at(version)).length;
    const state = status === "sealed_with_gaps" ? "gaps" : read > 0 ? "observed" : "inferred";
    await this.#decide(version, state, null, read, Math.max(0, this.#subject.scope.length - read - open));
  }

  /** Records a version whose snapshot was sealed; `isLost` when the horizon overtook a part of it. */
  async finish(version: bigint, isLost: boolean): Promise<void> {
    this.#subject.open.forget();
    const counts = await this.#work.store.snapshotCounts(version);
    if (counts.status === "abandoned") {
      await this.#lose(version, "pruned before any account was read");
      return;
    }
    if (this.#subject.isArchive)
      await this.#work.store.recordNodeSource(this.#work.node.url, version, counts.accounts, this.#work.clock.now());
    await this.settle(version);
    this.counts.ledgerVersion = version;
    this.counts.accounts += counts.accounts;
    this.counts.modules += counts.modules;
    this.counts.gaps += counts.gaps;
    if (isLost) this.lost.add(version);
    this.hasGaps ||= counts.gaps > 0;
  }

  /** Records that a version cannot be read as things stand. */
  async refuse(version: bigint, reason: string): Promise<void> {
    await this.#decide(version, "refused", reason);
  }

  /** Seals what was read of a pruned version; the rest is lost. */
  async forget(version: bigint): Promise<void> {
    const { store } = this.#work;
    const forecast = this.#watch.forecast();
    if (forecast !== undefined && version >= forecast.lowest) {
      await this.refuse(version, "some of the nodes behind the address have pruned it, others have not");
      return;
    }
    const oldest = forecast?.oldest ?? "unknown";
    const status = (await store.findPin(version))?.status;
    if ((await store.progress(version)).planned > 0) {
      const message = `ledger version ${version} was pruned before the account was read; the node's oldest is ${oldest}`;
      await sealPruned(this.#work, version, message);
    }
    if (status === undefined || status === "abandoned")
      await this.#lose(version, `pruned before it was read: the node's oldest version is ${oldest}`);
    else await this.finish(version, status === "unsealed");
  }

  #decide(version: bigint, state: PointState, reason: string | null, accountsRead = 0, accountsInferred = 0): Promise<void> {
    return this.#work.store.decidePoint(version, { state, reason, accountsRead, accountsInferred }, this.#work.clock.now());
  }

  async #lose(version: bigint, reason: string): Promise<void> {
    await this.#decide(version, "lost", reason);
    this.lost.add(version);
  }
}

function isLeft(state: PointState): boolean {
  return state === "planned" || state === "refused";
}
