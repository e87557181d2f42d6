import type { Kind } from "../column.ts";
import { isChecked, type TableData } from "../table.ts";
import { findTable } from "../tables/tables.ts";
import { jsonRows, jsonText } from "./functions.ts";
import { type Dialect, inDialect, joined, named, type Sql, sql, verbatim } from "./sql.ts";

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

/** The column that tells a row of another table by what it is, where the row's number is this database's own. */
const namesOf: Readonly<Record<string, string>> = {
  _addresses: "address",
  _bytecodes: "sha256",
  _sources: "digest",
};

/** What counts in the stead of a column, by a name: a text of the row's lists, which are rows of other tables. */
const listsOf: Readonly<Record<string, { readonly name: string; readonly text: Sql }>> = {
  "_judgements.finding_count": { name: "findings", text: checkedFindings },
  "_watches.is_mine": { name: "uses", text: checkedUses },
};

/** A column that counts: its value as SQL, and the kind of that. */
type CheckedColumn = { readonly name: string; readonly text: string; readonly kind: Kind };

/**
 * The checksum of a row: the first 48 bits of the SHA-256 over `<name>=<text>` and U+001F for each column, as a number, equal on all
 * engines. References count as what they lead to, so altered names show. A null counts for nothing, so that columns may be added. The
 * `table` has the column `checksum`. `isEarlier`: as an older movedex made it, of fewer columns.
 */
export function checksumOf(table: TableData, { isEarlier = false } = {}): Sql {
  if (!isChecked(table)) throw new TypeError(`the table \`${table.name}\` has no checksum`);
  const checked = Object.entries(table.columns).filter(
    ([name, column]) => name !== "checksum" && column.isUnchecked === undefined && !(isEarlier && column.isCheckedLater),
  );
  const columnsIn = (dialect: Dialect) =>
    checked.map(([name, { kind, references }]): CheckedColumn => {
      const own = `${table.name}.${name}`;
      const lists = listsOf[own];
      if (lists !== undefined) return { name: lists.name, text: lists.text.in(dialect), kind: "text" };
      const naming = references === undefined ? undefined : namesOf[references];
      if (references === undefined || naming === undefined) return { name, text: own, kind };
      const target = findTable(references) as TableData;
      const text = `(SELECT named.${naming} FROM ${references} AS named WHERE named.${target.key[0]} = ${own})`;
      return { name, text, kind: target.columns[naming]?.kind as Kind };
    });
  return inDialect((dialect) => {
    const columns = columnsIn(dialect);
    const names = columns.map(({ name }) => name).join(" ");
    const texts = columns.map(({ text }) => text).join(", ");
    return dialect === "sqlite"
      ? // A function of ours: see `row-checksum.ts`.
        `movedex_checksum('${names}', ${texts})`
      : `CAST(CAST('x' || substr(encode(sha256(convert_to(${columns.map(checkedText).join(" || ")}, 'UTF8')), 'hex'), 1, 12) AS bit(48)) AS bigint)`;
  });
}

/** How PostgreSQL writes the value of a kind as SQLite's driver gives it. */
const asGiven: Partial<Record<Kind, (value: string) => string>> = {
  bytes: (value) => `encode(${value}, 'hex')`,
  bool: (value) => `CAST(CAST(${value} AS int) AS text)`,
  time: (value) => `CAST(CAST(round(extract(epoch FROM ${value}) * 1000) AS bigint) AS text)`,
};

/** A column as it goes into a checksum on PostgreSQL: nothing for null. */
function checkedText({ name, text, kind }: CheckedColumn): string {
  return `coalesce('${name}=' || ${asGiven[kind]?.(text) ?? `CAST(${text} AS text)`} || chr(31), '')`;
}

/** Whether a row's checksum is of its columns, today's or an older movedex's. Tables without checksums before may have none. */
export function isAsWritten(table: TableData): Sql {
  const own = named(table.name);
  const { checksum, ...columns } = table.columns;
  const sums = [checksumOf(table)];
  if (Object.values(columns).some(({ isCheckedLater }) => isCheckedLater)) sums.push(checksumOf(table, { isEarlier: true }));
  return sql`coalesce(${own}.checksum IN (${joined(sums, ", ")}), ${verbatim(checksum?.isCheckedLater ? "TRUE" : "FALSE")})`;
}

/** Writes the checksum of the row that its key names as parameters. Belongs after it into the transaction that wrote the row. */
export function writeChecksum(table: TableData): Sql {
  const isRow = joined(
    table.key.map((name) => sql`${named(name)} = ${verbatim(`:${name}`)}`),
    " AND ",
  );
  return sql`UPDATE ${named(table.name)} SET checksum = ${checksumOf(table)} WHERE ${isRow}`;
}
