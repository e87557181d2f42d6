import { type Check, checkOf, inSlice, type Slice } from "../../engine/check.ts";
import type { Integer, Session } from "../../engine/engine.ts";
import { includesVersion, sealed } from "../../schema/sql/predicates.ts";
import { named, type Sql, sql } from "../../schema/sql/sql.ts";
import { coverage, recordCoverage } from "../../schema/views/covered.ts";
import { accountName } from "./accounts.ts";

/** The tables of spans; of those inside a coverage, that; and what else may be wrong with one. */
const tables: readonly (readonly [table: string, inside?: Sql | undefined, problem?: Sql])[] = [
  ["_coverage", undefined, sql`WHEN s.reads_record NOT IN (TRUE, FALSE) THEN 'says neither that the record was read nor that it was not'`],
  ["_account_spans", recordCoverage],
  [
    "_listing_spans",
    coverage,
    sql`WHEN NOT EXISTS (SELECT 1 FROM _listings l WHERE l.id = s.listing_id AND l.address_id = s.address_id) THEN 'its listing is of another account'`,
  ],
];

type BrokenRow = [account: Integer, address: string | null, from: Integer, problem: string];

const newest = sql`(SELECT max(n.ledger_version) FROM _all_snapshots n WHERE ${sealed("n")})`;

/** Whether spans begin and end at snapshots, and end in null at the newest. What they show at each snapshot, its seal says. */
export function spanCheck(session: Session, slice: Slice): Check {
  return checkOf("tables of spans", tables, async (spans) => {
    const rows = await session.all(selectBroken(spans, slice));
    return rows.map(([id, address, from, problem]) => ({
      table: spans[0],
      row: accountName(id, address),
      problem: `from ${from}: ${problem}`,
    }));
  });
}

function selectBroken([table, inside, problem = sql``]: (typeof tables)[number], slice: Slice): Sql<BrokenRow> {
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
