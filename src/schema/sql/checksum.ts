import type { Kind } from "../kinds.ts";
import { isChecked, type TableData } from "../table.ts";
import { findTable } from "../tables/tables.ts";
import { type Dialect, inDialect, joined, named, type Sql, sql, verbatim } from "./sql.ts";
import { checkedFindings, checkedUses } from "./watch-lists.ts";

/** The column that tells a row of another table by what it is, where the row's number is this database's own. */
const namesOf: Readonly<Record<string, string>> = {
  _addresses: "address",
  _bytecodes: "sha256",
  _listings: "digest",
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

/**
 * Whether a row's checksum is of its columns: of today's, or of those that counted when an older movedex wrote it. Where a table had no
 * checksums, rows before the first that has one are taken as they are.
 */
export function isAsWritten(table: TableData): Sql {
  const of = named(table.name);
  const isLater = (name: string) => table.columns[name]?.isCheckedLater === true;
  if (isLater("checksum")) {
    const isFirst = sql`NOT EXISTS (SELECT 1 FROM ${of} AS e WHERE e.checksum IS NOT NULL AND e.id < ${of}.id)`;
    return sql`coalesce(${of}.checksum = ${checksumOf(table)}, ${isFirst})`;
  }
  const own = sql`${of}.checksum = ${checksumOf(table)}`;
  const earlier = sql`${own} OR ${of}.checksum = ${checksumOf(table, { isEarlier: true })}`;
  return sql`coalesce(${Object.keys(table.columns).some(isLater) ? earlier : own}, FALSE)`;
}

/**
 * Rows for a table as a SELECT of the named columns with their checksum, written with the row, since a later UPDATE would write
 * it twice on PostgreSQL. `rows` is a SELECT of all that counts, by the table's names.
 */
export function withChecksum(table: TableData, columns: readonly string[], rows: Sql): Sql {
  const cells = columns.map((name) => sql`${named(table.name)}.${named(name)}`);
  return sql`SELECT ${joined([...cells, sql`${checksumOf(table)} AS checksum`], ", ")} FROM (${rows}) AS ${named(table.name)}`;
}

/** Writes the checksum of the row that its key names as parameters. Belongs after it into the transaction that wrote the row. */
export function writeChecksum(table: TableData): Sql {
  const isRow = joined(
    table.key.map((name) => sql`${named(name)} = ${verbatim(`:${name}`)}`),
    " AND ",
  );
  return sql`UPDATE ${named(table.name)} SET checksum = ${checksumOf(table)} WHERE ${isRow}`;
}
