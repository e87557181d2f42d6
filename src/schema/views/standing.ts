import { holds, sealed } from "../sql/predicates.ts";
import { type Sql, sql, word } from "../sql/sql.ts";
import type { ViewData } from "./view.ts";

/** A row `s` of a span table, once for each sealed snapshot at which it stands and that covers the account. */
export const standing: Sql = sql`JOIN pins p ON ${holds("s", "p.ledger_version")} AND ${sealed("p")}
  JOIN coverage c ON c.address_id = s.address_id AND ${holds("c", "p.ledger_version")}
  JOIN addresses a ON a.id = s.address_id`;

/** In its place: a row that stands now, once, at the newest sealed snapshot that covers the account. */
const standingNow: Sql = sql`JOIN coverage c ON c.address_id = s.address_id AND s.to_version IS NULL
  AND c.from_version = (SELECT max(k.from_version) FROM coverage k WHERE k.address_id = s.address_id)
  JOIN pins p ON p.ledger_version = coalesce(c.to_version, (SELECT max(n.ledger_version) FROM pins n WHERE ${sealed("n")}))
  JOIN addresses a ON a.id = s.address_id`;

/**
 * The twin of a view of what stood: each account at the newest sealed snapshot that covers it, so that a night which read a few
 * accounts hides none of the others. A span without an end stands there, by the law of spans.
 *
 * @param view one whose statement is made with `standing`
 */
export function latestOf(view: ViewData): ViewData {
  const select = word((words) => {
    const all = view.select.in(words);
    const latest = all.replaceAll(standing.in(words), standingNow.in(words));
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
