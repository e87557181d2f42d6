import type { Kind, KindValue } from "../schema/kinds.ts";
import { joined, named, type Sql } from "../schema/sql/sql.ts";
import type { ColumnData } from "../schema/table.ts";
import type { Cell, Row } from "./engine.ts";

type Columns = Readonly<Record<string, Pick<ColumnData, "kind" | "nullable">>>;

/** A whole row of a table: its cells by the names of their columns, as JavaScript values of their kinds. */
export type RecordOf<C extends Columns> = {
  readonly [Name in keyof C]: KindValue<C[Name]["kind"]> | (C[Name] extends { readonly nullable: true } ? null : never);
};

/** The names of a table's columns in their order, for the SELECT whose rows `toRecord` reads. */
export function columnList({ columns }: { readonly columns: Columns }): Sql {
  return joined(Object.keys(columns).map(named), ", ");
}

/** A row of `SELECT ${columnList(table)} …` by the names of its columns. */
export function toRecord<C extends Columns>({ columns }: { readonly columns: C }, row: Row): RecordOf<C> {
  const entries = Object.entries(columns).map(([name, { kind }], i) => [name, cellValue(kind, row[i] as Cell)]);
  return Object.fromEntries(entries) as RecordOf<C>;
}

function cellValue(kind: Kind, cell: Cell): unknown {
  if (cell === null) return null;
  if (kind === "version" || kind === "u64") return BigInt(cell as string | number);
  if (kind === "bool") return cell === 1;
  return kind === "json" ? JSON.parse(cell as string) : cell;
}
