import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { packageFile } from "../../core/base/files.ts";
import { didYouMean, nearestNames, suggestNames } from "../../core/base/names.ts";
import { printable } from "../../core/base/printable.ts";
import { dataWidth, type Io } from "../../core/cli/io.ts";
import { jsonLine } from "../../core/cli/output/json-line.ts";
import { type RelationDocument, relations } from "../../core/db/schema/documentation.ts";
import { findTable } from "../../core/db/schema/tables/tables.ts";
import { ConfigError } from "../../core/errors.ts";
import { contractOf } from "./contract.ts";
import {
  datasetteMetadata,
  dbtSources,
  type ListedRelation,
  listRelations,
  markdownTable,
  relationListText,
  relationsMarkdown,
  relationsText,
} from "./relation-list.ts";

export type SchemaFlags = {
  readonly all?: boolean;
  readonly tables?: boolean;
  readonly format: Format | "datasette" | "dbt" | "json-schema";
  readonly schema: string;
};

/** How lists and columns are printed; the other formats are the whole schema, or a command's, for other programs. */
type Format = "text" | "markdown" | "json" | "jsonl";

/** Runs `schema`: a list without a name, columns with one, or what another program takes. @throws ConfigError for a name that is none */
export async function runSchema(io: Io, name: string | undefined, flags: SchemaFlags): Promise<void> {
  const { format } = flags;
  if (format === "datasette") return await io.stdout(datasetteMetadata(name ?? "movedex"));
  if (format === "dbt") return await io.stdout(dbtSources(flags.schema));
  if (format === "json-schema") return await io.stdout(jsonSchemaOf(name));
  const width = dataWidth(io);
  const kind = flags.tables === true ? "table" : "view";
  const isList = name === undefined && flags.all !== true;
  await io.stdout(
    isList
      ? listText(listRelations(kind), format, width)
      : columnsText(name === undefined ? relations.filter((relation) => relation.kind === kind) : findRelation(name), format, width),
  );
}

/** The JSON Schema of what a command prints with `--json`. @throws ConfigError for a command without one */
function jsonSchemaOf(command: string | undefined): string {
  if (command === undefined)
    throw new ConfigError("--format json-schema needs a command, as in `movedex schema status --format json-schema`.");
  const folder = packageFile("schemas");
  const file = `${command.trim().split(/\s+/).join("-")}.json`;
  const files = readdirSync(folder);
  if (files.includes(file)) return readFileSync(join(folder, file), "utf8");
  const near = didYouMean(nearestNames(file, files).map((name) => name.slice(0, -".json".length)));
  throw new ConfigError(`there is no JSON Schema of \`${printable(command, 80)}\`.${near} docs/json.md lists the commands that have one.`);
}

function listText(list: readonly ListedRelation[], format: Format, width: number): string {
  if (format === "json") return jsonLine(list);
  if (format === "jsonl") return list.map((relation) => jsonLine(relation)).join("");
  if (format === "text") return relationListText(list, width);
  const name = (text: string | null): string => (text === null ? "" : `\`${text}\``);
  return markdownTable(
    ["name", "newest snapshot", "meaning"],
    list.map((relation) => [name(relation.name), name(relation.twin), relation.meaning]),
  );
}

function columnsText(chosen: readonly RelationDocument[], format: Format, width: number): string {
  switch (format) {
    case "text":
      return relationsText(chosen, width);
    case "markdown":
      return `${relationsMarkdown(chosen, 2)}\n`;
    case "json":
      return jsonLine(chosen.flatMap(columnsForPrograms));
    case "jsonl":
      return chosen
        .flatMap(columnsForPrograms)
        .map((column) => jsonLine(column))
        .join("");
  }
}

/** The columns of a relation, with whether each may be null, and is part of its key. */
function columnsForPrograms({ name, columns }: RelationDocument): object[] {
  const table = findTable(name);
  const key = (table ?? contractOf(name))?.key ?? [];
  const mayBeNull = (column: string) => (table ? table.columns[column]?.nullable : !contractOf(name)?.notNull.includes(column)) === true;
  return columns.map((about) => ({ ...about, is_nullable: mayBeNull(about.column), is_key: key.includes(about.column) }));
}

function findRelation(name: string): readonly RelationDocument[] {
  const chosen = relations.filter((relation) => relation.name === name);
  if (chosen.length > 0) return chosen;
  const names = relations.map((relation) => relation.name);
  throw new ConfigError(
    `there is no view or table \`${printable(name, 80)}\`.${suggestNames(name, names)} \`movedex schema\` lists the views, \`movedex schema --tables\` the tables.`,
  );
}
