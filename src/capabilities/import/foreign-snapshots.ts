import { closing } from "../../core/base/async.ts";
import { equalBytes } from "../../core/base/bytes.ts";
import { sha256Hex } from "../../core/base/sha256.ts";
import { readChain } from "../../core/db/archive/chain.ts";
import { keepTime } from "../../core/db/archive/times/ledger-times.ts";
import { databaseAt } from "../../core/db/engine/database-at.ts";
import type { Session, Transaction } from "../../core/db/engine/engine.ts";
import { bytes, orNull, rowOf, version, whole } from "../../core/db/engine/row-shape.ts";
import { writeChecksum } from "../../core/db/schema/sql/checksum.ts";
import { sealed } from "../../core/db/schema/sql/predicates.ts";
import { sql } from "../../core/db/schema/sql/sql.ts";
import { workTables } from "../../core/db/schema/tables/work.ts";
import { moment, refused } from "./foreign-cells.ts";

/** A sealed snapshot's row: what a node said when it was pinned, and what its seal says of its content. */
export type SnapshotFacts = ReturnType<typeof snapshot.read>;

const facts = {
  createdAt: moment("p.created_at"),
  sealedAt: moment("p.sealed_at"),
  headVersion: version("p.head_version"),
  oldestVersion: version("p.oldest_version"),
  headTimestampUsec: version("p.head_timestamp_usec"),
  headEpoch: orNull(version("p.head_epoch")),
  headBlockHeight: orNull(version("p.head_block_height")),
};
const snapshot = rowOf({
  version: version("p.ledger_version"),
  ...facts,
  accounts: whole("p.accounts"),
  // Snapshots that an older movedex sealed read every record, and have neither this count nor a digest over records.
  records: orNull(whole("p.records")),
  modules: whole("p.modules"),
  gaps: whole("p.gaps"),
  changedModules: orNull(whole("p.changed_modules")),
  passedOver: orNull(whole("p.passed_over")),
  digest: bytes("p.digest"),
  recordsDigest: orNull(bytes("p.records_digest")),
});
const all = sql`SELECT ${snapshot.columns} FROM _all_snapshots p WHERE ${sealed("p")} ORDER BY p.ledger_version`;
const one = sql`SELECT ${snapshot.columns} FROM _all_snapshots p WHERE p.ledger_version = :version AND ${sealed("p")}`;
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

/** Another database, open at one state of it. */
export type ForeignArchive = {
  readonly path: string;
  readonly chainId: number | null;
  /** Sealed ones, oldest first. */
  readonly snapshots: readonly SnapshotFacts[];
  readonly session: Session;
};

/** Opens a database that others made, to read it. Its tables must be as movedex makes them. @throws StoreError */
export async function openForeignArchive(path: string): Promise<ForeignArchive & AsyncDisposable> {
  const { session, schema, close } = await databaseAt(path).openToVerify();
  try {
    const [first] = schema();
    if (first !== undefined) throw refused(`\`${first.table}\`: ${first.problem}`);
    const snapshots = await snapshot.all(session, all);
    if (snapshots.some(({ version }) => version < 0n)) throw refused("it has a snapshot of a negative ledger version");
    return closing({ path, chainId: await readChain(session), snapshots, session, close });
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
export function readOwnSnapshot(session: Session, version: bigint): Promise<SnapshotFacts | undefined> {
  return snapshot.first(session, one, { version });
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
  const first = before === undefined || rankOf(theirs) < rankOf(before) ? theirs : before;
  const facts = Object.fromEntries(factNames.map((name) => [name, first[name]]));
  const changed = [theirs, ...(before === undefined ? [] : [before])].map(({ changedModules }) => changedModules ?? -1);
  const most = Math.max(...changed);
  const { accounts, records, modules, digest, recordsDigest } = totals;
  const counts = { accounts, records, modules, digest, recordsDigest };
  await tx.run(write, { version, ...facts, ...counts, changedModules: most < 0 ? null : most, asked: asked(theirs, before) });
  await tx.run(check, { ledger_version: version });
  await keepTime(tx, theirs.headVersion, theirs.headTimestampUsec);
}

/** What a seal has to say of the content that it is of. @throws StoreError `MOVEDEX_STORE_ARCHIVE` when it says something else */
export function requireSealed<T extends Totals>(sealed: SnapshotFacts, found: T | undefined): T {
  if (
    found !== undefined &&
    equalBytes(sealed.digest, found.digest) &&
    (sealed.recordsDigest === null || (found.recordsDigest !== null && equalBytes(sealed.recordsDigest, found.recordsDigest))) &&
    sealed.accounts === found.accounts &&
    (sealed.records ?? sealed.accounts) === (found.records ?? found.accounts) &&
    sealed.modules === found.modules
  )
    return found;
  const { version } = sealed;
  throw refused(
    `its snapshot of ledger version ${version} does not hold what was sealed: it was edited, or is damaged. --except ${version} leaves it out`,
  );
}

/** The longer of two plans, from which follows how many targets neither of two observers read; null where one planned to read all. */
function asked(...snapshots: readonly (SnapshotFacts | undefined)[]): number | null {
  const plans = snapshots.flatMap((snapshot) =>
    snapshot === undefined ? [] : [snapshot.passedOver === null ? null : snapshot.accounts + snapshot.gaps + snapshot.passedOver],
  );
  return plans.includes(null) ? null : Math.max(...(plans as number[]));
}

const factNames = ["headVersion", "headTimestampUsec", "headEpoch", "headBlockHeight", "oldestVersion", "createdAt", "sealedAt"] as const;

/** A place in an order that both sides agree on: by the node's newest version first, then by everything else that it said. */
function rankOf(snapshot: SnapshotFacts): string {
  return factNames.map((name) => String(snapshot[name] ?? "").padStart(20, "0")).join();
}
