import { jsonRows, jsonText } from "../../core/db/schema/sql/functions.ts";
import { joined, named, type Sql, sql } from "../../core/db/schema/sql/sql.ts";

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

export const checkedFindings = checked(
  findingsOf("_judgements"),
  hasGap("_judgement_findings", "judgement_id", "_judgements"),
  hasGap("_judgement_finding_calls", "judgement_id", "_judgements", "finding"),
  hasGap("_judgement_renames", "judgement_id", "_judgements"),
);
export const checkedUses = checked(
  usesOf("_watches"),
  hasGap("_watch_uses", "watch_id", "_watches", "kind"),
  sql`_watches.is_mine NOT IN (FALSE, TRUE)`,
);
