import { markdownTable } from "../../../base/markdown.ts";
import { printable } from "../../../base/printable.ts";
import { didYouMean, nearestNames } from "../../../base/similar-names.ts";
import { ConfigError } from "../../../errors.ts";
import { datasetteMetadata } from "../../../schema/datasette.ts";
import { dbtSources } from "../../../schema/dbt.ts";
import { chooseRelations, type RelationDocument, relations, relationsMarkdown, relationsText } from "../../../schema/documentation.ts";
import { grantStatements } from "../../../schema/grants.ts";
import { mermaidDiagram } from "../../../schema/mermaid.ts";
import { type ListedRelation, listRelations, relationListText } from "../../../schema/relation-list.ts";
import type { Io } from "../../io.ts";
import { jsonLine } from "../../output/json-line.ts";

export type SchemaFlags = {
  readonly all?: boolean;
  readonly tables?: boolean;
  readonly format: "text" | "markdown" | "mermaid" | "json";
  readonly grants?: string;
  readonly datasette?: string | true;
  readonly dbt?: boolean;
  readonly schema: string;
};

/** Runs `schema`: a list without a name, columns with one, or what another program takes. @throws ConfigError for a name that is none */
export async function runSchema(io: Io, name: string | undefined, flags: SchemaFlags): Promise<void> {
  const forOthers = textForOthers(flags);
  if (forOthers !== undefined) {
    await io.stdout(forOthers);
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

/** The schema in the words of PostgreSQL's rights, Datasette or dbt; undefined where none of them is asked for. */
function textForOthers({ grants, datasette, dbt, schema }: SchemaFlags): string | undefined {
  if (grants !== undefined) return `${grantStatements(grants, schema).join("\n")}\n`;
  if (datasette !== undefined) return datasetteMetadata(datasette === true ? "movedex" : datasette);
  return dbt === true ? dbtSources(schema) : undefined;
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
