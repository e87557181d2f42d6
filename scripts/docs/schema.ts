import { type ColumnDocument, type RelationDocument, relations } from "../../src/schema/documentation.ts";
import { isTwin, typeText } from "../../src/schema/relation-list.ts";
import { type Contract, contractOf, contractSentences } from "../../src/schema/views/contract.ts";

/** How many views have to have a column, so that it is described once for all of them. */
const FEWEST_VIEWS = 3;

/** The columns that several views share, then each view with its own. */
export function schemaMarkdown(): string {
  const views = relations.filter(({ kind, name }) => kind === "view" && !isTwin(name));
  const shared = sharedColumns(views.flatMap(({ columns }) => columns));
  const parts = [`## Columns of several views\n\n${columnList([...shared.values()])}`, `## References\n\n${referencePicture(views)}`];
  return [...parts, ...views.map((view) => viewMarkdown(view, shared))].join("\n\n");
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
    const groups = [...Map.groupBy(sameName, ({ type, meaning }) => `${type} ${meaning}`).values()];
    const most = groups.reduce((largest, group) => (group.length > largest.length ? group : largest));
    if (most.length >= FEWEST_VIEWS) shared.set(name, most[0] as ColumnDocument);
  }
  return shared;
}

function viewMarkdown({ name, meaning, columns }: RelationDocument, shared: ReadonlyMap<string, ColumnDocument>): string {
  const isShared = ({ column, type, meaning: own }: ColumnDocument): boolean =>
    shared.get(column)?.type === type && shared.get(column)?.meaning === own;
  const common = columns.filter(isShared).map(({ column }) => `\`${column}\``);
  const own = columns.filter((column) => !isShared(column));
  return [
    `## \`${name}\`\n\n${meaning}.`,
    ...contractSentences(name, "`").map((sentence) => `${sentence}.`),
    ...(common.length === 0 ? [] : [`Shared: ${common.join(", ")}.`]),
    ...(own.length === 0 ? [] : [columnList(own)]),
  ].join("\n\n");
}

function columnList(columns: readonly ColumnDocument[]): string {
  return columns.map((column) => `- \`${column.column}\` (${typeText(column)}): ${column.meaning}`).join("\n");
}
