import { equalBytes, formatHex } from "../../core/base/bytes.ts";
import type { Cell } from "../../core/base/cell.ts";
import { printable } from "../../core/base/printable.ts";
import { STORABLE_NAME } from "../../core/db/archive/content/observed-module.ts";
import { countSnapshot, listingDigest } from "../../core/db/archive/snapshots/snapshot-digest.ts";
import { type Check, checkOf, countRowsOf, type Damage, inSlice, type Slice } from "../../core/db/engine/check.ts";
import type { Integer, Session } from "../../core/db/engine/engine.ts";
import { isAsWritten } from "../../core/db/schema/sql/checksum.ts";
import { coverage, includesVersion, recordCoverage, sealed } from "../../core/db/schema/sql/predicates.ts";
import { joined, named, type Sql, sql } from "../../core/db/schema/sql/sql.ts";
import { isChecked, type TableData } from "../../core/db/schema/table.ts";
import { tableList } from "../../core/db/schema/tables/tables.ts";

type ListingRow = readonly [
  id: Integer,
  account: Integer,
  address: string | null,
  digest: Uint8Array,
  modules: Integer,
  name: string | null,
  sha256: Uint8Array | null,
];

export function listingCheck(session: Session, slice: Slice): Check {
  const isLooked = inSlice(sql`l.id`, slice);
  return {
    name: "listings",
    total: () => countRowsOf(session, sql`_listings l WHERE ${isLooked}`),
    steps: async function* () {
      const rows = sql<ListingRow>`SELECT l.id, l.address_id, a.address, l.digest, l.modules, m.name, b.sha256 FROM _listings l
        LEFT JOIN _addresses a ON a.id = l.address_id LEFT JOIN _listing_modules m ON m.listing_id = l.id
        LEFT JOIN _bytecodes b ON b.id = m.bytecode_id WHERE ${isLooked} ORDER BY l.id`;
      for await (const listing of groupsOf(session.stream(rows))) yield listingDamage(listing);
    },
  };
}

/** The rows of a stream that stand together because their first cells are alike. */
export async function* groupsOf<R extends readonly [same: Integer | string, ...unknown[]]>(
  lists: AsyncIterable<readonly R[]>,
): AsyncGenerator<readonly [first: R, ...others: R[]]> {
  let group: [R, ...R[]] | undefined;
  for await (const list of lists) {
    for (const row of list) {
      if (group?.[0][0] === row[0]) group.push(row);
      else {
        if (group !== undefined) yield group;
        group = [row];
      }
    }
  }
  if (group !== undefined) yield group;
}

function listingDamage(rows: readonly [ListingRow, ...ListingRow[]]): Damage[] {
  const [[id, account, address, digest, modules]] = rows;
  const found = rows.flatMap(([, , , , , name, sha256]) => (name === null || sha256 === null ? [] : [{ name, sha256 }]));
  const wrong = (problem: string): Damage => ({ table: "_listings", row: `${id} (${accountName(account, address)})`, problem });
  const damage: Damage[] = [];
  if (found.length !== modules) damage.push(wrong(`${modules} modules are said to be on it, and it has ${found.length}`));
  const unstorable = found.find(({ name }) => !STORABLE_NAME.test(name));
  if (unstorable !== undefined) damage.push(wrong(`\`${printable(unstorable.name, 80)}\` is not a module's name`));
  const now = listingDigest(found);
  if (!equalBytes(now, digest)) damage.push(wrong(`its modules have the digest ${formatHex(now)}, and ${formatHex(digest)} is stored`));
  return damage;
}

/** An account in a finding: by its address, or by the number of its row where that is not there. */
function accountName(id: Integer, address: string | null): string {
  return `account ${printable(address ?? `${id}`, 80)}`;
}

/** The tables of spans; of those inside a coverage, that; and what else may be wrong with one. */
const spanTables: readonly (readonly [table: string, inside?: Sql | undefined, problem?: Sql])[] = [
  ["_coverage", undefined, sql`WHEN s.reads_record NOT IN (TRUE, FALSE) THEN 'says neither that the record was read nor that it was not'`],
  ["_account_spans", recordCoverage],
  ["_listing_spans", coverage],
];

type BrokenRow = [account: Integer, address: string | null, from: Integer, problem: string];

const newest = sql`(SELECT max(n.ledger_version) FROM _all_snapshots n WHERE ${sealed("n")})`;

/** Whether spans begin and end at snapshots, and end in null at the newest. What they show at each snapshot, its seal says. */
export function spanCheck(session: Session, slice: Slice): Check {
  return checkOf("tables of spans", spanTables, async (spans) => {
    const rows = await session.all(selectBroken(spans, slice));
    return rows.map(([id, address, from, problem]) => ({
      table: spans[0],
      row: accountName(id, address),
      problem: `from ${from}: ${problem}`,
    }));
  });
}

