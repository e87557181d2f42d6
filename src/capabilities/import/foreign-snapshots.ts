import { readChain } from "../../archive/chain.ts";
import { keepTime } from "../../archive/times/ledger-times.ts";
import { closing } from "../../base/async.ts";
import { equalBytes, formatHex } from "../../base/bytes.ts";
import type { Cell } from "../../base/cell.ts";
import { sha256Hex } from "../../base/sha256.ts";
import { beginReading } from "../../engine/check.ts";
import { databaseAt } from "../../engine/database-at.ts";
import type { Session, Transaction } from "../../engine/engine.ts";
import { StoreError } from "../../engine/errors.ts";
import { countOf } from "../../engine/row-shape.ts";
import { writeChecksum } from "../../schema/sql/checksum.ts";
import { sealed } from "../../schema/sql/predicates.ts";
import { sql } from "../../schema/sql/sql.ts";
import { workTables } from "../../schema/tables/work.ts";
import { keyIn, orNullIn, refused, u64In, versionIn, wholeIn } from "./foreign-cells.ts";

/** A sealed snapshot's row: what a node said when it was pinned, and what its seal says of its content. */
export type SnapshotFacts = ReturnType<typeof snapshotIn>;

const columns = sql`p.ledger_version, p.created_at, p.sealed_at, p.head_version, p.oldest_version, p.head_timestamp_usec, p.head_epoch,
  p.head_block_height, p.accounts, p.records, p.modules, p.gaps, p.changed_modules, p.passed_over, p.digest, p.records_digest`;
const all = sql<Cell[]>`SELECT ${columns} FROM _all_snapshots p WHERE ${sealed("p")} ORDER BY p.ledger_version`;
const one = sql<Cell[]>`SELECT ${columns} FROM _all_snapshots p WHERE p.ledger_version = :version AND ${sealed("p")}`;
const gaps = sql`(SELECT count(*) FROM _all_gaps m WHERE m.ledger_version = :version)`;
const write = sql`UPDATE _all_snapshots SET created_at = :createdAt::time, sealed_at = :sealedAt::time, head_version = :headVersion, oldest_version = :oldestVersion,
    head_timestamp_usec = :headTimestampUsec::u64, head_epoch = :headEpoch::u64, head_block_height = :headBlockHeight::u64, accounts = :accounts::int,
    records = :records::int, modules = :modules::int, digest = :digest::bytes, records_digest = :recordsDigest::bytes,
    changed_modules = :changedModules::int, gaps = ${gaps}, planned = :accounts::int + ${gaps},
    status = CASE WHEN ${gaps} > 0 THEN 'sealed_with_gaps' ELSE 'sealed' END,
    passed_over = CASE WHEN :asked::int > :accounts::int + ${gaps} THEN :asked::int - :accounts::int - ${gaps} WHEN :asked::int IS NOT NULL THEN 0 END
  WHERE ledger_version = :version`;
const check = writeChecksum(workTables.all_snapshots);

/** What a snapshot holds, counted: of one that an older movedex sealed not all is known. */
export type Totals = Pick<SnapshotFacts, "accounts" | "records" | "modules" | "digest" | "recordsDigest">;

/** The most snapshots that are taken: three centuries of nights, and a bound on what a hostile archive can ask of memory. */
const SNAPSHOTS_MAX = 100_000;

/** Another database, open at one state of it. */
export type ForeignArchive = {
  readonly path: string;
  readonly chainId: number | null;
  /** Sealed ones, oldest first. */
  readonly snapshots: readonly SnapshotFacts[];
  readonly session: Session;
};

const countSealed = sql`SELECT count(*) FROM _all_snapshots p WHERE ${sealed("p")}`;

/** Opens a database that others made, to read it. Its tables must be as movedex makes them. @throws StoreError */
export async function openForeignArchive(path: string): Promise<ForeignArchive & AsyncDisposable> {
  const { engine, close } = await databaseAt(path).open({ mode: "read", isForeign: true });
  try {
    const { session, close: endReading } = await beginReading(engine);
    const closeAll = async () => {
      await endReading();
      await close();
    };
    const count = await countOf(session, countSealed);
    if (count > SNAPSHOTS_MAX) throw refused(`it has ${count} snapshots, and no more than ${SNAPSHOTS_MAX} can be imported at once`);
    return closing({
      path,
      chainId: await readChain(session),
      snapshots: (await session.all(all)).map(snapshotIn),
      session,
      close: closeAll,
    });
  } catch (error) {
    await close();
    throw error;
  }
}

/** Names what snapshots hold: SHA-256 in hex over their digests. */
export function digestOf(snapshots: readonly SnapshotFacts[]): string {
  const lines = snapshots.map(
    ({ version, accounts, gaps, digest }) => `${version} ${accounts} ${gaps} ${Buffer.from(digest).toString("hex")}\n`,
  );
  return sha256Hex(lines.join(""));
}

