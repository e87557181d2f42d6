import { equalBytes } from "../../base/bytes.ts";
import { formatHex } from "../../base/hex.ts";
import type { Cell, Integer, Transaction } from "../../engine/engine.ts";
import { StoreError } from "../../engine/errors.ts";
import { archiveTables } from "../../schema/archive.ts";
import { checksumOf } from "../../schema/sql/checksum.ts";
import { holds } from "../../schema/sql/predicates.ts";
import { joined, named, type Sql, sql } from "../../schema/sql/sql.ts";
import { sourceTables } from "../../schema/tables/sources.ts";
import { workTables } from "../../schema/tables/work.ts";
import { readSealedVersions } from "../snapshots/pins.ts";
import { countSnapshot, type SnapshotTotals } from "../snapshots/snapshot-digest.ts";
import { keepTime } from "../times/ledger-times.ts";
import type { TalliedSnapshot } from "./merging.ts";
import { staged } from "./staging.ts";

/** The row of a snapshot, by its columns. */
type PinRow = Readonly<Record<string, Cell>>;

/** One snapshot of a staged archive: its row, as the latest part that holds it has it. */
export type StagedSnapshot = { readonly version: bigint; readonly row: PinRow };

/** What the merge of accounts came to: each snapshot by itself, and whether anything that was stored of an account changed. */
type MergedArchive = { readonly totals: ReadonlyMap<bigint, TalliedSnapshot>; readonly isChanged: boolean; readonly source: Integer };

/** The most snapshots that are taken: three centuries of nights, and a bound on what a hostile archive can ask of memory. */
const SNAPSHOTS_MAX = 100_000;

const names = Object.keys(archiveTables.archive_snapshots.columns);
/** What a snapshot's row says of its content, which is counted anew; the rest is what a node said when it was pinned. */
const counted = new Set(["status", "accounts", "records", "modules", "changed_modules", "gaps", "digest", "records_digest", "passed_over"]);
const gapNames = Object.keys(archiveTables.archive_gaps.columns).filter((name) => name !== "address" && name !== "ledger_version");
const list = (columns: readonly string[], each: (name: Sql, text: string) => Sql = (name) => name) =>
  joined(
    columns.map((name) => each(named(name), name)),
    ", ",
  );

const latestParts = sql`SELECT ledger_version, max(part) AS part FROM ${staged.archive_snapshots} GROUP BY ledger_version`;
const countStaged = sql`SELECT count(*) FROM latest_parts`;
const stagedPins = sql`SELECT ${list(names, (name) => sql`s.${name}`)} FROM ${staged.archive_snapshots} s
  JOIN latest_parts l ON l.ledger_version = s.ledger_version AND l.part = s.part ORDER BY s.ledger_version`;
const sequences = sql`SELECT part, ledger_version FROM ${staged.archive_snapshots} ORDER BY part, ledger_version`;
const inWork = sql`SELECT min(p.ledger_version) FROM _pins p JOIN latest_parts l ON l.ledger_version = p.ledger_version
  WHERE p.status = 'unsealed' OR EXISTS (SELECT 1 FROM _visits v WHERE v.ledger_version = p.ledger_version)`;
const abandoned = sql`ledger_version IN (SELECT p.ledger_version FROM _pins p JOIN latest_parts l ON l.ledger_version = p.ledger_version WHERE p.status = 'abandoned')`;
const dropAbandoned = [sql`DELETE FROM _misses WHERE ${abandoned}`, sql`DELETE FROM _pins WHERE ${abandoned}`];

const storedPins = sql`SELECT ${list(names, (name) => sql`p.${name}`)} FROM _pins p JOIN latest_parts l ON l.ledger_version = p.ledger_version`;
const addPins = sql`INSERT INTO _pins (${list(names)}, planned) SELECT ${list(names, (name) => sql`s.${name}`)}, 0 FROM ${staged.archive_snapshots} s
  JOIN latest_parts l ON l.ledger_version = s.ledger_version AND l.part = s.part
  WHERE NOT EXISTS (SELECT 1 FROM _pins p WHERE p.ledger_version = s.ledger_version)`;
const pinTable = { name: "imported_pins", columns: archiveTables.archive_snapshots.columns } as const;
const setPins = sql`UPDATE _pins AS p SET ${list(
  names.filter((name) => name !== "ledger_version"),
  (name) => sql`${name} = i.${name}`,
)}, planned = i.accounts + i.gaps FROM imported_pins i WHERE p.ledger_version = i.ledger_version`;

const checkPins = sql`UPDATE _pins SET checksum = ${checksumOf(workTables.pins)} WHERE ledger_version IN (SELECT ledger_version FROM imported_pins)`;

