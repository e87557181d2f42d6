import { relations, relationsMarkdown } from "../../src/schema/documentation.ts";
import { markdownTable } from "./blocks.ts";

/** Each view with its columns, then the tables behind them by name and meaning. Views in `_latest` repeat the columns of those in `_at`. */
export function schemaMarkdown(): string {
  const views = relations.filter(({ kind, name }) => kind === "view" && !name.endsWith("_latest"));
  const tables = relations.filter(({ kind }) => kind === "table").map(({ name, meaning }) => [`\`${name}\``, meaning]);
  return [
    relationsMarkdown(views, 2),
    `## Tables behind the views\n\nTheir columns: \`movedex schema --tables\`.\n\n${markdownTable(["table", "meaning"], tables)}`,
  ].join("\n\n");
}
