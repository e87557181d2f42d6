import { printable } from "../../core/base/printable.ts";
import { sealPruned } from "../../core/crawl/night/night.ts";
import type { SnapshotWork } from "../../core/crawl/night/snapshot-reader.ts";
import { statusQueries } from "../../core/db/archive/read/status-queries.ts";
import { snapshotQueries, storableVersion } from "../../core/db/archive/snapshots/snapshot-queries.ts";
import { keepEstimate } from "../../core/db/archive/times/ledger-times.ts";
import type { Engine, Integer } from "../../core/db/engine/engine.ts";
import { textsOf } from "../../core/db/engine/row-shape.ts";
import { writeChecksum } from "../../core/db/schema/sql/checksum.ts";
import { flag, jsonEach, jsonItem } from "../../core/db/schema/sql/functions.ts";
import { coveredAfter, coveredAt, coveredBefore, signedBetween } from "../../core/db/schema/sql/predicates.ts";
import { sql } from "../../core/db/schema/sql/sql.ts";
import { traceTables } from "../../core/db/schema/tables/time.ts";
import type { Address } from "../../core/move/address.ts";
import { type BackfillPoint, backfillPoints, type PointState } from "../../core/work/runs/backfill.ts";
import { recordNodeSource } from "../archival/sources.ts";
import type { RunForecast } from "../horizon/horizon-forecast.ts";

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

/** A version to ask for. `estimate` is about when it was made, where it stands for no moment. */
type WantedPoint = Pick<BackfillPoint, "version" | "wantedTime" | "timeErrorMs"> & {
  readonly estimate?: { readonly ms: number; readonly errorMs: number };
};

/** What is decided about a version. */
export type Decision = Pick<BackfillPoint, "state" | "reason" | "accountsRead" | "accountsInferred">;

const ask = sql`INSERT INTO _backfill_points (ledger_version, wanted_time, time_error_ms, state, asked_at, decided_at, accounts_read, accounts_inferred)
  SELECT :ledger_version, :time::time, :error::int, 'planned', :now::time, :now::time, 0, 0
  WHERE NOT EXISTS (SELECT 1 FROM _backfill_points WHERE wanted_time = :time::time) ON CONFLICT DO NOTHING`;
const bound = sql<[Integer]>`UPDATE _backfill_points SET inferred_within = :within::version WHERE (ledger_version = :ledger_version
  OR wanted_time = :time::time) AND inferred_within IS DISTINCT FROM :within::version RETURNING ledger_version`;
const check = writeChecksum(traceTables.backfill_points);
const decide = sql`UPDATE _backfill_points SET state = :state, reason = :reason::text, accounts_read = :accountsRead, accounts_inferred = :accountsInferred,
  decided_at = :now::time WHERE ledger_version = :ledger_version
  AND (state, coalesce(reason, ''), accounts_read, accounts_inferred) <> (:state::text, coalesce(:reason::text, ''), :accountsRead, :accountsInferred)`;
// No staged rows: this is asked of a plan too, by an engine that only reads.
const wanted = sql`(SELECT CAST(${jsonItem("j.value", 0)} AS bigint) AS place, ${jsonItem("j.value", 1)} AS address FROM ${jsonEach(":wanted::json", "j")})`;
const beside = sql`SELECT w.place, w.address, a.id AS address_id,
    ${coveredBefore(sql`a.id`, sql`:version`)} AS low, ${coveredAfter(sql`a.id`, sql`:version`)} AS high,
    ${flag(coveredAt(sql`a.id`, sql`:version`))} AS is_covered
  FROM ${wanted} w LEFT JOIN _addresses a ON a.address = w.address`;
const open = sql`SELECT b.address FROM beside b WHERE NOT (b.is_covered OR (b.low IS NOT NULL AND b.high IS NOT NULL
    AND (:maxApart::version IS NULL OR (b.high - b.low <= :maxApart::version AND NOT ${signedBetween(sql`b.address_id`, sql`b.low`, sql`b.high`)}))
    AND NOT EXISTS (SELECT 1 FROM _listing_spans s WHERE s.address_id = b.address_id AND s.from_version > b.low AND s.from_version <= b.high)))
  ORDER BY b.place`;
/** Older versions: what is decided of them, and what of them need not be read. */
export function pointQueries(engine: Engine) {
  return {
    backfillPoints: () => backfillPoints(engine),
    /**
     * Records the versions that are wanted, and how far apart the snapshots around may be for an account to be inferred there
     * (undefined for any distance); otherwise those known already by version or by wanted time stay as they are.
     */
    askPoints: (asked: readonly WantedPoint[], now: number, inferredWithin?: bigint): Promise<void> =>
      engine.transaction(async (tx) => {
        for (const { version, wantedTime, timeErrorMs, estimate } of asked) {
          const key = { ledger_version: storableVersion(version) };
          if ((await tx.run(ask, { ...key, time: wantedTime, error: timeErrorMs, now })) > 0) {
            await tx.run(check, key);
            if (wantedTime !== null && timeErrorMs !== null) await keepEstimate(tx, version, wantedTime, timeErrorMs);
          }
          if (estimate !== undefined) await keepEstimate(tx, version, estimate.ms, estimate.errorMs);
          const bounded = await tx.all(bound, { ...key, time: wantedTime, within: inferredWithin ?? null });
          for (const [found] of bounded) await tx.run(check, { ledger_version: found });
        }
      }),
    /** Sets what became of a version; the same decision again changes nothing. */
    decidePoint: (version: bigint, { state, reason, accountsRead, accountsInferred }: Decision, now: number): Promise<void> =>
      engine.transaction(async (tx) => {
        const key = { ledger_version: version };
        if ((await tx.run(decide, { ...key, state, reason, accountsRead, accountsInferred, now })) > 0) await tx.run(check, key);
      }),
    /**
     * The accounts whose modules at a version are neither observed nor inferred: inferred where the nearest snapshots around it, at
     * most `maxApart` versions apart, hold the same modules and sequence numbers.
     */
    openAccounts: (version: bigint, accounts: Iterable<Address>, maxApart: bigint | undefined): Promise<Address[]> => {
      const rows = [...new Set(accounts)].map((address, place) => [place, address]);
      return engine.transaction(async (tx) => {
        await tx.stageSelect("beside", beside, { version, wanted: JSON.stringify(rows) });
        return textsOf<Address>(tx, open, { maxApart: maxApart ?? null });
      });
    },
  };
}
