import type { Command } from "commander";
import { databasePath } from "../../config.ts";
import type { Io } from "../io.ts";

/** Adds to every command with a database how its schema and a settings file are named. */
export function addDatabaseOptions(program: Command): void {
  const commands = program.commands.flatMap((command) => (command.commands.length > 0 ? command.commands : [command]));
  for (const command of commands.filter(hasDatabase))
    command
      .option("--schema <name>", "the schema in a PostgreSQL database (default: movedex)")
      .optionsGroup("Settings file:")
      .option("--config <file>", "read options from this TOML file; the command line overrides it. `movedex init` writes one")
      .option("--section <name>", "the section of the file (default: the only one, or that of --network)");
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
