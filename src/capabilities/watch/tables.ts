import { bool, checksum, int, ofAccount, orNull, reference, text, time, version } from "../../core/db/schema/column.ts";
import { jsonRows, jsonText } from "../../core/db/schema/sql/functions.ts";
import { joined, named, type Sql, sql } from "../../core/db/schema/sql/sql.ts";
import { tablesOf } from "../../core/db/schema/table.ts";
import { findingColumns } from "../changes/tables.ts";

const audience = (name: string): Sql => sql`coalesce(',"${named(name)}":"' || f.${named(name)} || '"', '')`;
const calls = sql`_judgement_finding_calls c WHERE c.judgement_id = f.judgement_id AND c.finding = f.position`;
const finding = sql`'{"rule":' || ${jsonText("f.rule")} || ',"item_kind":' || ${jsonText("f.item_kind")} || ',"item":' || ${jsonText("f.item")}
  || ',"worst":' || ${jsonText("f.severity")} || ',"severity":{' || substr(${audience("callers")} || ${audience("clients")} || ${audience("readers")}, 2)
  || '},"upgrade":' || ${jsonText("f.upgrade")} || ',"before":' || ${jsonText("f.before")} || ',"after":' || ${jsonText("f.after")}
  || coalesce(',"use":"' || f.own_use || '"', '') || coalesce(',"chain":' || nullif(${jsonRows(jsonText("c.function"), calls, "c.position")}, '[]'), '') || '}'`;
const rename = sql`'{"item_kind":' || ${jsonText("r.item_kind")} || ',"from_name":' || ${jsonText("r.from_name")} || ',"to_name":' || ${jsonText("r.to_name")} || '}'`;

/** What the judgement `j` (the alias of its row) found, as JSON: `AlertFindings`, letter for letter as `JSON.stringify` writes it. */
export function findingsOf(j: string): Sql {
  const of = named(j);
  const findings = jsonRows(finding, sql`_judgement_findings f WHERE f.judgement_id = ${of}.id`, "f.position");
  const renames = jsonRows(rename, sql`_judgement_renames r WHERE r.judgement_id = ${of}.id`, "r.position");
  return sql`('{"findings":' || ${findings} || ',"total":' || ${of}.finding_count || ',"reason":' || ${jsonText(sql`${of}.reason`)}
    || coalesce(',"renamed":' || nullif(${renames}, '[]'), '') || '}')`;
}

/** What the own modules of the watch `w` use, as JSON: `OwnUses`, as `JSON.stringify` writes it; null for other watches. */
export function usesOf(w: string): Sql {
  const of = named(w);
  const list = (kind: string) =>
    jsonRows(jsonText("u.name"), sql`_watch_uses u WHERE u.watch_id = ${of}.id AND u.kind = '${named(kind)}'`, "u.position");
  return sql`CASE WHEN ${of}.is_mine THEN '{"own":' || ${list("own")} || ',"modules":' || ${list("module")}
    || ',"functions":' || ${list("function")} || ',"structs":' || ${list("struct")} || '}' END`;
}

/** Whether the positions of a row's list in another table, or of one of its lists there, are not 0, 1, 2, … */
const hasGap = (table: string, owner: string, row: string, list = owner): Sql =>
  sql`EXISTS (SELECT 1 FROM ${named(table)} WHERE ${named(owner)} = ${named(row)}.id GROUP BY ${named(list)} HAVING max(position) + 1 <> count(*))`;

/** A text for a checksum: another one where something is wrong that it does not show. */
const checked = (text: Sql, ...faults: readonly Sql[]): Sql =>
  sql`${text} || CASE WHEN ${joined(faults, " OR ")} THEN ' with faults' ELSE '' END`;

const checkedFindings = checked(
  findingsOf("_judgements"),
  hasGap("_judgement_findings", "judgement_id", "_judgements"),
  hasGap("_judgement_finding_calls", "judgement_id", "_judgements", "finding"),
  hasGap("_judgement_renames", "judgement_id", "_judgements"),
);
const checkedUses = checked(
  usesOf("_watches"),
  hasGap("_watch_uses", "watch_id", "_watches", "kind"),
  sql`_watches.is_mine NOT IN (FALSE, TRUE)`,
);

const ofJudgement = { judgement_id: reference("_judgements", "the judgement"), position: int("position in the list, from 0") };

