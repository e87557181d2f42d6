import type { Transaction, Values } from "../../engine/engine.ts";
import { holds } from "../../schema/sql/predicates.ts";
import { named, type Sql, sql } from "../../schema/sql/sql.ts";
import type { CoverageTable } from "../../schema/views/covered.ts";
import type { Place } from "./spans.ts";

type Covering = { readonly own: string; readonly gather: Sql; readonly coverVisited: readonly Sql[]; readonly partOthers: readonly Sql[] };

/** The statements for one table of coverage: which visits cover there, and what they change. */
function covering(table: CoverageTable, isRead: Sql): Covering {
  const coverage = named(table);
  const ownName = `own_${table}`;
  const own = named(ownName);
  const visited = sql`v.ledger_version = :version AND v.state = 'visited' AND ${isRead}`;
  const across = sql`c.from_version <= :previous::version AND (c.to_version IS NULL OR c.to_version >= :next::version)
    AND NOT EXISTS (SELECT 1 FROM _visits v WHERE ${visited} AND v.address_id = c.address_id)`;
  return {
    own: ownName,
    // The accounts whose coverage has to be extended, with the stretches that hold the version's neighbours.
    gather: sql`SELECT v.address_id, l.from_version AS l_from, r.from_version AS r_from, r.to_version AS r_to FROM _visits v
      LEFT JOIN ${coverage} l ON l.address_id = v.address_id AND ${holds("l", ":previous::version")}
      LEFT JOIN ${coverage} r ON r.address_id = v.address_id AND ${holds("r", ":next::version")}
      WHERE ${visited} AND NOT (l.from_version IS NOT NULL
        AND (l.from_version IS NOT DISTINCT FROM r.from_version OR (:next::version IS NULL AND l.to_version IS NULL)))`,
    coverVisited: [
      sql`INSERT INTO ${coverage} (address_id, from_version, to_version) SELECT o.address_id, :version::version,
        CASE WHEN :next::version IS NULL THEN NULL ELSE :version::version END FROM ${own} o WHERE o.l_from IS NULL AND o.r_from IS NULL`,
      sql`UPDATE ${coverage} AS c SET to_version = CASE WHEN o.r_from IS NOT NULL THEN o.r_to WHEN :next::version IS NULL THEN NULL ELSE :version::version END
        FROM ${own} o WHERE o.l_from IS NOT NULL AND c.address_id = o.address_id AND c.from_version = o.l_from`,
      // Two stretches meet only at a snapshot that was sealed without the account and covers it now.
      sql`DELETE FROM ${coverage} WHERE (address_id, from_version) IN
        (SELECT o.address_id, o.r_from FROM ${own} o WHERE o.l_from IS NOT NULL AND o.r_from IS NOT NULL)`,
      sql`UPDATE ${coverage} AS c SET from_version = :version FROM ${own} o
        WHERE o.l_from IS NULL AND o.r_from IS NOT NULL AND c.address_id = o.address_id AND c.from_version = o.r_from`,
    ],
    partOthers: [
      // The part after the version first: cutting the part before it takes away what the first one goes by.
      sql`INSERT INTO ${coverage} (address_id, from_version, to_version) SELECT c.address_id, :next::version, c.to_version FROM ${coverage} c
        WHERE :next::version IS NOT NULL AND ${across}`,
      sql`UPDATE ${coverage} AS c SET to_version = :previous::version WHERE ${across}`,
    ],
  };
}

/** Every visit covers its account; one that read the record covers that too. */
const coverings = [covering("_coverage", sql`TRUE`), covering("_record_coverage", sql`v.reads_record`)];

/** Says that a version covers the accounts that were visited; `place` is among all sealed snapshots. */
export async function cover(tx: Transaction, place: Place): Promise<void> {
  for (const { own, gather, coverVisited } of coverings) {
    await tx.stageSelect(own, gather, valuesOf(place));
    for (const statement of coverVisited) await tx.run(statement, valuesOf(place));
  }
}

/** Says that the version covers no account but those visited in its plan: ends or parts the coverage of all others. */
export async function uncoverOthers(tx: Transaction, place: Place): Promise<void> {
  if (place.previous === undefined) return;
  for (const { partOthers } of coverings) for (const statement of partOthers) await tx.run(statement, valuesOf(place));
}

function valuesOf({ version, previous, next }: Place): Values {
  return { version, previous: previous ?? null, next: next ?? null };
}