// An order that both sides of a merge agree on: the later failure first, then everything else that is said of it.
const rank = (alias: string): Sql => {
  const of = named(alias);
  return sql`(${of}.last_at, ${of}.attempts, ${of}.first_at, ${of}.is_final, ${of}.reason, coalesce(${of}.error_code, ''), coalesce(${of}.http_status, -1), ${of}.message)`;
};
const stagedGaps = sql`${staged.archive_gaps} g JOIN latest_parts l ON l.ledger_version = g.ledger_version AND l.part = g.part JOIN _addresses a ON a.address = g.address`;
const mergeGaps = [
  sql`INSERT INTO _misses (ledger_version, address_id, ${list(gapNames)}) SELECT g.ledger_version, a.id, ${list(gapNames, (name) => sql`g.${name}`)}
    FROM ${stagedGaps} WHERE true ON CONFLICT (ledger_version, address_id) DO UPDATE SET ${list(gapNames, (name) => sql`${name} = excluded.${name}`)}
    WHERE ${rank("excluded")} > ${rank("_misses")}`,
  sql`UPDATE _misses SET checksum = ${checksumOf(workTables.misses)} WHERE EXISTS (SELECT 1 FROM ${stagedGaps}
    WHERE g.ledger_version = _misses.ledger_version AND a.id = _misses.address_id AND ${joined(
      gapNames.map((name) => sql`g.${named(name)} IS NOT DISTINCT FROM _misses.${named(name)}`),
      " AND ",
    )})`,
  sql`DELETE FROM _misses WHERE ledger_version IN (SELECT ledger_version FROM latest_parts)
    AND EXISTS (SELECT 1 FROM _coverage c WHERE c.address_id = _misses.address_id AND ${holds("c", "_misses.ledger_version")})`,
];
const countGaps = sql`SELECT m.ledger_version, count(*) FROM _misses m JOIN latest_parts l ON l.ledger_version = m.ledger_version GROUP BY m.ledger_version`;

const { checksum: _, ...sourceColumns } = sourceTables.source_snapshots.columns;
const sayingTable = { name: "imported_sources", columns: sourceColumns } as const;
const addSayings = [
  sql`INSERT INTO _source_snapshots (ledger_version, source_id, accounts, new_accounts, digest)
    SELECT ledger_version, source_id, accounts, new_accounts, digest FROM imported_sources WHERE true
    ON CONFLICT (ledger_version, source_id) DO UPDATE SET accounts = excluded.accounts, digest = excluded.digest`,
  sql`UPDATE _source_snapshots SET checksum = ${checksumOf(sourceTables.source_snapshots)}
    WHERE (ledger_version, source_id) IN (SELECT ledger_version, source_id FROM imported_sources)`,
];

/**
 * Makes room for the snapshots of a staged archive. @returns them, oldest first; the versions of each part, ascending; and those
 * that were sealed here before, ascending @throws StoreError `MOVEDEX_STORE_PIN`, `MOVEDEX_STORE_ARCHIVE`
 */
export async function beginPins(tx: Transaction) {
  await tx.stageSelect("latest_parts", latestParts);
  const count = Number((await tx.first<[Integer]>(countStaged))?.[0]);
  if (count > SNAPSHOTS_MAX) {
    const text = `the archive has ${count} snapshots, and no more than ${SNAPSHOTS_MAX} can be imported at once`;
    throw new StoreError("MOVEDEX_STORE_ARCHIVE", text, { facts: { snapshots: count } });
  }
  const unfinished = (await tx.first<[Integer | null]>(inWork))?.[0] ?? null;
  if (unfinished !== null) throw unfinishedHere(unfinished);
  for (const statement of dropAbandoned) await tx.run(statement);
  const parts = Map.groupBy(await tx.all<[number, Integer]>(sequences), ([part]) => part);
  return {
    snapshots: (await readPins(tx, stagedPins)).map((row): StagedSnapshot => ({ version: BigInt(row["ledger_version"] as Integer), row })),
    sequences: new Map([...parts].map(([part, rows]) => [part, rows.map(([, version]) => BigInt(version))])),
    held: await readSealedVersions(tx),
  };
}

/**
 * Writes the snapshots of a staged archive, their gaps and who observed them, once all accounts are merged.
 * @throws StoreError `MOVEDEX_STORE_ARCHIVE` when content and digest differ
 */
