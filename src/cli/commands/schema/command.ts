import { Command, Option } from "commander";
import type { Io } from "../../io.ts";
import type { SchemaFlags } from "./run.ts";

export function schemaCommand(io: Io): Command {
  return new Command("schema")
    .summary("list the views, tables and columns")
    .description("List the views and tables, or print the columns of one. Needs no database.")
    .argument("[name]", "the view or table whose columns to print")
    .option("--all", "print the columns of every view")
    .option("--tables", "list the internal tables instead of the views")
    .addOption(
      new Option("-f, --format <format>", "output format; mermaid draws a diagram")
        .choices(["text", "markdown", "mermaid", "json", "jsonl"])
        .default("text"),
    )
    .option("--json-schema <command>", 'print the JSON Schema of the output of a command with --json, such as "targets list"')
    .option("--grants <role>", "print GRANT statements that let a PostgreSQL role read everything")
    .option("--datasette [database]", "print metadata for Datasette; give the file's name without .db (default: movedex)")
    .option("--dbt", "print sources for dbt over PostgreSQL, as YAML")
    .option("--schema <name>", "with --grants and --dbt: the schema of movedex", "movedex")
    .addHelpText(
      "after",
      "\nExamples:\n  $ movedex schema\n  $ movedex schema functions_at\n  $ movedex schema --grants analyst\n  $ movedex schema --datasette night\n  $ movedex schema --dbt\n  $ movedex schema --json-schema status",
    )
    .action(async (name: string | undefined, flags: SchemaFlags) => {
      const { runSchema } = await import("./run.ts");
      await runSchema(io, name, flags);
    });
}
