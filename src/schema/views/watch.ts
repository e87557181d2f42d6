import { asText, flag } from "../sql/functions.ts";
import { sql } from "../sql/sql.ts";
import { addressLong, asInteger, chain, changeTimeColumns, changeTimeValues, integer, text, time, timeOf, type ViewData } from "./view.ts";

export const watchViews: readonly ViewData[] = [
  {
    name: "watch_list",
    meaning: "Current and removed watches",
    columns: {
      chain_id: integer("the chain; null before the first snapshot"),
      watch: integer("number of the watch"),
      subject: text("an account, a module or an item of a module (0x1::coin::withdraw); or the name of your own package"),
      audience: text("whose point of view counts: callers, clients or readers; null for all"),
      level: text("the lowest severity that raises an alert: breaking, dangerous, behaviour or any"),
      is_mine: {
        type: "boolean",
        meaning: "whether this watch is for your own modules: it covers the parts of other modules that they use",
      },
      since_version: integer("changes above this ledger version count; null for all"),
      added_at: time("when it was added, UTC"),
      removed_at: time("when it was removed, UTC; null while it is active"),
    },
    select: sql`SELECT ${chain}, w.id AS watch, w.subject, w.audience, w.level, ${flag(sql`w.uses IS NOT NULL`)} AS is_mine, w.since_version,
      ${timeOf("w.added_at")} AS added_at, ${timeOf("w.removed_at")} AS removed_at FROM _watches w`,
  },
  {
    name: "alerts",
    meaning: "Alerts: changes at or above the level of a watch",
    columns: {
      chain_id: integer("the chain"),
      ledger_version: integer("the sealed snapshot that showed the change"),
      alert: integer("number of the alert"),
      watch: integer("number of the watch"),
      subject: text("what is watched"),
      audience: text("whose point of view counts: callers, clients or readers; null for all"),
      severity: text("breaking, dangerous, behaviour, safe or silent; unclear if the two could not be compared"),
      address: text("the account as the node prints it (0x1)"),
      address_long: text("the account as 0x and 64 digits, for joins with other data"),
      module: text("name of the module"),
      from_sha256: text("SHA-256 of the old bytecode; null if the module was added"),
      to_sha256: text("SHA-256 of the new bytecode; null if the module was removed"),
      after_version: integer("last ledger version known to have the old state"),
      at_or_before_version: integer("first ledger version known to have the new state"),
      is_exact: { type: "boolean", meaning: "whether no version lies between the two" },
      findings: text("what changed, as JSON, worst first"),
      judged_at: time("when it was judged, UTC"),
      told_at: time("when it was first sent, UTC; null until then"),
      waiting: integer("receivers still waiting for it"),
      ...changeTimeColumns,
    },
    select: sql`SELECT ${chain}, j.shown_by AS ledger_version, j.id AS alert, w.id AS watch, w.subject, w.audience, j.severity, a.address,
      ${addressLong} AS address_long, j.name AS module, j.from_sha256, j.to_sha256, j.after_version, j.at_or_before_version,
      ${flag(sql`j.after_version + 1 = j.at_or_before_version`)} AS is_exact, ${asText("j.findings")} AS findings, ${timeOf("j.judged_at")} AS judged_at,
      ${timeOf(sql`(SELECT min(d.told_at) FROM _deliveries d WHERE d.judgement_id = j.id)`)} AS told_at,
      ${asInteger(sql`(SELECT count(1) FROM _deliveries d WHERE d.judgement_id = j.id AND d.state IN ('waiting', 'sending'))`)} AS waiting,
      ${changeTimeValues(sql`j.after_version`, sql`j.at_or_before_version`)}
      FROM _judgements j JOIN _watches w ON w.id = j.watch_id JOIN _addresses a ON a.id = j.address_id WHERE j.is_alert`,
  },
];