/** This database's own; undefined where none is sealed. */
export async function readOwnSnapshot(session: Session, version: bigint): Promise<SnapshotFacts | undefined> {
  const row = await session.first(one, { version });
  return row && snapshotIn(row);
}

function snapshotIn(row: readonly Cell[]) {
  const cell = (at: number): Cell => row[at] as Cell;
  return {
    version: versionIn(cell(0)),
    facts: {
      createdAt: wholeIn(cell(1)),
      sealedAt: wholeIn(cell(2)),
      headVersion: versionIn(cell(3)),
      oldestVersion: versionIn(cell(4)),
      headTimestampUsec: u64In(cell(5)),
      headEpoch: orNullIn(u64In, cell(6)),
      headBlockHeight: orNullIn(u64In, cell(7)),
    },
    accounts: wholeIn(cell(8)),
    // Snapshots that an older movedex sealed read every record, and have neither this count nor a digest over records.
    records: orNullIn(wholeIn, cell(9)),
    modules: wholeIn(cell(10)),
    gaps: wholeIn(cell(11)),
    changedModules: orNullIn(wholeIn, cell(12)),
    passedOver: orNullIn(wholeIn, cell(13)),
    digest: keyIn(cell(14)),
    recordsDigest: orNullIn(keyIn, cell(15)),
  };
}

/**
 * Writes a snapshot's row once its accounts and gaps are there: of what two databases know of it, what both orders of importing them
 * agree on. `before` is what the row was, undefined for a new one; `totals` is what it holds now.
 */
export async function settleSnapshot(
  tx: Transaction,
  theirs: SnapshotFacts,
  before: SnapshotFacts | undefined,
  totals: Totals,
): Promise<void> {
  const { version } = theirs;
  const facts = before === undefined || rankOf(theirs) < rankOf(before) ? theirs.facts : before.facts;
  const changed = [theirs, ...(before === undefined ? [] : [before])].map(({ changedModules }) => changedModules ?? -1);
  const most = Math.max(...changed);
  const { accounts, records, modules, digest, recordsDigest } = totals;
  const counts = { accounts, records, modules, digest, recordsDigest };
  await tx.run(write, { version, ...facts, ...counts, changedModules: most < 0 ? null : most, asked: asked(theirs, before) });
  await tx.run(check, { ledger_version: version });
  await keepTime(tx, theirs.facts.headVersion, theirs.facts.headTimestampUsec);
}

/** What a seal has to say of the content that it is of. @throws StoreError `MOVEDEX_STORE_ARCHIVE` when it says something else */
export function requireDigest(snapshot: SnapshotFacts, found: Totals): void {
  const isSame =
    equalBytes(snapshot.digest, found.digest) &&
    (snapshot.recordsDigest === null || (found.recordsDigest !== null && equalBytes(snapshot.recordsDigest, found.recordsDigest))) &&
    snapshot.accounts === found.accounts &&
    (snapshot.records ?? snapshot.accounts) === (found.records ?? found.accounts) &&
    snapshot.modules === found.modules;
  if (isSame) return;
  throw new StoreError(
    "MOVEDEX_STORE_ARCHIVE",
    `the archive's snapshot of ledger version ${snapshot.version} does not match its seal: digest ${formatHex(snapshot.digest)} over ${snapshot.accounts} ` +
      `accounts. Its content has ${formatHex(found.digest)} over ${found.accounts}. It was edited or is damaged. Nothing was imported.`,
    { facts: { version: snapshot.version } },
  );
}

/** The longer of two plans, from which follows how many targets neither of two observers read; null where one planned to read all. */
function asked(...snapshots: readonly (SnapshotFacts | undefined)[]): number | null {
  const plans = snapshots.flatMap((snapshot) =>
    snapshot === undefined ? [] : [snapshot.passedOver === null ? null : snapshot.accounts + snapshot.gaps + snapshot.passedOver],
  );
  return plans.includes(null) ? null : Math.max(...(plans as number[]));
}

/** A place in an order that both sides agree on: by the node's newest version first, then by everything else that it said. */
function rankOf({ facts }: SnapshotFacts): string {
  const { headVersion, headTimestampUsec, headEpoch, headBlockHeight, oldestVersion, createdAt, sealedAt } = facts;
  return [headVersion, headTimestampUsec, headEpoch ?? "", headBlockHeight ?? "", oldestVersion, createdAt, sealedAt]
    .map((fact) => String(fact).padStart(20, "0"))
    .join();
}

/** Refuses what no crawl leaves: it gives up a snapshot with nothing read. */
export function requireAnswers({ version, accounts, gaps }: SnapshotFacts): void {
  if (accounts === 0 && gaps > 0) throw refused(`its snapshot of ledger version ${version} is sealed, and no account answered in it`);
}
