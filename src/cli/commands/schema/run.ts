import { didYouMean } from "../../../ask/not-held.ts";
import { markdownTable } from "../../../base/markdown.ts";
import { printable } from "../../../base/printable.ts";
import { nearestNames } from "../../../base/similar-names.ts";
import { ConfigError } from "../../../errors.ts";
import { chooseRelations, type RelationDocument, relations, relationsMarkdown, relationsText } from "../../../schema/documentation.ts";
import { grantStatements } from "../../../schema/grants.ts";
import { mermaidDiagram } from "../../../schema/mermaid.ts";
import { type ListedRelation, listRelations, relationListText } from "../../../schema/relation-list.ts";
import type { Io } from "../../io.ts";
import { jsonLine } from "../../output/json-line.ts";

/** The command line of `schema`, parsed. */
export type SchemaFlags = {
  readonly all?: boolean;
  readonly tables?: boolean;
  readonly format: "text" | "markdown" | "mermaid" | "json";
  readonly grants?: string;
  readonly schema: string;
};

/** Runs `schema`: a list without a name, columns with one, or a role's rights. @throws ConfigError for a name that is none */
export async function runSchema(io: Io, name: string | undefined, flags: SchemaFlags): Promise<void> {
  if (flags.grants !== undefined) {
    await io.stdout(`${grantStatements(flags.grants, flags.schema).join("\n")}\n`);
    return;
  }
  const width = io.stdoutIsTerminal ? io.columns : undefined;
  const kind = flags.tables === true || (flags.format === "mermaid" && name === undefined) ? "table" : "view";
  const isList = name === undefined && flags.all !== true && flags.format !== "mermaid";
  await io.stdout(
    isList
      ? listText(listRelations(kind), flags.format, width)
      : columnsText(name === undefined ? chooseRelations({ kind }) : findRelation(name), flags.format, width),
  );
}

function listText(list: readonly ListedRelation[], format: SchemaFlags["format"], width: number | undefined): string {
  if (format === "json") return list.map((relation) => jsonLine(relation)).join("");
  if (format === "text") return relationListText(list, width);
  const name = (text: string | null): string => (text === null ? "" : `\`${text}\``);
  return markdownTable(
    ["name", "newest snapshot", "meaning"],
    list.map((relation) => [name(relation.name), name(relation.twin), relation.meaning]),
  );
}

function columnsText(chosen: readonly RelationDocument[], format: SchemaFlags["format"], width: number | undefined): string {
  switch (format) {
    case "text":
      return relationsText(chosen, width);
    case "markdown":
      return `${relationsMarkdown(chosen, 2)}\n`;
    case "mermaid":
      return mermaidDiagram(chosen);
    case "json":
      return chosen.flatMap(({ columns }) => columns.map((column) => jsonLine(column))).join("");
  }
}

function findRelation(name: string): readonly RelationDocument[] {
  const chosen = chooseRelations({ name });
  if (chosen.length > 0) return chosen;
  const near = nearestNames(
    name,
    relations.map((relation) => relation.name),
  );
  throw new ConfigError(
    `there is no view or table \`${printable(name, 80)}\`.${didYouMean(near)} \`movedex schema\` lists the views, \`movedex schema --tables\` the tables.`,
  );
}
