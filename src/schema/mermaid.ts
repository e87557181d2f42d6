import type { ColumnDocument, RelationDocument } from "./documentation.ts";
import { kinds } from "./kinds.ts";
import { referencesOf, type TableData } from "./table.ts";
import { findTable, tableList } from "./tables/tables.ts";

/**
 * Relations as a Mermaid diagram: tables with the arrows of what refers to what, views as boxes of their own. A column is
 * one line, `storage name keys "meaning"`; Mermaid knows no escapes inside the quotes, so other quotes stand in for them.
 */
export function mermaidDiagram(relations: readonly RelationDocument[]): string {
  const names = new Set(relations.map(({ name }) => name));
  const arrows = tableList.filter(({ name }) => names.has(name)).flatMap((table) => arrowsFrom(table, names));
  const boxes = relations.map(({ name, columns }) => {
    const table = findTable(name);
    return [`  ${name} {`, ...columns.map((column) => `    ${attribute(column, table)}`), "  }"].join("\n");
  });
  return `${["erDiagram", ...arrows, ...boxes].join("\n")}\n`;
}

function arrowsFrom(table: TableData, names: ReadonlySet<string>): string[] {
  return referencesOf(table)
    .filter(({ parent }) => names.has(parent))
    .map(({ columns, parent }) => {
      const isOptional = columns.some((column) => table.columns[column]?.nullable);
      return `  ${parent} ${isOptional ? "|o" : "||"}--o{ ${table.name} : ${columns.length === 1 ? columns[0] : `"${columns.join(", ")}"`}`;
    });
}

function attribute({ column, type, meaning }: ColumnDocument, table: TableData | undefined): string {
  const data = table?.columns[column];
  const storage = data === undefined ? type.replaceAll(" ", "_") : kinds[data.kind].sqlite;
  const isReference = table !== undefined && referencesOf(table).some(({ columns }) => columns.includes(column));
  const keys = [...(table?.key.includes(column) ? ["PK"] : []), ...(isReference ? ["FK"] : [])];
  return `${storage} ${column} ${keys.length === 0 ? "" : `${keys.join(", ")} `}"${meaning.replaceAll('"', "'")}"`;
}
