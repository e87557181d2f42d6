import { jsonRows, jsonText } from "./functions.ts";
import { named, type Sql, sql } from "./sql.ts";

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

/** The same for a checksum: another text if a list's positions are not 0, 1, 2, …. */
export function checkedFindings(j: string): Sql {
  const hasGap = (table: string, list: string) =>
    sql`EXISTS (SELECT 1 FROM ${named(table)} WHERE judgement_id = ${named(j)}.id GROUP BY ${named(list)} HAVING max(position) + 1 <> count(*))`;
  const [findings, calls, renames] = [
    hasGap("_judgement_findings", "judgement_id"),
    hasGap("_judgement_finding_calls", "finding"),
    hasGap("_judgement_renames", "judgement_id"),
  ];
  return sql`${findingsOf(j)} || CASE WHEN ${findings} OR ${calls} OR ${renames} THEN ' with gaps' ELSE '' END`;
}
