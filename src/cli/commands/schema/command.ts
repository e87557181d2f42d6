import { Command, Option } from "commander";
import type { Io } from "../../io.ts";
import type { SchemaFlags } from "./run.ts";

/** `movedex schema`: the views and their columns, from the data that the database is made from. */
export function schemaCommand(io: Io): Command {
  return new Command("schema")
    .summary("the views and tables, and their columns")
    .description("List the views and tables, or print the columns of one. Needs no database.")
    .argument("[name]", "a view or table, to print its columns")
    .option("--all", "print the columns of every view")
    .option("--tables", "the tables behind the views, instead of the views")
    .addOption(
      new Option("-f, --format <format>", "output format; mermaid draws a diagram, json prints one object a line")
        .choices(["text", "markdown", "mermaid", "json"])
        .default("text"),
    )
    .option("--grants <role>", "the statements by which a role of PostgreSQL may read everything, instead")
    .option("--datasette [database]", "metadata for Datasette, instead; the database is the file's name without .db (default: movedex)")
    .option("--dbt", "sources for dbt over PostgreSQL, as YAML, instead")
    .option("--schema <name>", "with --grants and --dbt: the schema that movedex is in", "movedex")
    .addHelpText(
      "after",
      "\nExamples:\n  $ movedex schema\n  $ movedex schema functions_at\n  $ movedex schema --grants analyst\n  $ movedex schema --datasette night\n  $ movedex schema --dbt",
    )
    .action(async (name: string | undefined, flags: SchemaFlags) => {
      const { runSchema } = await import("./run.ts");
      await runSchema(io, name, flags);
    });
}
