import { LEDGER_VERSION_MAX } from "../../../base/numbers.ts";
import type { Engine, Session } from "../../engine/engine.ts";
import { StoreError } from "../../engine/errors.ts";
import { orUndefined, rowOf, text, version, versionsOf, whole } from "../../engine/row-shape.ts";
import { writeChecksum } from "../../schema/sql/checksum.ts";
import { countRows } from "../../schema/sql/functions.ts";
import { sealed } from "../../schema/sql/predicates.ts";
import { type Sql, sql } from "../../schema/sql/sql.ts";
import { workTables } from "../../schema/tables/work.ts";
import { bindChain } from "../chain.ts";
import { keepTime } from "../times/ledger-times.ts";
import { addToPlan, keepPlan, type PlanRecords, type PlanScope } from "./plan.ts";

export type SnapshotStatus = "unsealed" | "sealed" | "sealed_with_gaps" | "abandoned";

export type SnapshotRequest = {
  readonly chainId: number;
  readonly ledgerVersion: bigint;
  readonly headVersion: bigint;
  readonly oldestVersion: bigint;
  readonly headTimestampUsec: bigint;
  /** Undefined if not known: `serve` then shows 0. */
  readonly headEpoch?: bigint;
  readonly headBlockHeight?: bigint;
  /** Targets left to other nights by choice; undefined when the plan is all that was asked for. */
  readonly passedOver?: number;
  /** Of which accounts the record is read as well; undefined for all. */
  readonly records?: PlanRecords;
  readonly now: number;
};

export type Snapshot = ReturnType<typeof snapshot.read>;

/** How many of a snapshot's targets are where. `planned` is what is left to visit. */
export type PlanProgress = ReturnType<typeof progress.read>;

const checkSnapshot = writeChecksum(workTables.all_snapshots);
const dropGaps = sql`DELETE FROM _all_gaps WHERE ledger_version = :version`;
const dropSnapshot = sql`DELETE FROM _all_snapshots WHERE ledger_version = :version`;
const addSnapshot = sql`INSERT INTO _all_snapshots (ledger_version, status, created_at, head_version, oldest_version, head_timestamp_usec, head_epoch, head_block_height, planned, passed_over)
  VALUES (:version, 'unsealed', :now::time, :head, :oldest, :timestamp::u64, :epoch::u64, :height::u64, 0, :passed::int)`;
const countVisits = countRows("_visits");
const setPlanned = sql`UPDATE _all_snapshots SET planned = :planned WHERE ledger_version = :version`;
const snapshot = rowOf({
  ledgerVersion: version("p.ledger_version"),
  status: text<SnapshotStatus>("p.status"),
  createdAt: whole("p.created_at"),
  /** The node's newest version when it was pinned. */
  headVersion: version("p.head_version"),
  planned: whole("p.planned"),
  /** Targets left to other nights by choice; undefined when its plan was all that was asked for. */
  passedOver: orUndefined(whole("p.passed_over")),
  sealedAt: orUndefined(whole("p.sealed_at")),
  /** The machine that sealed it, where several may; undefined in a file. */
  sealedBy: orUndefined(text("p.sealed_by")),
});
const columns = sql`SELECT ${snapshot.columns} FROM _all_snapshots p`;
const find = sql`${columns} WHERE p.ledger_version = :version`;
const unfinished = sql`${columns} WHERE p.status = 'unsealed'
  OR EXISTS (SELECT 1 FROM _visits v WHERE v.ledger_version = p.ledger_version) ORDER BY p.ledger_version DESC`;
const inState = (state: Sql) => whole(sql`count(*) FILTER (WHERE state = ${state})`);
const progress = rowOf({ planned: inState(sql`'planned'`), visited: inState(sql`'visited'`), missed: inState(sql`'missed'`) });
const counts = sql`SELECT ${progress.columns} FROM _visits WHERE ledger_version = :version`;
const sealedVersions = sql`SELECT p.ledger_version FROM _all_snapshots p WHERE ${sealed("p")} AND coalesce(p.modules, 0) >= :least ORDER BY p.ledger_version`;

/** Snapshots in work: their plan, and what is left of it. */
export function snapshotQueries(engine: Engine) {
  return {
    /** Says which chain the database is of. @throws StoreError `MOVEDEX_STORE_CHAIN` when it is of another */
    bindChain: (chainId: number): Promise<void> => engine.transaction((tx) => bindChain(tx, chainId, "node")),
    /**
     * Starts a snapshot: binds the chain, writes its row and its plan, in one transaction. An abandoned one starts anew.
     * @throws StoreError `MOVEDEX_STORE_PIN` when that version is pinned already, `MOVEDEX_STORE_CHAIN`, `MOVEDEX_STORE_VERSION`
     */
    createSnapshot: async (request: SnapshotRequest, scope: PlanScope): Promise<Snapshot> => {
      const version = storableVersion(request.ledgerVersion);
      return engine.transaction(async (tx) => {
        await bindChain(tx, request.chainId, "node");
        const held = await findSnapshot(tx, version);
        if (held?.status === "abandoned") {
          await tx.run(dropGaps, { version });
          await tx.run(dropSnapshot, { version });
        } else if (held?.status === "unsealed" && held.createdAt === request.now) {
          // This very call, whose COMMIT went unanswered.
          return held;
        } else if (held !== undefined) {
          const { status } = held;
          const text = `ledger version ${version} is pinned already: its snapshot is ${status}`;
          throw new StoreError("MOVEDEX_STORE_PIN", text, { facts: { version, status } });
        }
        await tx.run(addSnapshot, {
          version,
          now: request.now,
          head: storableVersion(request.headVersion),
          oldest: storableVersion(request.oldestVersion),
          timestamp: request.headTimestampUsec,
          epoch: request.headEpoch ?? null,
          height: request.headBlockHeight ?? null,
          passed: request.passedOver ?? null,
        });
        await keepTime(tx, request.headVersion, request.headTimestampUsec);
        await keepPlan(tx, scope);
        await tx.run(setPlanned, { version, planned: await addToPlan(tx, version, request.records ?? "all") });
        await tx.run(checkSnapshot, { ledger_version: version });
        await tx.all(countVisits);
        return (await findSnapshot(tx, version)) as Snapshot;
      });
    },
    findSnapshot: (version: bigint): Promise<Snapshot | undefined> => findSnapshot(engine, version),
    /** Snapshots with work in hand, newest version first: started and not sealed, or sealed and extended since. */
    unfinishedSnapshots: (): Promise<readonly Snapshot[]> => snapshot.all(engine, unfinished),
    /** Counts the plan's rows: cost grows with the plan. */
    progress: (version: bigint): Promise<PlanProgress> => progress.only(engine, counts, { version }),
  };
}

/** Sealed versions, oldest first, of snapshots with at least `least` modules. */
export function readSealedVersions(session: Pick<Session, "all">, least = 0): Promise<bigint[]> {
  return versionsOf(session, sealedVersions, { least });
}

function findSnapshot(session: Session, version: bigint): Promise<Snapshot | undefined> {
  return snapshot.first(session, find, { version });
}

/** A ledger version that can be stored. @throws StoreError `MOVEDEX_STORE_VERSION` when it is negative or above 2^63 - 1 */
export function storableVersion(version: bigint): bigint {
  if (version >= 0n && version <= LEDGER_VERSION_MAX) return version;
  const text = `ledger version ${version} cannot be stored: it has to be from 0 to ${LEDGER_VERSION_MAX}`;
  throw new StoreError("MOVEDEX_STORE_VERSION", text, { facts: { version } });
}
