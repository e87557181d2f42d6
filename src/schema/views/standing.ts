import { holds, sealed } from "../sql/predicates.ts";
import { named, type Sql, sql, word } from "../sql/sql.ts";
import type { CoverageTable } from "./covered.ts";
import type { ViewData } from "./view.ts";

const standingIn = (table: CoverageTable): Sql => sql`JOIN _pins p ON ${holds("s", "p.ledger_version")} AND ${sealed("p")}
  JOIN ${named(table)} c ON c.address_id = s.address_id AND ${holds("c", "p.ledger_version")}
  JOIN _addresses a ON a.id = s.address_id`;

const standingNowIn = (table: CoverageTable): Sql => sql`JOIN ${named(table)} c ON c.address_id = s.address_id AND s.to_version IS NULL
  AND c.from_version = (SELECT max(k.from_version) FROM ${named(table)} k WHERE k.address_id = s.address_id)
  JOIN _pins p ON p.ledger_version = coalesce(c.to_version, (SELECT max(n.ledger_version) FROM _pins n WHERE ${sealed("n")}))
  JOIN _addresses a ON a.id = s.address_id`;

/** A row `s` of a span table, once for each sealed snapshot at which it stands and that covers the account. */
export const standing: Sql = standingIn("_coverage");

/** The same for account records: at the snapshots that read the account's record. */
export const standingRecord: Sql = standingIn("_record_coverage");

/** In their place: a row that stands now, once, at the newest sealed snapshot that covers the account, or read its record. */
const atNewest: readonly (readonly [every: Sql, newest: Sql])[] = [
  [standing, standingNowIn("_coverage")],
  [standingRecord, standingNowIn("_record_coverage")],
];

/**
 * The twin of a view of what stood: each account at the newest sealed snapshot that covers it, so that a night which read a few
 * accounts hides none of the others. A span without an end stands there, by the law of spans.
 *
 * @param view one whose statement is made with `standing`
 */
export function latestOf(view: ViewData): ViewData {
  const select = word((words) => {
    const all = view.select.in(words);
    const latest = atNewest.reduce((text, [every, newest]) => text.replaceAll(every.in(words), newest.in(words)), all);
    if (latest === all) throw new TypeError(`the view ${view.name} is not made of rows that stand`);
    return latest;
  });
  return {
    name: view.name.replace(/_at$/, "_latest"),
    meaning: `${view.meaning.replace(/ at each sealed snapshot$/, "")}, of each account at the newest sealed snapshot that covers it`,
    columns: view.columns,
    select,
  };
}
