import type { Command, Option } from "commander";
import { printable } from "../../base/printable.ts";
import { suggestNames } from "../../base/similar-names.ts";
import { databasePath } from "../../config.ts";
import { ConfigError } from "../../errors.ts";
import { type NetworkName, networks } from "../../node/networks.ts";
import { type SettingKeys, type SettingValue, typedValue } from "./option-values.ts";
import { fault, type SettingsFile } from "./settings-file.ts";

/**
 * The sections for a command line: one (none where the file has none), or several that are taken one after the other.
 * @throws ConfigError when there is no such section, or several for a command that takes one, and none was named
 */
export function chooseSections(
  file: SettingsFile,
  flags: { readonly section?: string; readonly network?: string },
  canTakeEach: boolean,
): readonly string[] {
  const { sections: names } = file;
  if (flags.section !== undefined) return [requireSection(file, flags.section)];
  if (flags.network !== undefined && names.length > 0) {
    const fitting = names.filter((name) => (sectionKeys(file, name)?.get("network") ?? name) === flags.network);
    if (fitting.length === 1) return fitting;
    throw fault(
      file.path,
      `it has ${fitting.length === 0 ? "no section" : "several sections"} for the network \`${flags.network}\`; choose with --section: ${list(names)}`,
    );
  }
  if (names.length <= 1 || canTakeEach) return names;
  throw fault(file.path, `it has several sections; name one with --section: ${list(names)}`);
}

/** The public network that a section is named like; undefined where it names a node itself. */
export function networkOfSection(file: SettingsFile, name: string): NetworkName | undefined {
  const keys = sectionKeys(file, name);
  const namesNode = ["rpc", "rpc-env", "network"].some((key) => keys?.has(key));
  return !namesNode && Object.hasOwn(networks, name) ? (name as NetworkName) : undefined;
}

function requireSection(file: SettingsFile, name: string): string {
  if (file.sections.includes(name)) return name;
  const near = suggestNames(name, file.sections);
  throw fault(file.path, `it has no section \`${printable(name, 60)}\`${near ? `.${near}` : `; it has ${list(file.sections) || "none"}`}`);
}

/** The keys of a section for every command, or for one alone. */
function sectionKeys({ tables }: SettingsFile, name: string, command?: string): SettingKeys | undefined {
  return tables.find((table) => table.section === name && table.command === command && table.receiver === undefined)?.keys;
}

function list(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(", ");
}

export type SectionDatabase = { readonly name: string; readonly database: string };

/**
 * The database of each section; no two may share one. `readVariable` reads the environment variable that a key names.
 * @throws ConfigError when a section names none, two name the same, or the command line names one for all
 */
export function sectionDatabases(
  file: SettingsFile,
  command: Command,
  readVariable: (key: string, value: SettingValue) => string,
): SectionDatabase[] {
  if (command.getOptionValueSource("db") === "cli" || command.getOptionValueSource("rpc") === "cli") {
    throw new ConfigError(
      "--db and --rpc are for one network, and the settings file has several. Name one with --section, or leave these options out.",
    );
  }
  const databases = file.sections.map((name) => {
    const keys = sectionKeys(file, name);
    const value = sectionKeys(file, name, command.name())?.get("db") ?? keys?.get("db");
    const named = keys?.get("db-env");
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
