import type { Capability } from "../../core/cli/capability.ts";
import { MovedexCommand } from "../../core/cli/movedex-command.ts";

export const schema: Capability = {
  name: "schema",
  commands: { "Ask the archive:": { schema: async () => schemaCommand } },
};

function schemaCommand(): MovedexCommand {
  return new MovedexCommand("schema")
    .summary("list the views, tables and columns")
    .description("List the views and tables, or print the columns of one. Needs no database.")
    .argument("[name]", "the view or table whose columns to print; with datasette the file's name without .db; with json-schema a command")
    .suggests("", async () => {
      const { relations } = await import("../../core/db/schema/documentation.ts");
      return relations.map(({ name, meaning }) => ({ name, description: meaning }));
    })
    .option("--all", "print the columns of every view")
    .option("--tables", "list the internal tables instead of the views")
    .choice(
      "-f, --format <format>",
      "output format; datasette: its metadata; dbt: sources over PostgreSQL, as YAML; json-schema: that of what a command prints with --json",
      ["text", "markdown", "json", "jsonl", "datasette", "dbt", "json-schema"],
      "text",
    )
    .option("--schema <name>", "dbt: the schema of movedex", "movedex")
    .examples("schema", "schema functions_at", "schema night --format datasette", 'schema "targets list" --format json-schema')
    .runsFrom(async () => (await import("./run.ts")).runSchema);
}
