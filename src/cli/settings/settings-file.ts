import { readFileSync, statSync } from "node:fs";
import { printable } from "../../base/printable.ts";
import { didYouMean, nearestNames } from "../../base/similar-names.ts";
import { ConfigError } from "../../errors.ts";
import type { SettingKeys, SettingValue } from "./option-values.ts";
import { placeKeys } from "./places.ts";
import { EXTRA_KEYS, isSecretKey } from "./secrets.ts";

/** A part of the file: keys for every command, and keys for one command alone. */
export type SettingsTable = {
  readonly keys: SettingKeys;
  readonly commands: ReadonlyMap<string, SettingKeys>;
  /** The places where alerts are told, by name: `[tell.team]`. */
  readonly places: ReadonlyMap<string, SettingKeys>;
};

/** A settings file: what holds for every network, and a section for each network. */
export type SettingsFile = {
  readonly path: string;
  readonly common: SettingsTable;
  readonly sections: ReadonlyMap<string, SettingsTable>;
};

/** The long options, without their dashes, that each command has: what a file may hold. */
export type KeysByCommand = ReadonlyMap<string, ReadonlySet<string>>;

/** A file that a person keeps has some hundred lines. */
const FILE_SIZE_MAX = 1024 * 1024;
/** The command whose tables inside are named places. */
const PLACES = "tell";
const SECTION_NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;

/** Reads a settings file and checks all of it. @throws ConfigError naming the file, the section and the key */
export async function readSettingsFile(path: string, known: KeysByCommand): Promise<SettingsFile> {
  return parseSettings(await parseToml(path, readText(path)), path, known);
}

function readText(path: string): string {
  try {
    const { size } = statSync(path);
    if (size > FILE_SIZE_MAX) throw fault(path, `it has ${size} bytes, and no settings file has more than ${FILE_SIZE_MAX}`);
    return readFileSync(path, "utf8");
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    const reason = (error as NodeJS.ErrnoException).code ?? "unknown error";
    throw fault(path, `it could not be read (${reason}). \`movedex init\` writes one`, error);
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

function parseSettings(document: Readonly<Record<string, unknown>>, path: string, known: KeysByCommand): SettingsFile {
  const sections = new Map<string, SettingsTable>();
  const common: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(document)) {
    if (!isTable(value) || known.has(name)) common[name] = value;
    else if (!SECTION_NAME.test(name))
      throw fault(path, `a section's name has letters, digits, \`-\` and \`_\`, which \`${printable(name, 60)}\` has not`);
    else sections.set(name, readTable(value, { path, section: name, known }));
  }
  return { path, common: readTable(common, { path, section: undefined, known }), sections };
}

type Place = { readonly path: string; readonly section: string | undefined; readonly known: KeysByCommand };

function readTable(table: Readonly<Record<string, unknown>>, place: Place): SettingsTable {
  const all = new Set([...place.known.values()].flatMap((keys) => [...keys]));
  const keys: Record<string, unknown> = {};
  const commands = new Map<string, SettingKeys>();
  const places = new Map<string, SettingKeys>();
  for (const [name, value] of Object.entries(table)) {
    const own = place.known.get(name);
    if (isTable(value) && own !== undefined) {
      const parts = name === PLACES ? Object.entries(value).filter(([, part]) => isTable(part)) : [];
      for (const [part, keys] of parts) places.set(part, readPlaceKeys(part, keys as object, place));
      const rest = Object.fromEntries(Object.entries(value).filter(([key]) => !parts.some(([part]) => part === key)));
      commands.set(name, readKeys(rest, own, { ...place, command: name }));
    } else if (isTable(value)) {
      const near = didYouMean(nearestNames(name, place.known.keys()));
      throw fault(
        place.path,
        `${sectionWords(place)}holds a table \`${printable(name, 60)}\`, and movedex has no such command${near && `.${near}`}`,
      );
    } else keys[name] = value;
  }
  return { keys: readKeys(keys, all, place), commands, places };
}

function readPlaceKeys(name: string, table: object, place: Place): SettingKeys {
  if (!SECTION_NAME.test(name))
    throw fault(place.path, `a place's name has letters, digits, \`-\` and \`_\`, which \`${printable(name, 60)}\` has not`);
  return readKeys({ ...table }, placeKeys, { ...place, command: `${PLACES}.${name}` });
}

function readKeys(
  table: Readonly<Record<string, unknown>>,
  known: ReadonlySet<string>,
  place: Place & { readonly command?: string },
): SettingKeys {
  const allowed = place.command === undefined ? new Set([...known, ...EXTRA_KEYS]) : known;
  const keys = new Map<string, SettingValue>();
  for (const [name, value] of Object.entries(table)) {
    const shown = `\`${printable(name, 60)}\``;
    if (isSecretKey(name)) {
      throw fault(
        place.path,
        `${sectionWords(place)}holds ${shown}. Secrets do not belong in a file: write \`${name}-env = "NAME"\`, and set the environment variable NAME`,
      );
    }
    if (!allowed.has(name))
      throw fault(place.path, `${sectionWords(place)}has an unknown key ${shown}.${whereTo(name, allowed, place.known)}`);
    if (!isValue(value))
      throw fault(place.path, `${sectionWords(place)}, ${shown}: wanted text, a number, true, false or a list of texts and numbers`);
    keys.set(name, value);
  }
  return keys;
}

/** The nearest keys; for a key that stands in the wrong command's table, the commands that have it. */
function whereTo(name: string, allowed: ReadonlySet<string>, known: KeysByCommand): string {
  const others = [...known].filter(([, keys]) => keys.has(name)).map(([command]) => `\`${command}\``);
  if (others.length > 0) return ` It belongs to ${others.join(", ")}`;
  return didYouMean(nearestNames(name, allowed)) || " Keys are the long options without their dashes: `movedex night --help` lists them";
}

/** How messages and `doctor` name a place of the file. */
export function placeName(path: string, section: string | undefined, command?: string): string {
  const table = [section, command].filter((part) => part !== undefined).join(".");
  return table === "" ? printable(path) : `${printable(path)}, [${table}]`;
}

function sectionWords({ section, command }: { readonly section: string | undefined; readonly command?: string }): string {
  const table = [section, command].filter((part) => part !== undefined).join(".");
  return table === "" ? "its head " : `[${table}] `;
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

/** A table of a settings file that applies to a command: its keys, its place, and whether it is the command's own. */
export type TableInForce = readonly [keys: SettingKeys, place: string, isOwn: boolean];

/** The tables that apply to a command in a section; later ones override earlier ones. */
export function tablesInForce(file: SettingsFile, sectionName: string | undefined, command: string): TableInForce[] {
  const section = sectionName === undefined ? undefined : file.sections.get(sectionName);
  const own = (keys: SettingKeys | undefined, name: string | undefined): TableInForce[] =>
    keys === undefined ? [] : [[keys, placeName(file.path, name, command), true]];
  return [
    [file.common.keys, placeName(file.path, undefined), false],
    ...own(file.common.commands.get(command), undefined),
    ...(section === undefined ? [] : [[section.keys, placeName(file.path, sectionName), false] as const]),
    ...own(section?.commands.get(command), sectionName),
  ];
}
