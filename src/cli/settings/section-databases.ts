import type { Command, Option } from "commander";
import { databasePath } from "../../config.ts";
import { ConfigError } from "../../errors.ts";
import { typedValue } from "./option-values.ts";
import type { SettingValue } from "./setting-value.ts";
import { fault, type SettingsFile } from "./settings-file.ts";

export type SectionDatabase = { readonly name: string; readonly database: string };

/**
 * The database of each section; no two may share one. `readVariable` reads the environment variable that a key names.
 * @throws ConfigError when a section names none, two name the same, or the command line names one for all
 */
export function sectionDatabases(
  file: SettingsFile,
  command: Command,
  names: readonly string[],
  readVariable: (key: string, value: SettingValue) => string,
): SectionDatabase[] {
  if (command.getOptionValueSource("db") === "cli" || command.getOptionValueSource("rpc") === "cli") {
    throw new ConfigError(
      "--db and --rpc are for one network, and the settings file has several. Name one with --section, or leave these options out.",
    );
  }
  const databases = names.map((name) => {
    const table = file.sections.get(name);
    const value = table?.commands.get(command.name())?.get("db") ?? table?.keys.get("db");
    const named = table?.keys.get("db-env");
    const option = command.options.find(({ long }) => long === "--db") as Option;
    if (typeof value === "string") return { name, database: databasePath(typedValue(option, value, file.path), {}) };
    if (named !== undefined) return { name, database: databasePath(readVariable("db-env", named), {}) };
    throw fault(file.path, `[${name}] names no database. With several networks each needs its own: add \`db = "${name}.db"\``);
  });
  const twice = databases.find(({ database }, index) => databases.findIndex((other) => other.database === database) < index);
  if (twice !== undefined)
    throw fault(file.path, `[${twice.name}] names a database that another section names too; a database holds one chain`);
  return databases;
}
