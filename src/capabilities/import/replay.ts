import { bindChain } from "../../core/db/archive/chain.ts";
import { bytecodeQueries } from "../../core/db/archive/content/bytecodes.ts";
import { addFindings } from "../../core/db/archive/nodes/sources.ts";
import { addToPlan, keepPlan } from "../../core/db/archive/snapshots/plan.ts";
import { sealQueries } from "../../core/db/archive/snapshots/seal.ts";
import { countSnapshot } from "../../core/db/archive/snapshots/snapshot-digest.ts";
import { snapshotQueries } from "../../core/db/archive/snapshots/snapshot-queries.ts";
import { type Visit, visitQueries } from "../../core/db/archive/snapshots/visits.ts";
import { keepTime } from "../../core/db/archive/times/ledger-times.ts";
import type { Engine, Integer, Transaction } from "../../core/db/engine/engine.ts";
import { StoreError } from "../../core/db/engine/errors.ts";
import { textsOf } from "../../core/db/engine/row-shape.ts";
import { engineWithin } from "../../core/db/engine/scope.ts";
import { writeChecksum } from "../../core/db/schema/sql/checksum.ts";
import { includesVersion } from "../../core/db/schema/sql/predicates.ts";
import { sql } from "../../core/db/schema/sql/sql.ts";
import { workTables } from "../../core/db/schema/tables/work.ts";
import { changedAccounts, compareAccounts, visitsOf } from "./accounts.ts";
import { compareNodeAbis, takeBytecodes } from "./bytecodes.ts";
import { contradictionsOf } from "./contradictions.ts";
import {
  digestOf,
  type ForeignArchive,
  readSnapshot,
  readSnapshots,
  requireAsWritten,
  requireSealed,
  type SnapshotFacts,
} from "./foreign-archive.ts";
import { countLeftOut, takeGaps, takeProbes, takeTimes } from "./observations.ts";
import { addSource, addSourceSnapshot } from "./sources.ts";

const gone = sql`SELECT a.address FROM _coverage c JOIN _addresses a ON a.id = c.address_id WHERE ${includesVersion("c", ":previous")}
  AND NOT EXISTS (SELECT 1 FROM _coverage q WHERE q.address_id = c.address_id AND ${includesVersion("q", ":version")})`;
const goneTable = { name: "gone", columns: { address: { kind: "text" } } } as const;
// Accounts that show what they did at the snapshot before, which was replayed just now and holds the same here as there.
const visitSame = sql`INSERT INTO _visits (ledger_version, position, address_id, state, same_as_version, reads_record)
  SELECT :version::version, :position::int + row_number() OVER (ORDER BY c.address_id) - 1, c.address_id, 'visited', :previous::version,
    c.reads_record FROM _coverage c WHERE ${includesVersion("c", ":previous::version")}
    AND NOT EXISTS (SELECT 1 FROM _visits v WHERE v.ledger_version = :version AND v.address_id = c.address_id)
    AND NOT EXISTS (SELECT 1 FROM gone g JOIN _addresses a ON a.address = g.address WHERE a.id = c.address_id)`;
const gaps = sql`(SELECT count(*) FROM _all_gaps m WHERE m.ledger_version = :version)`;
const settle = sql`UPDATE _all_snapshots SET created_at = :createdAt::time, sealed_at = :sealedAt::time, head_version = :headVersion,
    oldest_version = :oldestVersion, head_timestamp_usec = :headTimestampUsec::u64, head_epoch = :headEpoch::u64, head_block_height = :headBlockHeight::u64,
    changed_modules = :changedModules::int, gaps = ${gaps}, planned = accounts + ${gaps},
    status = CASE WHEN ${gaps} > 0 THEN 'sealed_with_gaps' ELSE 'sealed' END,
    passed_over = CASE WHEN :asked::int > accounts + ${gaps} THEN :asked::int - accounts - ${gaps} WHEN :asked::int IS NOT NULL THEN 0 END
  WHERE ledger_version = :version`;
const check = writeChecksum(workTables.all_snapshots);

export type ImportResult = Awaited<ReturnType<typeof importArchive>>;

/**
 * Replays the snapshots of another database, oldest first, through visits and seals in one transaction. The order in which databases are
 * imported does not matter; what contradicts the stored becomes a finding. @throws StoreError `MOVEDEX_STORE_ARCHIVE`,
 * `MOVEDEX_STORE_CHAIN`, `MOVEDEX_STORE_PIN` when a crawl of one of its versions is unfinished here
 */
