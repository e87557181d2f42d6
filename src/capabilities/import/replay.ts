import type { Bytecodes } from "../../core/db/archive/content/bytecodes.ts";
import { addToPlan, keepPlan } from "../../core/db/archive/snapshots/plan.ts";
import { sealQueries } from "../../core/db/archive/snapshots/seal.ts";
import { countSnapshot } from "../../core/db/archive/snapshots/snapshot-digest.ts";
import { readSealedVersions, snapshotQueries } from "../../core/db/archive/snapshots/snapshot-queries.ts";
import { type Visit, visitQueries } from "../../core/db/archive/snapshots/visits.ts";
import type { Engine, Integer, Session, Transaction } from "../../core/db/engine/engine.ts";
import { StoreError } from "../../core/db/engine/errors.ts";
import { rowOf, version as versionField } from "../../core/db/engine/row-shape.ts";
import { includesVersion } from "../../core/db/schema/sql/predicates.ts";
import { sql } from "../../core/db/schema/sql/sql.ts";
import type { Address } from "../../core/move/address.ts";
import { type Contradictions, compareAccounts } from "./compare-accounts.ts";
import { type ForeignAccount, foreignAccountQueries } from "./foreign-accounts.ts";
import { withContent } from "./foreign-bytecodes.ts";
import { takeGaps } from "./foreign-observations.ts";
import { readOwnSnapshot, requireSealed, type SnapshotFacts, settleSnapshot } from "./foreign-snapshots.ts";

/** What came of a snapshot: answers that were not held, and bytecodes. */
export type Replayed = { readonly isFresh: boolean; readonly newAnswers: number; readonly newBytecodes: number };

type ReplayParts = {
  readonly chainId: number;
  readonly bytecodes: Bytecodes;
  readonly session: Session;
  readonly contradictions: Contradictions;
};

const inWork = rowOf({ ledgerVersion: versionField("p.ledger_version") });
const findInWork = sql`SELECT ${inWork.columns} FROM _all_snapshots p WHERE p.ledger_version = :version
  AND (p.status = 'unsealed' OR EXISTS (SELECT 1 FROM _visits v WHERE v.ledger_version = p.ledger_version))`;
const goneTable = { name: "gone", columns: { address: { kind: "text" } } } as const;
// Accounts that show what they did at the snapshot before, which was replayed just now and holds the same here as there.
const visitSame = sql`INSERT INTO _visits (ledger_version, position, address_id, state, same_as_version, reads_record)
  SELECT :version::version, :position::int + row_number() OVER (ORDER BY c.address_id) - 1, c.address_id, 'visited', :previous::version,
    c.reads_record FROM _coverage c WHERE ${includesVersion("c", ":previous::version")}
    AND NOT EXISTS (SELECT 1 FROM _visits v WHERE v.ledger_version = :version AND v.address_id = c.address_id)
    AND NOT EXISTS (SELECT 1 FROM gone g JOIN _addresses a ON a.address = g.address WHERE a.id = c.address_id)`;

/** Replays snapshots of a foreign database, oldest first, through visits and seals of `within`, an engine inside of `tx`. */
export function replayQueries(tx: Transaction, within: Engine, { chainId, bytecodes, session, contradictions }: ReplayParts) {
  const snapshots = snapshotQueries(within);
  const visits = visitQueries(within, bytecodes);
  const { seal } = sealQueries(within);
  const foreign = foreignAccountQueries(session);

  const visit = async (version: bigint, accounts: readonly ForeignAccount[]): Promise<number> => {
    const addresses: readonly Address[] = accounts.map(({ address }) => address);
    await within.transaction(async (part) => {
      await keepPlan(part, addresses);
      await addToPlan(part, version, "all");
    });
    const modules = await withContent(
      tx,
      session,
      accounts.map(({ listing }) => listing),
    );
    const answers = accounts.map(
      ({ address, record }, i): Visit => ({
        address,
        account:
          record === "unread" ? undefined : record === undefined ? null : { ...record, sequenceNumber: BigInt(record.sequenceNumber) },
        modules: modules[i] as Visit["modules"],
      }),
    );
    return (await visits.commitVisits(version, answers)).reduce((sum, { newBytecodes }) => sum + newBytecodes, 0);
  };

  const begin = async (snapshot: SnapshotFacts): Promise<void> => {
    const { createdAt: now, headEpoch, headBlockHeight, headVersion, oldestVersion, headTimestampUsec } = snapshot;
    const heads = { ...(headEpoch === null ? {} : { headEpoch }), ...(headBlockHeight === null ? {} : { headBlockHeight }) };
    const facts = { chainId, ledgerVersion: snapshot.version, headVersion, oldestVersion, headTimestampUsec, ...heads, now };
    await snapshots.createSnapshot(facts, []);
  };

  let last: { readonly version: bigint; readonly isFresh: boolean } | undefined;
  let compared: bigint | undefined;
  /** `tell` hears of every account that the snapshot has, by its number there, unless it heard of it before. */
  return async (snapshot: SnapshotFacts, tell: (account: Integer) => void): Promise<Replayed> => {
    const { version } = snapshot;
    if ((await inWork.first(tx, findInWork, { version })) !== undefined) throw unfinishedHere(version);
    const before = await readOwnSnapshot(tx, version);
    const isFresh = before === undefined;
    const neighbour = isFresh ? (await readSealedVersions(within)).findLast((one) => one < version) : undefined;
    /** The version that was replayed before this one, and is its neighbour on both sides. */
    const previous = last?.isFresh === true && neighbour === last.version ? neighbour : undefined;
    if (isFresh) await begin(snapshot);
    else requireSealed(snapshot, await countSnapshot(session, version));
    await within.transaction((part) => takeGaps(part, session, version, !isFresh));
    let [position, newAnswers, newBytecodes] = [0, 0, 0];
    for await (const accounts of foreign.changed(version, previous)) {
      for (const { id } of accounts) tell(id);
      const missing = isFresh ? { accounts, records: [] } : await compareAccounts(tx, version, accounts, contradictions, compared);
      const visited = [...missing.accounts, ...missing.records];
      if (visited.length > 0) newBytecodes += await visit(version, visited);
      position += visited.length;
      newAnswers += missing.accounts.length;
    }
    if (previous !== undefined) {
      await within.transaction(async (part) => {
        await part.stage(goneTable, foreign.gone(version, previous));
        await part.run(visitSame, { version, previous, position });
      });
    }
    last = { version, isFresh };
    if (isFresh) {
      await seal(version, { now: snapshot.sealedAt });
      const totals = requireSealed(snapshot, await readOwnSnapshot(tx, version));
      await settleSnapshot(tx, snapshot, undefined, totals);
      return { isFresh, newAnswers: totals.accounts, newBytecodes };
    }
    compared = version;
    if (position > 0) await seal(version, { now: before.sealedAt });
    await settleSnapshot(tx, snapshot, before, position > 0 ? await countSnapshot(tx, version) : before);
    return { isFresh, newAnswers, newBytecodes };
  };
}

function unfinishedHere(version: bigint): StoreError {
  const text =
    `the snapshot of ledger version ${version} is being crawled here and is not finished; ` +
    "run `movedex sync` once more, then import again. Nothing was imported.";
  return new StoreError("MOVEDEX_STORE_PIN", text, { facts: { version } });
}
