import { dirname, resolve } from "node:path";
import { Command, InvalidArgumentError, type Option } from "commander";
import { printable } from "../../core/base/printable.ts";
import { DeclaredCommand } from "../../core/cli/options/declared-command.ts";
import { retiredReceiverKeys } from "../../core/cli/options/retired.ts";
import type { NamedPlace, SettingValue } from "../../core/cli/settings.ts";
import { holdsPassword } from "../../core/db/engine/place.ts";
import { ConfigError } from "../../core/errors.ts";
import { parseBaseUrl } from "../../core/node/http/base-url.ts";

export type SettingKeys = ReadonlyMap<string, SettingValue>;

export type SettingsTable = {
  /** Its section, the name of a network; undefined for the file's head, which holds for all. */
  readonly section: string | undefined;
  /** The command that it is for alone. */
  readonly command: string | undefined;
  /** The receiver of alerts that it describes: `team` of `[tell.team]`. */
  readonly receiver: string | undefined;
  readonly keys: SettingKeys;
  /** The file and the table, as messages and `doctor` name them. */
  readonly place: string;
};

/** The options `--config` and `--section` themselves, and what is no setting. */
const NOT_IN_FILE = new Set(["config", "section", "help", "version"]);

export function keysOf(options: readonly Option[]): Set<string> {
  return new Set(options.map(({ long }) => long?.slice(2) ?? "").filter((key) => !NOT_IN_FILE.has(key)));
}

/** The options of a command and of those below it, and of each table inside its own. */
export type KnownCommand = {
  readonly options: readonly Option[];
  readonly keys: ReadonlySet<string>;
  readonly ofTables: readonly Option[];
};

export type KnownCommands = ReadonlyMap<string, KnownCommand>;

export function knownCommand(command: Command): KnownCommand {
  const options = [command, ...command.commands].flatMap(({ options }) => options);
  return { options, keys: keysOf(options), ofTables: command instanceof DeclaredCommand ? command.ofTables : [] };
}

/** What stands for no file: the streams, no name, and SQLite's name for a database without one, which `readPlace` refuses. */
const NO_PATHS: ReadonlySet<string> = new Set(["-", "", ":memory:"]);

/** A value of a settings file as it would be typed for an option. Relative paths count from the file's directory, not from the job's. */
export function typedValue(option: Option, value: string | number | bigint, file: string): string {
  const text = String(value);
  const isPath = /<(?:file|path|directory)>/.test(option.flags) && !NO_PATHS.has(text.trim()) && !/^[a-z][a-z0-9+.-]+:/i.test(text);
  if (!isPath) return text;
  // A slash at the end names a directory.
  return resolve(dirname(file), text) + (text.endsWith("/") ? "/" : "");
}

/**
 * Sets an option from a settings file as if the value had been typed; without a command it only checks the value.
 * @throws ConfigError naming the place, the key and what was wanted
 */
export function setOption(
  command: Command | undefined,
  option: Option,
  value: SettingValue,
  { file, place, isFromEnvironment = false }: { readonly file: string; readonly place: string; readonly isFromEnvironment?: boolean },
): void {
  const key = option.long?.slice(2) ?? "";
  const refuse = (words: string): ConfigError => new ConfigError(`${place}, \`${key}\`: ${words.replace(/\.$/, "")}.`, { facts: { key } });
  const takesValue = option.required || option.optional;
  const mayLackValue = option.optional && value === true;
  if (!mayLackValue && takesValue !== (typeof value !== "boolean"))
    throw refuse(takesValue ? "give a value instead of true or false" : "give true or false");
  let parsed: unknown = value;
  if (typeof value !== "boolean") {
    const parts = [value].flat();
    for (const [index, part] of parts.entries()) {
      const secret = typeof part === "string" && !isFromEnvironment ? secretIn(key, part) : undefined;
      if (secret !== undefined)
        throw refuse(
          `the address holds ${secret}, which does not belong in a file. Write \`${key}-env = "NAME"\` and set the environment variable NAME`,
        );
      parsed = parse(option, typedValue(option, part, file), index === 0 ? undefined : parsed, refuse);
    }
    if (parts.length > 1 && !Array.isArray(parsed)) throw refuse("give one value, not a list");
  }
  command?.setOptionValueWithSource(option.attributeName(), parsed, "config");
}

