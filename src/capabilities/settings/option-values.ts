import { dirname, resolve } from "node:path";
import { Command, InvalidArgumentError, type Option } from "commander";
import { printable } from "../../core/base/printable.ts";
import { DeclaredCommand } from "../../core/cli/options/declared-command.ts";
import { retiredReceiverKeys } from "../../core/cli/options/retired.ts";
import type { NamedPlace, SettingValue } from "../../core/cli/settings.ts";
import { holdsPassword } from "../../core/db/engine/place.ts";
import { ConfigError } from "../../core/errors.ts";
import { parseBaseUrl } from "../../core/node/http/base-url.ts";

/** The options `--config` and `--section` themselves, and what is no setting. */
const NOT_IN_FILE = new Set(["config", "section", "help", "version"]);

export function keysOf(options: readonly Option[]): Set<string> {
  return new Set(options.map((option) => option.name()).filter((key) => !NOT_IN_FILE.has(key)));
}

/** The options of a command and of those below it, and of each table inside its own. */
type KnownCommand = { readonly options: readonly Option[]; readonly keys: ReadonlySet<string>; readonly ofTables: readonly Option[] };

export type KnownCommands = ReadonlyMap<string, KnownCommand>;

export function knownCommands(program: Command): KnownCommands {
  const known = program.commands.map((command): [string, KnownCommand] => {
    const options = [command, ...command.commands].flatMap((one) => one.options);
    return [command.name(), { options, keys: keysOf(options), ofTables: command instanceof DeclaredCommand ? command.ofTables : [] }];
  });
  return new Map(known);
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

/** Where a value is from: the file, and the table as messages name it. */
type ValuePlace = { readonly file: string; readonly place: string; readonly isFromEnvironment?: boolean };

/**
 * Sets an option from a settings file as if the value had been typed; without a command it only checks the value.
 * @throws ConfigError naming the place, the key and what was wanted
 */
export function setOption(command: Command | undefined, option: Option, value: SettingValue, of: ValuePlace): void {
  const key = option.name();
  const refuse = (words: string): never => {
    throw new ConfigError(`${of.place}, \`${key}\`: ${words.replace(/\.$/, "")}.`, { facts: { key } });
  };
  const takesValue = option.required || option.optional;
  const mayLackValue = option.optional && value === true;
  if (!mayLackValue && takesValue !== (typeof value !== "boolean"))
    refuse(takesValue ? "give a value instead of true or false" : "give true or false");
  const parts = typeof value === "boolean" ? [] : [value].flat();
  let parsed: unknown = parts.length === 0 ? value : undefined;
  for (const part of parts) {
    const secret = typeof part === "string" && !of.isFromEnvironment ? secretIn(key, part) : undefined;
    if (secret !== undefined)
      refuse(
        `the address holds ${secret}, which does not belong in a file. Write \`${key}-env = "NAME"\` and set the environment variable NAME`,
      );
    const text = typedValue(option, part, of.file);
    try {
      if (option.parseArg !== undefined) parsed = option.parseArg(text, parsed);
      else parsed = option.variadic ? [...((parsed as string[] | undefined) ?? []), text] : text;
    } catch (error) {
      if (!(error instanceof InvalidArgumentError)) throw error;
      refuse(`\`${printable(text, 60)}\` is invalid. ${error.message}`);
    }
  }
  if (parts.length > 1 && !Array.isArray(parsed)) refuse("give one value, not a list");
  command?.setOptionValueWithSource(option.attributeName(), parsed, "config");
}

/** Keys of a settings file that name an environment variable, and the option, or variable of movedex itself, that they stand for.
 * A retired one is still taken, and its variable still kept from programs. */
export const NAMED_SECRETS: ReadonlyMap<string, { readonly variable?: string; readonly option?: string; readonly retired?: string }> =
  new Map([
    ["api-key-env", { variable: "MOVEDEX_API_KEY" }],
    ["basic-auth-env", { variable: "MOVEDEX_BASIC_AUTH" }],
    ["ping-url-env", { option: "ping-url" }],
    ["webhook-env", { variable: "MOVEDEX_WEBHOOK_URL" }],
    ["webhook-secret-env", { variable: "MOVEDEX_WEBHOOK_SECRET" }],
    ["smtp-env", { retired: "MOVEDEX_SMTP_URL" }],
    ["db-env", { option: "db" }],
    ["rpc-env", { option: "rpc" }],
  ]);

/** Keys that no option is called. */
export const EXTRA_KEYS: readonly string[] = [...NAMED_SECRETS.keys(), "contact"];

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

/** The keys that a table such as `[tell.team]` may have. */
export function placeKeys(options: readonly Option[]): ReadonlySet<string> {
  return new Set([...keysOf(options), "webhook-env", "webhook-secret-env", ...retiredReceiverKeys.keys()]);
}

/**
 * Reads such a table, each key as if it had been typed for `tell`. @param readVariable gives what the environment variable holds
 * that a key names @throws ConfigError
 */
export function readNamedPlace<Flags extends object>(
  { name, keys, place }: { readonly name: string; readonly keys: ReadonlyMap<string, SettingValue>; readonly place: string },
  options: readonly Option[],
  file: string,
  readVariable: (key: string, value: SettingValue) => string,
): NamedPlace<Flags> {
  const command = new Command();
  for (const option of options) {
    const value = keys.get(option.name());
    command.addOption(option);
    if (value !== undefined) setOption(command, option, value, { file, place });
  }
  const secret = (key: string) => (keys.has(key) ? readVariable(key, keys.get(key) as SettingValue) : undefined);
  const webhook = secret("webhook-env");
  const retired = [...keys.keys()].filter((key) => retiredReceiverKeys.has(key));
  const flags = { ...command.opts<Flags>(), ...(webhook !== undefined && { webhook }) };
  return { name, flags, webhookSecret: secret("webhook-secret-env"), retired };
}
