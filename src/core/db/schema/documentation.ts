import { type ColumnData, kinds } from "./column.ts";
import { tableList } from "./tables/tables.ts";
import { viewList } from "./views/views.ts";

/** A column. Its members, in this order, are the columns of the table `documentation`. */
export type ColumnDocument = {
  readonly relation: string;
  readonly kind: "view" | "table";
  readonly position: number;
  readonly column: string;
  readonly type: string;
  readonly meaning: string;
};

/** A view or table with its columns, for the generators below and for the database's own documentation. */
export type RelationDocument = {
  readonly name: string;
  readonly kind: "view" | "table";
  readonly meaning: string;
  readonly columns: readonly ColumnDocument[];
};

/** All views and then all tables, each in its order. */
export const relations: readonly RelationDocument[] = [
  ...viewList.map((view) => document("view", view, ({ kind }) => kinds[kind].type)),
  ...tableList.map((table) => document("table", table, ({ kind, nullable }) => kinds[kind].meaning + (nullable ? ", or null" : ""))),
];

type Described = { readonly name: string; readonly meaning: string; readonly columns: Readonly<Record<string, ColumnData>> };

function document(kind: "view" | "table", relation: Described, typeOf: (column: ColumnData) => string): RelationDocument {
  const { name, meaning, columns } = relation;
  const rows = Object.entries(columns).map(([column, data], position) => ({
    relation: name,
    kind,
    position,
    column,
    type: typeOf(data),
    meaning: data.meaning,
  }));
  return { name, kind, meaning, columns: rows };
}
