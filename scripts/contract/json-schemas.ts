import { markdownTable } from "../../src/base/document/markdown.ts";
import { type Contract, contracts, failure } from "./commands.ts";
import type { JsonSchema } from "./kinds.ts";

/** The JSON Schemas of the package, by the name of their file in `schemas`. */
export function jsonSchemas(): ReadonlyMap<string, JsonSchema> {
  return new Map([
    ...Object.entries(contracts).map(
      ([command, contract]) => [fileOf(command), { ...head(command, `movedex ${command} --json`), ...rootOf(contract) }] as const,
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
function rootOf(contract: Contract): JsonSchema {
  if ("document" in contract) return contract.document;
  return { type: "array", items: { $ref: "#/$defs/entry" }, $defs: { entry: contract.entry } };
}

/** A table of the commands with their schemas. */
export function schemasMarkdown(): string {
  const rows = Object.entries(contracts).map(([command, contract]) => [
    `[\`${command}\`](commands.md#${command.replaceAll(" ", "-")})`,
    "entry" in contract ? "an array; lines with `--jsonl`" : "an object",
    `[\`${fileOf(command)}\`](../schemas/${fileOf(command)})`,
  ]);
  return markdownTable(
    ["command", "prints", "schema"],
    [...rows, ["any, when it fails", "an object", "[`error.json`](../schemas/error.json)"]],
  );
}