function selectBroken([table, inside, problem = sql``]: (typeof spanTables)[number], slice: Slice): Sql<BrokenRow> {
  const isCovered = (condition: Sql): Sql =>
    inside === undefined ? sql`TRUE` : sql`EXISTS (SELECT 1 FROM ${inside} c WHERE c.address_id = s.address_id AND ${condition})`;
  const isSnapshot = (version: Sql): Sql =>
    sql`EXISTS (SELECT 1 FROM _all_snapshots p WHERE p.ledger_version = ${version} AND ${sealed("p")}) AND ${isCovered(includesVersion("c", version))}`;
  // A coverage ends where a snapshot leaves the account out; what is stored within it stays open at its end.
  const isEarlier = inside === undefined ? sql`s.to_version < ${newest}` : isCovered(sql`s.to_version < coalesce(c.to_version, ${newest})`);
  return sql<BrokenRow>`SELECT * FROM (SELECT s.address_id, a.address, s.from_version, CASE WHEN NOT (${isSnapshot(sql`s.from_version`)})
    THEN 'begins at no snapshot of the account' WHEN s.to_version IS NOT NULL AND NOT (${isSnapshot(sql`s.to_version`)})
    THEN 'ends at no snapshot of the account' WHEN s.to_version IS NOT NULL AND NOT (${isEarlier})
    THEN 'ends at the newest snapshot of the account, where its end must be open' ${problem} END AS problem FROM ${named(table)} s LEFT
    JOIN _addresses a ON a.id = s.address_id WHERE ${inSlice(sql`s.address_id`, slice)}) AS x WHERE x.problem IS NOT NULL LIMIT 100`;
}

type SnapshotRow = readonly [
  version: Integer,
  accounts: Integer | null,
  modules: Integer | null,
  records: Integer | null,
  gaps: Integer | null,
  foundGaps: Integer,
  digest: Uint8Array | null,
  recordsDigest: Uint8Array | null,
];

// A gap that is asked again and answered is none any more, and the seal says so when it is made anew.
const foundGaps = sql`CASE WHEN EXISTS (SELECT 1 FROM _visits v WHERE v.ledger_version = p.ledger_version) THEN p.gaps
  ELSE (SELECT count(*) FROM _all_gaps m WHERE m.ledger_version = p.ledger_version) END`;

/** Every seal: what it covers is counted again and both of its digests are computed again, from the spans. */
export function sealCheck(session: Session, slice: Slice): Check {
  const snapshots = sql`_all_snapshots p WHERE ${sealed("p")} AND ${inSlice(sql`p.ledger_version`, slice)}`;
  const select = sql<SnapshotRow>`SELECT p.ledger_version, p.accounts, p.modules, p.records, p.gaps, ${foundGaps}, p.digest, p.records_digest
    FROM ${snapshots} ORDER BY p.ledger_version`;
  return {
    name: "snapshots",
    total: () => countRowsOf(session, snapshots),
    steps: async function* () {
      for (const row of await session.all(select)) yield await sealDamage(session, row);
    },
  };
}

async function sealDamage(session: Session, [version, ...row]: SnapshotRow): Promise<Damage[]> {
  const [accounts, modules, records, gaps, foundGaps, digest, recordsDigest] = row;
  const found = await countSnapshot(session, BigInt(version));
  const problems = [
    ["accounts", accounts, found.accounts] as const,
    // A snapshot from an archive that did not count them is one of which all records were read.
    ["records", records ?? found.accounts, found.records] as const,
    ["modules", modules, found.modules] as const,
    ["gaps", gaps, foundGaps] as const,
  ].flatMap(([name, stored, count]) => (stored === count ? [] : [`${stored ?? "no"} ${name} are stored, and it has ${count}`]));
  if (digest === null || !equalBytes(digest, found.digest))
    problems.push(`its modules have the digest ${formatHex(found.digest)}, and ${digest === null ? "none" : formatHex(digest)} was sealed`);
  if (recordsDigest !== null && !equalBytes(recordsDigest, found.recordsDigest))
    problems.push("its accounts or their records are not those that were sealed");
  return problems.map((problem) => ({ table: "_all_snapshots", row: `${version}`, problem }));
}

/** Columns of keys that are called something else when a person is told of the row. */
const wordsOfColumns: Readonly<Record<string, string>> = {
  address_id: "account",
  name: "module",
  ledger_version: "ledger version",
  from_version: "from ledger version",
  source_id: "source",
};

const checked = tableList.filter(isChecked);

/** Rows that nothing else in the database can tell again: each is as it was written, and so is what it refers to. */
export function observationCheck(session: Session, slice: Slice): Check {
  return checkOf("tables of observations", checked, async (table) => {
    const wrong = await session.all(selectWrong(table, slice));
    return wrong.map(([checksum, ...key]) => ({
      table: table.name,
      row: table.key.map((name, i) => `${wordsOfColumns[name] ?? name} ${printable(`${key[i]}`, 80)}`).join(", "),
      problem: checksum === null ? "it has no checksum" : "it was changed or damaged: its checksum is of other values",
    }));
  });
}

/** Rows whose checksum is not what their columns give: the columns of the key, an account by its address. */
function selectWrong(table: TableData, slice: Slice): Sql<readonly [checksum: Cell, ...key: Cell[]]> {
  const of = named(table.name);
  const keys = table.key.map((name) => {
    const own = sql`${of}.${named(name)}`;
    return name === "address_id" ? sql`coalesce((SELECT a.address FROM _addresses a WHERE a.id = ${own}), CAST(${own} AS text))` : own;
  });
  const number = table.key.find((name) => ["int", "version"].includes(table.columns[name]?.kind as string));
  // A row without a number in its key would fall into no slice.
  const isLooked = number !== undefined ? inSlice(sql`${of}.${named(number)}`, slice) : slice.part === 0 ? sql`TRUE` : sql`FALSE`;
  return sql`SELECT ${of}.checksum, ${joined(keys, ", ")} FROM ${of} WHERE ${isLooked}
    AND NOT ${isAsWritten(table)} LIMIT 100`;
}
