import { type Contract, contractOf } from "../../src/capabilities/schema/contract.ts";
import { isTwin, typeText } from "../../src/capabilities/schema/relation-list.ts";
import { type ColumnDocument, type RelationDocument, relations } from "../../src/core/db/schema/documentation.ts";

/** How many views have to have a column, so that it is described once for all of them. */
const FEWEST_VIEWS = 3;
/** What the page says once about all views that end in `_at`: these columns, the reference to `snapshots`, the end of their meanings. */
const AT_COLUMNS = ["chain_id", "ledger_version", "address", "address_long"];
const AT_MEANING = ", at each sealed snapshot";

/** The columns that several views share, then each view with its own. */
export function schemaMarkdown(): string {
  const views = relations.filter(({ kind, name }) => kind === "view" && !isTwin(name));
  const shared = sharedColumns(views.flatMap(({ columns }) => columns));
  const told = new Map([...shared.values()].map((column) => [wordsOf(column), ""]));
  const parts = [`## Columns of several views\n\n${columnList([...shared.values()])}`, `## References\n\n${referencePicture(views)}`];
  return [...parts, ...views.map((view) => viewMarkdown(view, told))].join("\n\n");
}

/** What views refer to, as Mermaid draws it. Left out: bytecode and snapshots, where a view comes to them through another. */
function referencePicture(views: readonly RelationDocument[]): string {
  const lines = views.flatMap(({ name }) => {
    const { references, notNull } = contractOf(name) as Contract;
    const [first] = references;
    const drawn = references.filter((one) => one === first || !["snapshots", "bytecodes_held"].includes(one.parent));
    return drawn.map(({ columns, parent }) => {
      const ends = columns.every((column) => notNull.includes(column)) ? "||" : "o|";
      return `    ${parent} ${ends}--o{ ${name} : "${columns.at(-1)}"`;
    });
  });
  return `\`\`\`mermaid\nerDiagram\n${lines.join("\n")}\n\`\`\``;
}

/** By its name, each column that views enough have; where they differ in its meaning, as most of them have it. */
function sharedColumns(columns: readonly ColumnDocument[]): ReadonlyMap<string, ColumnDocument> {
  const shared = new Map<string, ColumnDocument>();
  for (const [name, sameName] of Map.groupBy(columns, ({ column }) => column)) {
    const groups = [...Map.groupBy(sameName, wordsOf).values()];
    const most = groups.reduce((largest, group) => (group.length > largest.length ? group : largest));
    if (most.length >= FEWEST_VIEWS) shared.set(name, most[0] as ColumnDocument);
  }
  return shared;
}

/** `told` has the view that described a column first, by the column's words: "" for a shared one. It gets what this view describes. */
function viewMarkdown({ name, meaning, columns }: RelationDocument, told: Map<string, string>): string {
  const isAt = name.endsWith("_at");
  const by = Map.groupBy(columns, (column) => told.get(wordsOf(column)) ?? name);
  const own = by.get(name) ?? [];
  for (const column of own) told.set(wordsOf(column), name);
  const repeated = [...by].flatMap(([view, list]) => {
    const names = list.map(({ column }) => column).filter((column) => view !== name && !(isAt && AT_COLUMNS.includes(column)));
    return names.length === 0
      ? []
      : [`${view === "" ? "Shared" : `As in \`${view}\``}: ${names.map((column) => `\`${column}\``).join(", ")}.`];
  });
  return [
    `## \`${name}\`\n\n${isAt ? meaning.replace(AT_MEANING, "") : meaning}.`,
    contractMarkdown(name, isAt),
    ...repeated,
    ...(own.length === 0 ? [] : [columnList(own)]),
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

/** The key of a view, and the views that it refers to: with columns where they are not named as in that view's key. */
function contractMarkdown(name: string, isAt: boolean): string {
  const { key = [], references } = contractOf(name) as Contract;
  const code = (words: readonly string[]): string => words.map((word) => `\`${word}\``).join(", ");
  const views = references
    .filter(({ parent }) => !(isAt && parent === "snapshots"))
    .map(({ columns, parent }) => {
      const isKey = columns.join() === contractOf(parent)?.key?.join();
      return isKey ? code([parent]) : `${code(columns)} in ${code([parent])}`;
    });
  const parts = [key.length === 0 ? "" : `Key: ${code(key)}.`, views.length === 0 ? "" : `References: ${views.join("; ")}.`];
  return parts.filter((part) => part !== "").join("\n\n");
}

const wordsOf = (column: ColumnDocument): string => `${column.column} ${typeText(column)} ${column.meaning}`;

function columnList(columns: readonly ColumnDocument[]): string {
  return columns.map((column) => `- \`${column.column}\` (${typeText(column)}): ${column.meaning}`).join("\n");
}