export async function finishPins(
  tx: Transaction,
  snapshots: readonly StagedSnapshot[],
  { totals, isChanged, source }: MergedArchive,
): Promise<void> {
  const totalsOf = (version: bigint) => totals.get(version) as TalliedSnapshot;
  for (const { version, row } of snapshots) requireDigest(version, row, totalsOf(version));
  const stored = new Map((await readPins(tx, storedPins)).map((row) => [BigInt(row["ledger_version"] as Integer), row]));
  await tx.run(addPins);
  for (const statement of mergeGaps) await tx.run(statement);
  const gaps = new Map((await tx.all<[Integer, number]>(countGaps)).map(([version, n]) => [BigInt(version), n]));
  const rows: Cell[][] = [];
  for (const { version, row } of snapshots) {
    const before = stored.get(version);
    const facts = before === undefined || rankOf(row) < rankOf(before) ? row : before;
    const recounted = before === undefined ? totalsOf(version) : isChanged ? await countSnapshot(tx, version) : undefined;
    const content = recounted === undefined ? before : { ...recounted, records_digest: recounted.recordsDigest };
    const { accounts, records, modules, digest, records_digest } = content as PinRow;
    const open = gaps.get(version) ?? 0;
    const pin: PinRow = {
      ...facts,
      ...({ accounts, records, modules, digest, records_digest, gaps: open } as PinRow),
      status: open > 0 ? "sealed_with_gaps" : "sealed",
      changed_modules: larger(row["changed_modules"], before?.["changed_modules"]),
      passed_over: before === undefined ? (row["passed_over"] as Cell) : passedOver([row, before], Number(accounts) + open),
    };
    rows.push(names.map((name) => pin[name] as Cell));
  }
  await tx.stage(pinTable, rows);
  await tx.run(setPins);
  await tx.run(checkPins);
  for (const { row } of snapshots) {
    const [head, timestampUsec] = [row["head_version"] as Integer, row["head_timestamp_usec"] as string];
    await keepTime(tx, BigInt(head), BigInt(timestampUsec));
  }
  const sayings = snapshots.map(({ version }) => {
    const { accounts, newAnswers, digest } = totalsOf(version);
    return [version, source, accounts, newAnswers, digest];
  });
  await tx.stage(sayingTable, sayings);
  for (const statement of addSayings) await tx.run(statement);
}

async function readPins(tx: Transaction, select: Sql): Promise<PinRow[]> {
  return (await tx.all<Cell[]>(select)).map((row) => Object.fromEntries(names.map((name, i) => [name, row[i] as Cell])));
}

function requireDigest(version: bigint, row: PinRow, { accounts, records, modules, digest, recordsDigest }: SnapshotTotals): void {
  const isStated = (name: string, found: Uint8Array): boolean => row[name] instanceof Uint8Array && equalBytes(row[name], found);
  // Snapshots that an older movedex sealed have no digest over records.
  const isSame =
    isStated("digest", digest) &&
    (row["records_digest"] === null || isStated("records_digest", recordsDigest)) &&
    row["accounts"] === accounts &&
    (row["records"] ?? accounts) === records &&
    row["modules"] === modules;
  if (isSame) return;
  const stated = row["digest"] instanceof Uint8Array ? formatHex(row["digest"]) : "none";
  throw new StoreError(
    "MOVEDEX_STORE_ARCHIVE",
    `the archive's snapshot of ledger version ${version} does not match its seal: digest ${stated} over ${row["accounts"]} accounts. ` +
      `Its content has ${formatHex(digest)} over ${accounts}. It was edited or is damaged. Nothing was imported.`,
    { facts: { version } },
  );
}

/** A place in an order that both sides of a merge agree on: by the node's newest version first, then by everything else. */
function rankOf(row: PinRow): string {
  const facts = Object.entries(row)
    .filter(([name]) => !counted.has(name))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, value]) => (value instanceof Uint8Array ? formatHex(value) : String(value)));
  return [String(row["head_version"]).padStart(20, "0"), ...facts].join("\n");
}

function larger(a: Cell | undefined, b: Cell | undefined): Cell {
  if (a === undefined || a === null) return b ?? null;
  return b === undefined || b === null || a > b ? a : b;
}

/** Targets that neither of two observers read: of the longer list, what the snapshot has now neither an answer nor a gap for. */
function passedOver(observed: readonly PinRow[], planned: number): number | null {
  const asked = observed.map(({ accounts, gaps, passed_over }) =>
    passed_over === null ? null : Number(accounts) + Number(gaps) + Number(passed_over),
  );
  return asked.includes(null) ? null : Math.max(0, Math.max(...(asked as number[])) - planned);
}

function unfinishedHere(version: Integer): StoreError {
  const text =
    `the snapshot of ledger version ${version} is being crawled here and is not finished; ` +
    "run `movedex sync` once more, then import again. Nothing was imported.";
  return new StoreError("MOVEDEX_STORE_PIN", text, { facts: { version } });
}