function parse(option: Option, text: string, previous: unknown, refuse: (words: string) => ConfigError): unknown {
  if (option.parseArg === undefined) return option.variadic ? [...((previous as string[] | undefined) ?? []), text] : text;
  try {
    return option.parseArg(text, previous);
  } catch (error) {
    if (error instanceof InvalidArgumentError) throw refuse(`\`${printable(text, 60)}\` is invalid. ${error.message}`);
    throw error;
  }
}

/** Keys of a settings file that name an environment variable, and the option, or variable of movedex itself, that they stand for.
 * A retired one is still taken, and its variable still kept from programs. */
export const NAMED_SECRETS = {
  "api-key-env": { variable: "MOVEDEX_API_KEY" },
  "basic-auth-env": { variable: "MOVEDEX_BASIC_AUTH" },
  "ping-url-env": { option: "ping-url" },
  "webhook-env": { variable: "MOVEDEX_WEBHOOK_URL" },
  "webhook-secret-env": { variable: "MOVEDEX_WEBHOOK_SECRET" },
  "smtp-env": { retired: "MOVEDEX_SMTP_URL" },
  "db-env": { option: "db" },
  "rpc-env": { option: "rpc" },
} as const satisfies Readonly<Record<string, { readonly variable: string } | { readonly option: string } | { readonly retired: string }>>;

/** Keys that no option is called. */
export const EXTRA_KEYS: readonly string[] = [...Object.keys(NAMED_SECRETS), "contact"];

/** Whether a key's value would be a secret by itself. A ping's URL is: who knows it can report a night as done. So is a webhook's. */
export function isSecretKey(key: string): boolean {
  return key === "api-key" || key === "ping-url" || key === "webhook" || key === "webhook-secret";
}

/** What is secret in the value of a key that may stand in a file; undefined for nothing. */
function secretIn(key: string, value: string): string | undefined {
  if (key === "db" && holdsPassword(value)) return "a password";
  if (key !== "rpc" || !URL.canParse(value)) return undefined;
  const url = new URL(value);
  if (url.username !== "" || url.password !== "") return "a password";
  return url.search === "" && url.hash === "" && parseBaseUrl(value).secrets.length > 0 ? "what looks like a key" : undefined;
}

const secretKeys = ["webhook-env", "webhook-secret-env"] as const;

/** The keys that a table such as `[tell.team]` may have. */
export function placeKeys(options: readonly Option[]): ReadonlySet<string> {
  return new Set([...keysOf(options), ...secretKeys, ...retiredReceiverKeys.keys()]);
}

/**
 * Reads such a table, each key as if it had been typed for `tell`. @param readVariable gives what the environment variable holds
 * that a key names @throws ConfigError
 */
export function readNamedPlace<Flags extends object>(
  { receiver: name = "", keys, place }: SettingsTable,
  options: readonly Option[],
  file: string,
  readVariable: (key: string, value: SettingValue) => string,
): NamedPlace<Flags> {
  const command = new Command();
  for (const option of options) {
    command.addOption(option);
    const value = keys.get(option.long?.slice(2) ?? "");
    if (value !== undefined) setOption(command, option, value, { file, place });
  }
  const [webhook, webhookSecret] = secretKeys.map((key) => {
    const value = keys.get(key);
    return value === undefined ? undefined : readVariable(key, value);
  });
  const retired = [...keys.keys()].filter((key) => retiredReceiverKeys.has(key));
  return { name, flags: { ...command.opts<Flags>(), ...(webhook === undefined ? {} : { webhook }) }, webhookSecret, retired };
}
