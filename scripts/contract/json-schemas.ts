import { markdownTable } from "../../src/base/document/markdown.ts";
import type { JsonSchema } from "../../src/base/document/result.ts";
import { commandsToRead, fullName } from "../docs/commands.ts";
import { failure } from "./commands.ts";
import { meaningOf } from "./kinds.ts";
import { type Printed, printedBy } from "./printed.ts";

/** What each command prints with `--json`, by the command's name. */
const printed: ReadonlyMap<string, Printed> = new Map(
  (await Promise.all(commandsToRead().map(async (command) => [fullName(command), await printedBy(command)] as const))).flatMap(
    ([name, result]) => (result === undefined ? [] : [[name, result] as const]),
  ),
);

/** A schema in which fields that are the same in every view have the words of the views. */
function described(schema: JsonSchema): JsonSchema {
  const inside = (value: unknown): unknown =>
    Array.isArray(value) ? value.map(inside) : typeof value === "object" && value !== null ? described(value as JsonSchema) : value;
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, key === "properties" ? describedFields(value as Fields) : inside(value)]),
  );
}

type Fields = Readonly<Record<string, JsonSchema>>;

function describedFields(fields: Fields): Fields {
  const list = Object.entries(fields).map(([name, schema]) => {
    const description = meaningOf(name);
    return [name, { ...described(schema), ...(description === undefined ? {} : { description }) }] as const;
  });
  return Object.fromEntries(list);
}

/** The JSON Schemas of the package, by the name of their file in `schemas`. */
export function jsonSchemas(): ReadonlyMap<string, JsonSchema> {
  return new Map([
    ...Array.from(
      printed,
      ([command, result]) => [fileOf(command), { ...head(command, `movedex ${command} --json`), ...described(rootOf(result)) }] as const,
    ),
    ["error.json", { ...head("error", "what a command with --json prints when it fails"), ...failure }],
  ]);
}

/** `targets list` is described in `targets-list.json`. */
function fileOf(command: string): string {
  return `${command.replaceAll(" ", "-")}.json`;
}

function head(command: string, title: string): JsonSchema {
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    $id: `https://raw.githubusercontent.com/movedex/movedex/main/schemas/${fileOf(command)}`,
    title,
  };
}

/** An entry of a list is by itself under `$defs`, for those who read lines. */
function rootOf({ schema, isList }: Printed): JsonSchema {
  return isList ? { type: "array", items: { $ref: "#/$defs/entry" }, $defs: { entry: schema } } : schema;
}

/** A table of the commands with their schemas. */
export function schemasMarkdown(): string {
  const rows = Array.from(printed, ([command, { isList }]) => [
    `[\`${command}\`](commands.md#${command.replaceAll(" ", "-")})`,
    isList ? "an array; lines with `--jsonl`" : "an object",
    `[\`${fileOf(command)}\`](../schemas/${fileOf(command)})`,
  ]);
  return markdownTable(
    ["command", "prints", "schema"],
    [...rows, ["any, when it fails", "an object", "[`error.json`](../schemas/error.json)"]],
  );
}
