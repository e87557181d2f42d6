import { holds, moduleSpans, sealed } from "../sql/predicates.ts";
import { type Sql, sql } from "../sql/sql.ts";
import { asInteger, chain, integer, timeColumns, timeValues, type ViewData } from "./view.ts";

const countWhere = (condition: Sql): Sql =>
  asInteger(sql`(SELECT count(1) FROM _bytecodes b JOIN ${moduleSpans} s ON s.bytecode_id = b.id AND ${holds("s", "p.ledger_version")}
    JOIN _coverage c ON c.address_id = s.address_id AND ${holds("c", "p.ledger_version")} WHERE ${condition})`);

/** How much of the chain an answer is about. */
export const coverageViews: readonly ViewData[] = [
  {
    name: "snapshot_coverage",
    meaning: "How many accounts each sealed snapshot read, missed and never read; this limits every answer about who uses something",
    columns: {
      chain_id: integer("the chain"),
      ledger_version: integer("the sealed snapshot"),
      accounts_read: integer("accounts that answered"),
      modules_read: integer("their modules"),
      modules_undecoded: integer("of these, modules whose bytes could not be decoded; their contents are unknown"),
      modules_underived: integer(
        "of these, stored modules whose rows are not derived yet; views of functions, structs and so on do not show them",
      ),
      gaps: integer("accounts without an answer; the view gaps has the reasons"),
      accounts_elsewhere: integer("accounts that only other snapshots read"),
      accounts_never_read: integer("accounts that stored bytecode refers to and no snapshot has read"),
      accounts_passed_over: integer("targets left to other nights because of the budget; covered_latest has their newest state"),
      records_read: integer("accounts whose record was read too; of the others the snapshot has only the modules"),
      ...timeColumns,
    },
    select: sql`SELECT ${chain}, p.ledger_version, p.accounts AS accounts_read, p.modules AS modules_read,
      ${countWhere(sql`b.abi_id IS NULL AND b.derived_by IS NOT NULL`)} AS modules_undecoded,
      ${countWhere(sql`b.derived_by IS NULL`)} AS modules_underived,
      p.gaps, ${asInteger(sql`(SELECT count(1) FROM _addresses a WHERE EXISTS (SELECT 1 FROM _coverage c WHERE c.address_id = a.id)) - p.accounts`)} AS accounts_elsewhere,
      ${asInteger(sql`(SELECT count(DISTINCT m.address_id) FROM _modules m
        WHERE NOT EXISTS (SELECT 1 FROM _coverage c WHERE c.address_id = m.address_id))`)} AS accounts_never_read,
      ${asInteger(sql`coalesce(p.passed_over, 0)`)} AS accounts_passed_over,
      ${asInteger(sql`p.records`)} AS records_read, ${timeValues(sql`p.ledger_version`)}
      FROM _pins p WHERE ${sealed("p")}`,
  },
];
