import { markdownTable } from "../base/document.ts";
import { hangingText } from "../base/printable.ts";
import { type RelationDocument, relations } from "./documentation.ts";
import { keyOf } from "./views/keys.ts";

/** A line of the list: a relation, or a view `…_at` together with its twins: `…_latest`, which has the same columns, and `…_history`. */
export type ListedRelation = {
  readonly name: string;
  readonly twin: string | null;
  readonly kind: "view" | "table";
  readonly meaning: string;
};

export function listRelations(kind: "view" | "table"): readonly ListedRelation[] {
  const chosen = relations.filter((relation) => relation.kind === kind && !isTwin(relation.name));
  return chosen.map(({ name, meaning }) => ({ name, twin: name.endsWith("_at") ? name.replace(/_at$/, "_latest") : null, kind, meaning }));
}

/** The list as text for a terminal of a given width: views with a row set for each snapshot first, and how to see columns last. */
export function relationListText(list: readonly ListedRelation[], width: number): string {
  const nameWidth = Math.max(...list.map(({ name }) => name.length));
  const lines = (some: readonly ListedRelation[]): string[] =>
    some.map(({ name, meaning }) => hangingText(`  ${name.padEnd(nameWidth)}  `, firstClause(meaning), width));
  const perSnapshot = list.filter(({ twin }) => twin !== null);
  const others = list.filter(({ twin }) => twin === null);
  if (perSnapshot.length === 0) return `${[...lines(others), "", "Columns of one: movedex schema NAME"].join("\n")}\n`;
  return `${[
    hangingText(
      "",
      "Views of the ledger. Each …_at has rows for every sealed snapshot; …_latest, with the same columns, for the newest that covers the account; " +
        "…_history (coverage_history for covered_at) a row for each stretch of snapshots that show the same:",
      width,
    ),
    ...lines(perSnapshot),
    "",
    "Views of changes and of the archive itself:",
    ...lines(others),
    "",
    "Columns of one: movedex schema NAME       of all: movedex schema --all",
    "Tables behind the views: movedex schema --tables",
  ].join("\n")}\n`;
}

/** Whether a view repeats the columns of one in `_at`. */
export function isTwin(name: string): boolean {
  return name.endsWith("_latest") || relations.some((one) => one.name.endsWith("_at") && one.name.replace(/_at$/, "_history") === name);
}

/** What to choose by; `schema NAME` prints the rest too. That they are of each snapshot is said once above the views that are. */
function firstClause(meaning: string): string {
  return (meaning.split(/[:;] /, 1)[0] ?? meaning).replace(/, at each sealed snapshot$/, "");
}

/** Relations in Markdown, each under a heading of a level, with its columns as a table. */
export function relationsMarkdown(chosen: readonly RelationDocument[], level: number): string {
  const parts = chosen.map(({ name, meaning: about, columns }) => {
    const rows = columns.map(({ column, type, meaning }) => [`\`${column}\``, type, meaning]);
    return `${"#".repeat(level)} \`${name}\`\n\n${about}.\n\n${markdownTable(["column", "type", "meaning"], rows)}`;
  });
  return parts.join("\n").trimEnd();
}

/** Relations as text for a terminal of a given width: meanings that are too long go on below. */
export function relationsText(chosen: readonly RelationDocument[], width = Number.POSITIVE_INFINITY): string {
  return chosen.map((relation) => relationText(relation, width)).join("\n");
}

function relationText({ name, meaning, columns }: RelationDocument, width: number): string {
  const nameWidth = Math.max(...columns.map(({ column }) => column.length));
  const typeWidth = Math.max(...columns.map(({ type }) => type.length));
  const lines = columns.map(({ column, type, meaning: about }) =>
    hangingText(`  ${column.padEnd(nameWidth)}  ${type.padEnd(typeWidth)}  `, about, width),
  );
  const key = keyOf(name);
  const told = key === undefined ? [] : [hangingText("  key: ", key.join(", "), width)];
  return `${[hangingText(`${name}: `, meaning, width, 2), ...told, ...lines].join("\n")}\n`;
}
