import type { Kind } from "../column.ts";
import { isChecked, type TableData } from "../table.ts";
import { type Dialect, inDialect, joined, named, type Sql, sql, verbatim } from "./sql.ts";

/** The column that tells a row of another table by what it is, where the row's number is this database's own. */
const namesOf: Readonly<Record<string, readonly [column: string, kind: Kind]>> = {
  _addresses: ["address", "text"],
  _bytecodes: ["sha256", "bytes"],
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
    checked.map(([name, { kind, references, countsAs }]): CheckedColumn => {
      const own = `${table.name}.${name}`;
      if (countsAs !== undefined) return { name: countsAs.name, text: countsAs.text.in(dialect), kind: "text" };
      const naming = references === undefined ? undefined : namesOf[references];
      if (naming === undefined) return { name, text: own, kind };
      return { name, text: `(SELECT named.${naming[0]} FROM ${references} AS named WHERE named.id = ${own})`, kind: naming[1] };
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
