import { type ColumnDocument, type RelationDocument, relations } from "../../src/schema/documentation.ts";
import { isTwin } from "../../src/schema/relation-list.ts";
import { keyOf } from "../../src/schema/views/views.ts";

/** How many views have to have a column, so that it is described once for all of them. */
const FEWEST_VIEWS = 3;

/** The columns that several views share, then each view with its own. */
export function schemaMarkdown(): string {
  const views = relations.filter(({ kind, name }) => kind === "view" && !isTwin(name));
  const shared = sharedColumns(views.flatMap(({ columns }) => columns));
  return [`## Columns of several views\n\n${columnList([...shared.values()])}`, ...views.map((view) => viewMarkdown(view, shared))].join(
    "\n\n",
  );
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
  const key = keyOf(name);
  const common = columns.filter(isShared).map(({ column }) => `\`${column}\``);
  const own = columns.filter((column) => !isShared(column));
  return [
    `## \`${name}\`\n\n${meaning}.`,
    ...(key === undefined ? [] : [`Key: ${key.map((column) => `\`${column}\``).join(", ")}.`]),
    ...(common.length === 0 ? [] : [`Shared: ${common.join(", ")}.`]),
    ...(own.length === 0 ? [] : [columnList(own)]),
  ].join("\n\n");
}

function columnList(columns: readonly ColumnDocument[]): string {
  return columns.map(({ column, type, meaning }) => `- \`${column}\` (${type}): ${meaning}`).join("\n");
}
