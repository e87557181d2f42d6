import { MovedexCommand } from "../../movedex-command.ts";

export function schemaCommand(): MovedexCommand {
  return new MovedexCommand("schema")
    .summary("list the views, tables and columns")
    .description("List the views and tables, or print the columns of one. Needs no database.")
    .argument("[name]", "the view or table whose columns to print")
    .option("--all", "print the columns of every view")
    .option("--tables", "list the internal tables instead of the views")
    .choice("-f, --format <format>", "output format; mermaid draws a diagram", ["text", "markdown", "mermaid", "json", "jsonl"], "text")
    .option("--json-schema <command>", 'print the JSON Schema of the output of a command with --json, such as "targets list"')
    .option("--datasette [database]", "print metadata for Datasette; give the file's name without .db (default: movedex)")
    .option("--dbt", "print sources for dbt over PostgreSQL, as YAML")
    .option("--schema <name>", "with --dbt: the schema of movedex", "movedex")
    .examples("schema", "schema functions_at", "schema --datasette night", "schema --dbt", "schema --json-schema status")
    .runsFrom(async () => (await import("./run.ts")).runSchema);
}
