import { asText, flag, moment } from "../../core/db/schema/sql/functions.ts";
import { sql } from "../../core/db/schema/sql/sql.ts";
import { accountColumns, asInteger, boolean, chain, columnsOf, integer, text, time, view, whole } from "../../core/db/schema/view.ts";
import { changeTimeOf } from "../changes/change-steps.ts";
import { findingsOf, watchTables } from "./tables.ts";

export const watchViews = whole(
  view({
    name: "watch_list",
    meaning: "Current and removed watches",
    of: "w",
    columns: {
      chain_id: integer("the chain; null before the first snapshot", chain),
      watch: integer("number of the watch", "w.id"),
      ...columnsOf(watchTables.watches, "subject", "audience", "level", "is_mine", "since_version", "added_at", "removed_at"),
    },
    from: sql`FROM _watches w`,
  }),
  view({
    name: "alerts",
    meaning: "Alerts: changes at or above the level of a watch",
    of: "j",
    columns: {
      chain_id: integer("the chain", chain),
      ledger_version: integer("the sealed snapshot that showed the change", "j.shown_by"),
      alert: integer("number of the alert", "j.id"),
      watch: integer("number of the watch", "w.id"),
      subject: text("what is watched", "w.subject"),
      audience: text("whose point of view counts: callers, clients or readers; null for all", "w.audience"),
      severity: text("breaking, dangerous, behaviour, safe or silent; unclear if the two could not be compared"),
      ...accountColumns,
      module: text("name of the module", "j.name"),
      ...columnsOf(watchTables.judgements, "from_sha256", "to_sha256", "after_version", "at_or_before_version"),
      is_exact: boolean("whether no version lies between the two", flag(sql`j.after_version + 1 = j.at_or_before_version`)),
      findings: text("what changed, as JSON, worst first", asText(findingsOf("j"))),
      ...columnsOf(watchTables.judgements, "judged_at"),
      told_at: time(
        "when it was first sent, UTC; null until then",
        moment(sql`(SELECT min(d.told_at) FROM _deliveries d WHERE d.judgement_id = j.id)`),
      ),
      waiting: integer(
        "receivers still waiting for it",
        asInteger(sql`(SELECT count(1) FROM _deliveries d WHERE d.judgement_id = j.id AND d.state IN ('waiting', 'sending'))`),
      ),
      ...changeTimeOf(sql`j.after_version`, sql`j.at_or_before_version`),
    },
    from: sql`FROM _judgements j JOIN _watches w ON w.id = j.watch_id JOIN _addresses a ON a.id = j.address_id WHERE j.is_alert`,
  }),
  view({
    name: "alert_findings",
    meaning: "Findings of alerts, the worst first; at most 50 of each alert",
    of: "f",
    columns: {
      chain_id: integer("the chain", chain),
      alert: integer("number of the alert", "j.id"),
      ...accountColumns,
      module: text("name of the module", "j.name"),
      ...columnsOf(watchTables.judgement_findings, "position", "rule", "item_kind", "item", "severity", "callers", "clients", "readers"),
      ...columnsOf(watchTables.judgement_findings, "upgrade", "before", "after", "own_use"),
    },
    from: sql`FROM _judgement_findings f JOIN _judgements j ON j.id = f.judgement_id JOIN _addresses a ON a.id = j.address_id WHERE j.is_alert`,
  }),
);
