import { readFileSync, statSync } from "node:fs";
import { systemReason } from "../../core/base/files.ts";
import { suggestNames } from "../../core/base/names.ts";
import { printable } from "../../core/base/printable.ts";
import { retiredCommand } from "../../core/cli/options/retired.ts";
import type { SettingValue } from "../../core/cli/settings.ts";
import { ConfigError } from "../../core/errors.ts";
import { EXTRA_KEYS, isSecretKey, type KnownCommands, placeKeys } from "./option-values.ts";

/** A key of a settings file. */
export type Setting = {
  /** Its section, the name of a network; undefined in the file's head, which holds for all. */
  readonly section: string | undefined;
  /** The command that it is for alone. */
  readonly command: string | undefined;
  readonly key: string;
  readonly value: SettingValue;
  /** The file and the table, as messages and `doctor` name them. */
  readonly place: string;
};

/** A table of the file that describes a receiver of alerts: `[tell.team]`. */
export type ReceiverTable = Omit<Setting, "key" | "value"> & { readonly name: string; readonly keys: ReadonlyMap<string, SettingValue> };

/** A settings file. What comes later overrides what comes before: the head comes first, and what is for one command last. */
export type SettingsFile = {
  readonly path: string;
  readonly sections: readonly string[];
  readonly settings: readonly Setting[];
  readonly receivers: readonly ReceiverTable[];
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
  const text = readText(path);
  const { parse, TomlError } = await import("smol-toml");
  try {
    return readTables(parse(text, { integersAsBigInt: "asNeeded", maxDepth: 8 }), path, known);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const message = printable((error.message.split("\n")[0] as string).replace(/^Invalid TOML document: /, ""), 200);
    throw fault(path, `line ${error.line}, column ${error.column}: ${message}`, error);
  }
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

type Table = Readonly<Record<string, unknown>>;

/** Where a table stands; `receiver` is its name as that of one. */
type TableNames = { readonly section?: string | undefined; readonly command?: string | undefined; readonly receiver?: string };

function readTables(document: Table, path: string, known: KnownCommands): SettingsFile {
  const [sections, retired, faults]: [string[], string[], ConfigError[]] = [[], [], []];
  const [settings, receivers]: [Setting[], ReceiverTable[]] = [[], []];
  const ofAll = new Set([...Array.from(known.values(), ({ keys }) => [...keys]).flat(), ...EXTRA_KEYS]);
  const refuse = (words: string): void => void faults.push(fault(path, words));
  const walk = (table: Table, { section, command, receiver }: TableNames): void => {
    const own = command === undefined ? undefined : known.get(command);
    const allowed = own === undefined ? ofAll : receiver === undefined ? own.keys : placeKeys(own.ofTables);
    const hasTables = own === undefined || (own.ofTables.length > 0 && receiver === undefined);
    const of = { section, command, place: placeName(path, section, command, receiver) };
    const keys = new Map<string, SettingValue>();
    for (const [name, value] of Object.entries(table)) {
      const shown = printable(name, 60);
      if (hasTables && isTable(value)) {
        const gone = own === undefined && !known.has(name) ? retiredCommand(name) : undefined;
        if (own === undefined && known.has(name)) walk(value, { section, command: name });
        else if (gone !== undefined) retired.push(`${placeName(path, section, name)}: the command \`${name}\` is gone: ${gone}.`);
        else if (own === undefined && section !== undefined)
          refuse(`[${section}] holds a table \`${shown}\`, and movedex has no such command${hint(suggestNames(name, known.keys()))}`);
        else if (!SECTION_NAME.test(name))
          refuse(`a ${own === undefined ? "section" : "place"}'s name has letters, digits, \`-\` and \`_\`, which \`${shown}\` has not`);
        else if (own !== undefined) walk(value, { section, command, receiver: name });
        else {
          sections.push(name);
          walk(value, { section: name });
        }
      } else if (receiver === undefined && !allowed.has(name) && [name, `${command}.${name}`].some((one) => refusedKeys.has(one)))
        retired.push(`${of.place}: the key \`${shown}\` is gone; the changelog says what to use.`);
      else if (isSecretKey(name) || !allowed.has(name) || !isValue(value)) {
        const names = [section, command, receiver].filter((one) => one !== undefined).join(".");
        refuse(`${names === "" ? "its head " : `[${names}] `}${faultOf(name, shown, { allowed, known, section })}`);
      } else keys.set(name, value);
    }
    if (receiver !== undefined) receivers.push({ ...of, name: receiver, keys });
    else settings.push(...Array.from(keys, ([key, value]): Setting => ({ ...of, key, value })));
  };
  walk(document, {});
  return { path, sections, settings: settings.sort(byRank), receivers: receivers.sort(byRank), retired, faults };
}

/** Wherever they stand in the file, a section overrides the head, and what is for one command alone what is for all. */
function byRank(a: Omit<Setting, "key" | "value">, b: typeof a): number {
  const rank = ({ section, command }: typeof a): number => (section === undefined ? 0 : 2) + (command === undefined ? 0 : 1);
  return rank(a) - rank(b);
}

type Allowed = { readonly allowed: ReadonlySet<string>; readonly known: KnownCommands; readonly section: string | undefined };

/** What is wrong with a key of a table; where it belongs if that is another table. */
function faultOf(name: string, shown: string, { allowed, known, section }: Allowed): string {
  // Where keys stand that are not of one command alone.
  const common = section === undefined ? "the file's head" : `[${section}]`;
  if (isSecretKey(name)) {
    const instead = `write \`${name}-env = "NAME"\`${allowed.has(`${name}-env`) ? "" : ` in ${common}`}, and set the environment variable NAME`;
    return `holds \`${shown}\`. Secrets do not belong in a file: ${instead}`;
  }
  if (allowed.has(name)) return `, \`${shown}\`: wanted text, a number, true, false or a list of texts and numbers`;
  const others = [...known].filter(([, { keys }]) => keys.has(name)).map(([command]) => `\`${command}\``);
  // What a secret is called is refused as well.
  const near = suggestNames(
    name,
    [...allowed].filter((key) => !isSecretKey(key)),
  );
  const where =
    others.length > 0
      ? `It belongs to ${others.join(", ")}`
      : EXTRA_KEYS.includes(name)
        ? `It belongs in ${common}, for all commands`
        : near.trim() || "Keys are the long options without their dashes: `movedex night --help` lists them";
  return `has an unknown key \`${shown}\`. ${where}`;
}

/** A suggestion as a sentence of its own; nothing where there is none. */
export function hint(suggestion: string): string {
  return suggestion && `.${suggestion}`;
}

/** How messages and `doctor` name a table of the file. */
export function placeName(path: string, ...names: readonly (string | undefined)[]): string {
  const table = names.filter((name) => name !== undefined).join(".");
  return table === "" ? printable(path) : `${printable(path)}, [${table}]`;
}

function isTable(value: unknown): value is Table {
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
 * Options that are refused on the command line, since a command would do something else without them. In a settings file, which a night
 * reads too, their keys are named and left out.
 */
const refusedKeys: ReadonlySet<string> = new Set(
  (
    "column label-column never empty stale parked mine no-browser no-data list-rules query.file export.check " +
    "grants datasette dbt json-schema cron systemd kubernetes monitoring"
  ).split(" "),
);
