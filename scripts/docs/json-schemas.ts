import type { JsonSchema } from "../../src/core/base/result.ts";
import { failure } from "../../src/core/cli/output/result-fields.ts";
import { viewList } from "../../src/core/db/schema/views/views.ts";
import { commandsToRead, fullName, programToRead } from "./commands.ts";

const printers = commandsToRead(await programToRead()).flatMap((command) =>
  command.result === undefined ? [] : [{ name: fullName(command), ...command.result }],
);

const fileOf = (command: string): string => `${command.replaceAll(" ", "-")}.json`;

/** The JSON Schemas of the package, by the name of their file in `schemas`: of what each command prints, and of a failure. */
export async function jsonSchemas(): Promise<ReadonlyMap<string, JsonSchema>> {
  const schemas = new Map<string, JsonSchema>();
  for (const { name, kind, isList } of printers) {
    const { schema } = await kind();
    // An entry of a list is by itself under `$defs`, for those who read lines.
    const root = isList ? { type: "array", items: { $ref: "#/$defs/entry" }, $defs: { entry: schema } } : schema;
    schemas.set(fileOf(name), { ...head(fileOf(name), `movedex ${name} --json`), ...described(root) });
  }
  const title = "what a command with --json prints when it fails";
  return schemas.set("error.json", { ...head("error.json", title), ...failure.schema });
}

function head(file: string, title: string): JsonSchema {
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    $id: `https://raw.githubusercontent.com/movedex/movedex/main/schemas/${file}`,
    title,
  };
}

/** Names that are columns of views and mean the same in every view and every command. */
const COLUMNS = `chain_id address after_version at_or_before_version is_exact from_sha256 to_sha256 from_key to_key wanted_time
  time_error_ms http_status app_version`.split(/\s+/);
const meanings = Map.groupBy(
  viewList.flatMap(({ columns }) => Object.entries(columns)),
  ([name]) => name,
);

/** A schema in which these fields have the words of the views, where those agree. */
function described(schema: JsonSchema): JsonSchema {
  const json = JSON.stringify(schema, (key, value: Readonly<Record<string, JsonSchema>>) => {
    if (key !== "properties") return value;
    const fields = Object.entries(value).map(([name, field]) => {
      const [said, ...others] = new Set(COLUMNS.includes(name) ? meanings.get(name)?.map(([, { meaning }]) => meaning) : []);
      return [name, said === undefined || others.length > 0 ? field : { ...field, description: said }];
    });
    return Object.fromEntries(fields);
  });
  return JSON.parse(json) as JsonSchema;
}

/** The schemas of the commands, by what these print. */
export function schemasMarkdown(): string {
  const linkTo = (name: string): string => `[\`${name}\`](../schemas/${fileOf(name)})`;
  const linksOf = (lists: boolean): string =>
    printers
      .filter(({ isList }) => isList === lists)
      .map(({ name }) => linkTo(name))
      .join(", ");
  return [
    `- An object: ${linksOf(false)}.`,
    `- An array; lines with \`--jsonl\`: ${linksOf(true)}.`,
    `- Any command, when it fails: ${linkTo("error")}.`,
  ].join("\n");
}