export function importArchive(
  engine: Engine,
  { path, session, chainId, snapshots }: ForeignArchive & { readonly chainId: number },
  now: number,
) {
  const bytecodes = bytecodeQueries(engine);
  return engine.transaction(async (tx) => {
    await bindChain(tx, chainId, "archive");
    const within = engineWithin(tx);
    const { createSnapshot, unfinishedSnapshots } = snapshotQueries(within);
    const [{ commitVisits }, { seal }] = [visitQueries(within, bytecodes), sealQueries(within)];
    const unfinished = (await unfinishedSnapshots()).find((one) => snapshots.some(({ version }) => version === one.ledgerVersion));
    if (unfinished !== undefined) throw unfinishedHere(unfinished.ledgerVersion);
    await requireAsWritten(session, snapshots);
    const own = new Map((await readSnapshots(tx)).map((snapshot) => [snapshot.version, snapshot]));
    const contradictions = contradictionsOf(path);
    const accounts = new Set<Integer>();
    let newBytecodes = 0;

    const visit = async (version: bigint, visits: readonly Visit[]): Promise<void> => {
      const addresses = visits.map(({ address }) => address);
      await within.transaction(async (part) => {
        await keepPlan(part, addresses);
        await addToPlan(part, version, "all");
      });
      for (const visited of await commitVisits(version, visits)) newBytecodes += visited.newBytecodes;
    };

    let [freshBefore, compared]: (bigint | undefined)[] = [];
    /** Returns how many answers were not held. */
    const replay = async (theirs: SnapshotFacts): Promise<number> => {
      const { version, headVersion, oldestVersion, headTimestampUsec, createdAt } = theirs;
      const before = own.get(version);
      const isBetween = (one: bigint) => freshBefore !== undefined && one > freshBefore && one < version;
      /** The version that was replayed before this one, and is its neighbour on both sides. */
      const previous = before !== undefined || [...own.keys()].some(isBetween) ? undefined : freshBefore;
      const facts = { chainId, ledgerVersion: version, headVersion, oldestVersion, headTimestampUsec, now: createdAt };
      if (before === undefined) await createSnapshot(facts, []);
      else requireSealed(theirs, await countSnapshot(session, version));
      await within.transaction((part) => takeGaps(part, session, version, before !== undefined));
      let [position, newAnswers] = [0, 0];
      for await (const found of changedAccounts(session, version, previous)) {
        for (const { id } of found) accounts.add(id);
        const compare = contradictions.at(version, compared);
        const missing = before ? await compareAccounts(tx, session, version, found, compare) : { accounts: found, records: [] };
        const visits = [...(await visitsOf(tx, session, missing.accounts)), ...missing.records];
        if (visits.length > 0) await visit(version, visits);
        position += visits.length;
        newAnswers += missing.accounts.length;
      }
      if (previous !== undefined)
        await within.transaction(async (part) => {
          await part.stage(goneTable, { cells: await textsOf(session, gone, { version, previous }) });
          newAnswers += await part.run(visitSame, { version, previous, position });
        });
      if (before === undefined || position > 0) await seal(version, { now: (before ?? theirs).sealedAt });
      if (before === undefined) requireSealed(theirs, await readSnapshot(tx, version));
      else compared = version;
      freshBefore = before === undefined ? version : undefined;
      await settleSnapshot(tx, theirs, before);
      return newAnswers;
    };

    const newAnswers: number[] = [];
    for (const snapshot of snapshots) newAnswers.push(await replay(snapshot));
    newBytecodes += await takeBytecodes(tx, session, bytecodes);
    await compareNodeAbis(tx, session, contradictions.at(0n));
    await takeProbes(tx, session, contradictions);
    await takeTimes(tx, session);
    const source = await addSource(tx, { kind: "database", name: path, digest: digestOf(snapshots) }, now);
    for (const [i, { version, accounts, digest }] of snapshots.entries())
      await addSourceSnapshot(tx, source, { ledgerVersion: version, accounts, newAccounts: newAnswers[i] ?? 0, digest });
    const findings = contradictions.all();
    await addFindings(tx, findings, now);
    return {
      snapshots: snapshots.length,
      newSnapshots: snapshots.filter(({ version }) => !own.has(version)).length,
      accounts: accounts.size,
      /** Answers (an account at a version) that nothing stored covered before. */
      newAnswers: newAnswers.reduce((sum, count) => sum + count, 0),
      newBytecodes,
      findings: findings.length,
      leftOut: await countLeftOut(session),
    };
  });
}

const factNames = ["headVersion", "headTimestampUsec", "headEpoch", "headBlockHeight", "oldestVersion", "createdAt", "sealedAt"] as const;

/** A place in an order that both sides agree on: by the node's newest version first, then by everything else that it said. */
function rankOf(snapshot: SnapshotFacts): string {
  return factNames.map((name) => String(snapshot[name] ?? "").padStart(20, "0")).join();
}

/**
 * Writes what a node said of a snapshot whose accounts and gaps are there: of what two databases know of it, what both orders of importing
 * them agree on. `before` is what the row was, undefined for a new one.
 */
async function settleSnapshot(tx: Transaction, theirs: SnapshotFacts, before: SnapshotFacts | undefined): Promise<void> {
  const both = before === undefined ? [theirs] : [before, theirs];
  const first = both.reduce((one, other) => (rankOf(other) < rankOf(one) ? other : one));
  const changed = both.flatMap(({ changedModules }) => changedModules ?? []);
  // The longer of two plans, from which follows how many targets neither of two observers read; null where one planned to read all.
  const asked = both.some(({ passedOver }) => passedOver === null)
    ? null
    : Math.max(...both.map(({ accounts, gaps, passedOver }) => accounts + gaps + Number(passedOver)));
  await tx.run(settle, { ...first, changedModules: changed.length === 0 ? null : Math.max(...changed), asked });
  await tx.run(check, { ledger_version: theirs.version });
  await keepTime(tx, theirs.headVersion, theirs.headTimestampUsec);
}

function unfinishedHere(version: bigint): StoreError {
  const text =
    `the snapshot of ledger version ${version} is being crawled here and is not finished; ` +
    "run `movedex sync` once more, then import again. Nothing was imported.";
  return new StoreError("MOVEDEX_STORE_PIN", text, { facts: { version } });
}
