import { readFileSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { Command, Option } from "commander";
import { systemReason } from "../../core/base/files.ts";
import { suggestNames } from "../../core/base/names.ts";
import { printable } from "../../core/base/printable.ts";
import { databasePath } from "../../core/cli/config.ts";
import { isRefusedKey, retiredCommand } from "../../core/cli/options/retired.ts";
import type { SectionDatabase, SettingValue } from "../../core/cli/settings.ts";
import { ConfigError } from "../../core/errors.ts";
import { type NetworkName, networks } from "../../core/node/networks.ts";
import {
  EXTRA_KEYS,
  isSecretKey,
  type KnownCommands,
  placeKeys,
  type SettingKeys,
  type SettingsTable,
  typedValue,
} from "./option-values.ts";

/** A settings file. Its tables stand in an order in which later ones override earlier ones: the head first, a command's own last. */
export type SettingsFile = {
  readonly path: string;
  readonly sections: readonly string[];
  readonly tables: readonly SettingsTable[];
  /** What is said of tables and keys that went. They are left out. */
  readonly retired: readonly string[];
  /** What is wrong with it. Tables and keys at fault are left out: the others may say who is to be told. */
  readonly faults: readonly ConfigError[];
};

/** A file that a person keeps has some hundred lines. */
const FILE_SIZE_MAX = 1024 * 1024;
const SECTION_NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;

/** Reads a settings file and checks the names in it. @throws ConfigError if it cannot be read, or is no TOML */
export async function readSettingsFile(path: string, known: KnownCommands): Promise<SettingsFile> {
  return parseSettings(await parseToml(path, readText(path)), path, known);
}

function readText(path: string): string {
  try {
    const { size } = statSync(path);
    if (size > FILE_SIZE_MAX) throw fault(path, `it has ${size} bytes, and no settings file has more than ${FILE_SIZE_MAX}`);
    return readFileSync(path, "utf8");
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    throw fault(path, `it could not be read: ${systemReason(error)}. \`movedex init\` writes one`, error);
  }
}

async function parseToml(path: string, text: string): Promise<Readonly<Record<string, unknown>>> {
  const { parse, TomlError } = await import("smol-toml");
  try {
    return parse(text, { integersAsBigInt: "asNeeded", maxDepth: 8 });
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const message = printable((error.message.split("\n")[0] as string).replace(/^Invalid TOML document: /, ""), 200);
    throw fault(path, `line ${error.line}, column ${error.column}: ${message}`, error);
  }
}

function parseSettings(document: Readonly<Record<string, unknown>>, path: string, known: KnownCommands): SettingsFile {
  const head: Record<string, unknown> = {};
  const sections: string[] = [];
  const tables: SettingsTable[] = [];
  const context: Omit<TableContext, "section"> = { path, known, retired: [], faults: [] };
  for (const [name, value] of Object.entries(document)) {
    if (!isTable(value) || known.has(name) || retiredCommand(name) !== undefined) head[name] = value;
    else if (!SECTION_NAME.test(name))
      context.faults.push(fault(path, `a section's name has letters, digits, \`-\` and \`_\`, which \`${printable(name, 60)}\` has not`));
    else {
      sections.push(name);
      tables.push(...readTables(value, { ...context, section: name }));
    }
  }
  const { retired, faults } = context;
  return { path, sections, tables: [...readTables(head, { ...context, section: undefined }), ...tables], retired, faults };
}

type TableContext = {
  readonly path: string;
  readonly section: string | undefined;
  readonly known: KnownCommands;
  readonly retired: string[];
  readonly faults: ConfigError[];
};

/** The table of the head or of a section, then those inside it. */
function readTables(table: Readonly<Record<string, unknown>>, context: TableContext): SettingsTable[] {
  const { path, section, known, retired, faults } = context;
  const plain: Record<string, unknown> = {};
  const inside: SettingsTable[] = [];
  for (const [name, value] of Object.entries(table)) {
    const own = known.get(name);
    if (!isTable(value)) plain[name] = value;
    else if (own === undefined && retiredCommand(name) !== undefined)
      retired.push(`${placeName(path, section, name)}: the command \`${name}\` is gone: ${retiredCommand(name)}.`);
    else if (own === undefined) {
      const near = suggestNames(name, known.keys());
      const words = `${tableWords(section)}holds a table \`${printable(name, 60)}\`, and movedex has no such command`;
      faults.push(fault(path, `${words}${near && `.${near}`}`));
    } else {
      const rest: Record<string, unknown> = {};
      for (const [key, part] of Object.entries(value)) {
        if (own.ofTables.length === 0 || !isTable(part)) rest[key] = part;
        else if (!SECTION_NAME.test(key))
          faults.push(fault(path, `a place's name has letters, digits, \`-\` and \`_\`, which \`${printable(key, 60)}\` has not`));
        else inside.push(readTable(part, placeKeys(own.ofTables), context, name, key));
      }
      inside.push(readTable(rest, own.keys, context, name));
    }
  }
  const all = [...known.values()].flatMap(({ keys }) => [...keys]);
  return [readTable(plain, new Set([...all, ...EXTRA_KEYS]), context), ...inside];
}

function readTable(
  table: Readonly<Record<string, unknown>>,
  allowed: ReadonlySet<string>,
  { path, section, known, retired, faults }: TableContext,
  command?: string,
  receiver?: string,
): SettingsTable {
  const words = tableWords(section, command, receiver);
  const keys = new Map<string, SettingValue>();
  for (const [name, value] of Object.entries(table)) {
    const shown = `\`${printable(name, 60)}\``;
    if (isSecretKey(name)) {
      const named = allowed.has(`${name}-env`) ? "" : ` in ${commonTable(section)}`;
      const instead = `write \`${name}-env = "NAME"\`${named}, and set the environment variable NAME`;
      faults.push(fault(path, `${words}holds ${shown}. Secrets do not belong in a file: ${instead}`));
    } else if (!allowed.has(name) && receiver === undefined && isRefusedKey(name, command))
      retired.push(`${placeName(path, section, command)}: the key ${shown} is gone; the changelog says what to use.`);
    else if (!allowed.has(name)) faults.push(fault(path, `${words}has an unknown key ${shown}.${whereTo(name, allowed, known, section)}`));
    else if (!isValue(value))
      faults.push(fault(path, `${words}, ${shown}: wanted text, a number, true, false or a list of texts and numbers`));
    else keys.set(name, value);
  }
  return { section, command, receiver, keys, place: placeName(path, section, command, receiver) };
}

/** The nearest keys; for a key that stands in the wrong command's table, the commands that have it. */
function whereTo(name: string, allowed: ReadonlySet<string>, known: KnownCommands, section: string | undefined): string {
  const others = [...known].filter(([, { keys }]) => keys.has(name)).map(([command]) => `\`${command}\``);
  if (others.length > 0) return ` It belongs to ${others.join(", ")}`;
  if (EXTRA_KEYS.includes(name)) return ` It belongs in ${commonTable(section)}, for all commands`;
  // What a secret is called is refused as well.
  const names = [...allowed].filter((key) => !isSecretKey(key));
  return suggestNames(name, names) || " Keys are the long options without their dashes: `movedex night --help` lists them";
}

/** How messages and `doctor` name a table of the file. */
export function placeName(path: string, ...names: readonly (string | undefined)[]): string {
  const table = names.filter((name) => name !== undefined).join(".");
  return table === "" ? printable(path) : `${printable(path)}, [${table}]`;
}

function tableWords(...names: readonly (string | undefined)[]): string {
  const table = names.filter((name) => name !== undefined).join(".");
  return table === "" ? "its head " : `[${table}] `;
}

/** Where keys stand that are not of one command alone. */
function commonTable(section: string | undefined): string {
  return section === undefined ? "the file's head" : `[${section}]`;
}

function isTable(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

function isValue(value: unknown): value is SettingValue {
  const isPlain = (part: unknown): boolean => ["string", "number", "bigint"].includes(typeof part);
  return typeof value === "boolean" || isPlain(value) || (Array.isArray(value) && value.length > 0 && value.every(isPlain));
}

/** A complaint about a settings file; a sentence without its full stop. */
export function fault(path: string, message: string, cause?: unknown): ConfigError {
  return new ConfigError(`the settings file \`${printable(path)}\`: ${message}${message.endsWith("?") ? "" : "."}`, {
    facts: { path },
    ...(cause === undefined ? {} : { cause }),
  });
}

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
    const held = named === undefined ? undefined : findVariable(named);
    if (named !== undefined) return { name, database: held === undefined ? `$${named}` : databasePath(held, {}) };
    throw fault(file.path, `[${name}] names no database. With several networks each needs its own: add \`db = "${name}.db"\``);
  });
  const twice = databases.find(({ database }, index) => databases.findIndex((other) => other.database === database) < index);
  if (twice !== undefined)
    throw fault(file.path, `[${twice.name}] names a database that another section names too; a database holds one chain`);
  refuseShared(file, command.opts());
  return databases;
}

/** @throws ConfigError where the nights of two sections would write one file, so that the second takes away what the first wrote */
function refuseShared({ path, sections, tables }: SettingsFile, typed: Readonly<Record<string, unknown>>): void {
  for (const key of ["report", "backup"]) {
    const files = sections.flatMap((name) => {
      const inForce = tables.filter(({ section = name, command = "night" }) => section === name && command === "night");
      const find = (key: string) => typed[key] ?? inForce.findLast(({ keys }) => keys.has(key))?.keys.get(key);
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
