import type { Command } from "commander";
import { databasePath } from "../../config.ts";
import type { Io } from "../io.ts";

export function commandsWithDatabase(program: Command): Command[] {
  return program.commands.flatMap((command) => (command.commands.length > 0 ? command.commands : [command])).filter(hasDatabase);
}

export function addSchemaOption(program: Command): void {
  for (const command of commandsWithDatabase(program))
    command.option("--schema <name>", "the schema in a PostgreSQL database (default: movedex)");
}

/** Makes `--db` the database to use, `--schema` a part of its address. @throws ConfigError for a bad address, or a schema in a file */
export function resolveDatabase(command: Command, { env }: Io): void {
  if (!hasDatabase(command)) return;
  const { db, schema } = command.opts<{ db?: string; schema?: string }>();
  command.setOptionValueWithSource("db", databasePath(db, env, schema), command.getOptionValueSource("db"));
}

function hasDatabase({ options }: Command): boolean {
  return options.some(({ long }) => long === "--db");
}
