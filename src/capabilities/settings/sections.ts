import { statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { Command, Option } from "commander";
import { suggestNames } from "../../core/base/names.ts";
import { printable } from "../../core/base/printable.ts";
import { databasePath } from "../../core/cli/config.ts";
import type { SectionDatabase, SettingValue } from "../../core/cli/settings.ts";
import { ConfigError } from "../../core/errors.ts";
import { type NetworkName, networks } from "../../core/node/networks.ts";
import { typedValue } from "./option-values.ts";
import { fault, hint, type SettingsFile } from "./settings-file.ts";

/**
 * The sections for a command line: one (none where the file has none), or several that are taken one after the other.
 * @throws ConfigError when there is no such section, or several for a command that takes one, and none was named
 */
export function chooseSections(
  file: SettingsFile,
  flags: { readonly section?: string; readonly network?: string },
  canTakeEach: boolean,
): readonly string[] {
  const { path, sections: names } = file;
  const list = names.map((name) => `\`${name}\``).join(", ");
  if (flags.section !== undefined) {
    if (names.includes(flags.section)) return [flags.section];
    const near = hint(suggestNames(flags.section, names)) || `; it has ${list || "none"}`;
    throw fault(path, `it has no section \`${printable(flags.section, 60)}\`${near}`);
  }
  if (flags.network !== undefined && names.length > 0) {
    const fitting = names.filter((name) => (ownKey(file, name, "network") ?? name) === flags.network);
    if (fitting.length === 1) return fitting;
    const found = fitting.length === 0 ? "no section" : "several sections";
    throw fault(path, `it has ${found} for the network \`${flags.network}\`; choose with --section: ${list}`);
  }
  if (names.length <= 1 || canTakeEach) return names;
  throw fault(path, `it has several sections; name one with --section: ${list}`);
}

/** The public network that a section is named like; undefined where it names a node itself. */
export function networkOfSection(file: SettingsFile, name: string): NetworkName | undefined {
  const namesNode = ["rpc", "rpc-env", "network"].some((key) => ownKey(file, name, key) !== undefined);
  return !namesNode && Object.hasOwn(networks, name) ? (name as NetworkName) : undefined;
}

/** A key of a section for every command, or for one alone. */
function ownKey({ settings }: SettingsFile, section: string, key: string, command?: string): SettingValue | undefined {
  return settings.find((one) => one.section === section && one.command === command && one.key === key)?.value;
}

/**
 * The database of each section; no two may share one. `findVariable` reads the environment variable that a key names: one that is not
 * set is the complaint of the section's own run.
 * @throws ConfigError when a section names none, two name the same, or the command line names one for all
 */
export function sectionDatabases(
  file: SettingsFile,
  command: Command,
  findVariable: (value: SettingValue) => string | undefined,
): SectionDatabase[] {
  if (["db", "rpc"].some((name) => command.getOptionValueSource(name) === "cli")) {
    throw new ConfigError(
      "--db and --rpc are for one network, and the settings file has several. Name one with --section, or leave these options out.",
    );
  }
  const option = command.options.find(({ long }) => long === "--db") as Option;
  const databases = file.sections.map((name) => {
    const value = ownKey(file, name, "db", command.name()) ?? ownKey(file, name, "db");
    if (typeof value === "string") return { name, database: databasePath(typedValue(option, value, file.path), {}) };
    const named = ownKey(file, name, "db-env");
    if (named === undefined)
      throw fault(file.path, `[${name}] names no database. With several networks each needs its own: add \`db = "${name}.db"\``);
    const held = findVariable(named);
    return { name, database: held === undefined ? `$${named}` : databasePath(held, {}) };
  });
  const twice = databases.find(({ database }, index) => databases.findIndex((other) => other.database === database) < index);
  if (twice !== undefined)
    throw fault(file.path, `[${twice.name}] names a database that another section names too; a database holds one chain`);
  refuseShared(file, command.opts());
  return databases;
}

/** @throws ConfigError where the nights of two sections would write one file, so that the second takes away what the first wrote */
function refuseShared({ path, sections, settings }: SettingsFile, typed: Readonly<Record<string, unknown>>): void {
  for (const key of ["report", "backup"]) {
    const files = sections.flatMap((name) => {
      const inForce = settings.filter(({ section = name, command = "night" }) => section === name && command === "night");
      const find = (key: string) => typed[key] ?? inForce.findLast((one) => one.key === key)?.value;
      // A week's run writes neither.
      const given = String((find("weekly") !== true && find(key)) || "/");
      const file = resolve(dirname(path), given);
      // A directory has a file of each, and a device keeps nothing.
      const isFile = !given.endsWith("/") && statSync(file, { throwIfNoEntry: false })?.isFile() !== false;
      return isFile && !(key === "backup" && find("keep") !== undefined) ? [file] : [];
    });
    if (new Set(files).size === files.length) continue;
    throw fault(
      path,
      `two sections name one file as their \`${key}\`, and the second would take away what the first wrote; name one for each`,
    );
  }
}
