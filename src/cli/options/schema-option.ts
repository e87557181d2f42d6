import type { Command } from "commander";
import { databasePath } from "../../config.ts";
import type { Io } from "../io.ts";

/** Adds `--schema` to every command below `program` that has a database: it becomes part of the address in `--db`. */
export function addSchemaOption(program: Command): void {
  const leaves = program.commands.flatMap((command) => (command.commands.length > 0 ? command.commands : [command]));
  for (const command of leaves.filter(({ options }) => options.some(({ long }) => long === "--db"))) {
    command.option("--schema <name>", "the schema in a PostgreSQL database (default: movedex)");
  }
}

/** Writes `--schema` into the address of the database. @throws ConfigError when that is a file */
export function applySchemaOption(command: Command, io: Io): void {
  const { db, schema } = command.opts<{ db?: string; schema?: string }>();
  if (schema === undefined || !command.options.some(({ long }) => long === "--db")) return;
  command.setOptionValue("db", databasePath(db, io.env, schema));
}