/** What people watch, what was made of the changes there, and who was told. */
export const watchTables = tablesOf({
  watches: {
    meaning: "Accounts, modules and items to watch",
    columns: {
      id: int("number of the watch"),
      subject: text("an account, a module or an item of a module (0x1::coin::withdraw); or your package, by folder and first module"),
      audience: orNull(text("whose point of view counts: callers, clients or readers; null for all")),
      level: text("the lowest severity that raises an alert: breaking, dangerous, behaviour or any"),
      is_mine: {
        ...bool("whether this watch is for your own modules: it covers the parts of other modules that they use"),
        countsAs: { name: "uses", text: checkedUses },
      },
      since_version: orNull(version("changes above this ledger version count; null for all")),
      added_at: time("when it was added"),
      removed_at: orNull(time("when it was removed; null while it is active")),
      checksum,
    },
  },
  watch_uses: {
    meaning: "For a watch of own modules: these modules, and what they use of others; in the checksum of the watch",
    columns: {
      watch_id: reference("_watches", "the watch"),
      kind: text("own for a module of your own; module, function or struct for what it uses"),
      position: int("position among those of the kind, from 0"),
      name: text("its full name"),
    },
    key: ["watch_id", "kind", "position"],
  },
  judgements: {
    meaning: "Changes that affect a watch, with their severity for it; changes below its level are included, so that each is judged once",
    columns: {
      id: int("number of the judgement; if it is an alert, also the number of the alert"),
      watch_id: reference("_watches", "the watch"),
      address_id: ofAccount,
      name: text("name of the module"),
      from_sha256: orNull(text("SHA-256 of the old bytecode; null if the module was added")),
      to_sha256: orNull(text("SHA-256 of the new bytecode; null if the module was removed")),
      after_version: version("last ledger version known to have the old state"),
      at_or_before_version: version("first ledger version known to have the new state"),
      shown_by: version("the sealed snapshot that showed the change"),
      severity: text(
        "the worst severity for the watch: breaking, dangerous, behaviour, safe or silent; unclear if the two could not be compared",
      ),
      is_alert: bool("whether the severity reaches the watch's level"),
      finding_count: { ...int("number of findings; the first 50 are kept"), countsAs: { name: "findings", text: checkedFindings } },
      judged_at: time("when it was judged"),
      checksum,
      // Among the lists that are in the checksum.
      reason: { ...orNull(text("why the two could not be compared; null if they were")), isUnchecked: true },
    },
    indexes: [{ columns: ["address_id", "name"] }],
  },
  judgement_findings: {
    meaning: "Findings of judgements by the rules of diff, the worst first; in the checksum of the judgement",
    columns: {
      ...ofJudgement,
      ...findingColumns("severity for the watch"),
      own_use: orNull(
        text("how your own modules, or the watched item, use the item: directly, through others or not; null if that does not apply"),
      ),
    },
    key: ["judgement_id", "position"],
  },
  judgement_finding_calls: {
    meaning: "Calls through which what is watched reaches the function of a finding; in the checksum of the judgement",
    columns: {
      judgement_id: ofJudgement.judgement_id,
      finding: int("position of the finding"),
      position: ofJudgement.position,
      function: text("the called function by its full name"),
    },
    key: ["judgement_id", "finding", "position"],
    references: [{ columns: ["judgement_id", "finding"], parent: "_judgement_findings" }],
  },
  judgement_renames: {
    meaning: "Functions and structs that were only renamed in a judged change; in the checksum of the judgement",
    columns: {
      ...ofJudgement,
      item_kind: text("function or struct"),
      from_name: text("its name before"),
      to_name: text("its name after"),
    },
    key: ["judgement_id", "position"],
  },
  deliveries: {
    meaning: "Alerts to send, one row for each receiver",
    columns: {
      judgement_id: reference("_judgements", "the alert"),
      channel: text("the receiver: its name, or a webhook's host, a program or a file, without secrets"),
      delivery_id: text(
        "id of the message: the same at each attempt and for all alerts in one message, so that a receiver can detect repetitions",
      ),
      state: text(
        "waiting; sending (an attempt began; whether it arrived is unknown); told; left_out (sent elsewhere before this receiver was added, or below the receiver's level)",
      ),
      attempts: int("how many times it was tried"),
      next_at: time("when to try again"),
      told_at: orNull(time("when the receiver accepted it; null until then")),
      fault: orNull(text("why the last attempt failed; null if it did not")),
    },
    key: ["judgement_id", "channel"],
    indexes: [{ columns: ["channel", "state"] }],
  },
  alert_places: {
    meaning: "Receivers of alerts",
    columns: {
      channel: text("the receiver: its name, or its address without secrets"),
      address: text("first digits of a hash of its address, to detect a change"),
      ended_at: orNull(time("since when it refuses alerts; null while it accepts them")),
      fault: orNull(text("its answer at that time")),
    },
    key: ["channel"],
  },
});
