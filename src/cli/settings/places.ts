import { DeclaredCommand } from "../options/declared-command.ts";
import { retiredReceiverKeys } from "../options/retired-receivers.ts";
import type { NamedPlace, TellFlags } from "../options/shared-flags.ts";
import { keysOf, type SettingsTable, type SettingValue, setOption } from "./option-values.ts";

const secretKeys = ["webhook-env", "webhook-secret-env"] as const;

/** The keys that a table such as `[tell.team]` may have. Where pages are is the same for all places. */
export const placeKeys: ReadonlySet<string> = new Set(
  [...keysOf(new DeclaredCommand().receivers().options), ...secretKeys, ...retiredReceiverKeys.keys()].filter((key) => key !== "pages-url"),
);

/**
 * Reads such a table, each key as if it had been typed for `tell`. @param readVariable gives what the environment variable holds
 * that a key names @throws ConfigError
 */
export function readNamedPlace(
  { receiver: name = "", keys, place }: SettingsTable,
  file: string,
  readVariable: (key: string, value: SettingValue) => string,
): NamedPlace {
  const command = new DeclaredCommand().receivers();
  for (const option of command.options) {
    const value = keys.get(option.long?.slice(2) ?? "");
    if (value !== undefined) setOption(command, option, value, { file, place });
  }
  const [webhook, webhookSecret] = secretKeys.map((key) => {
    const value = keys.get(key);
    return value === undefined ? undefined : readVariable(key, value);
  });
  const retired = [...keys.keys()].filter((key) => retiredReceiverKeys.has(key));
  return { name, flags: { ...command.opts<TellFlags>(), ...(webhook === undefined ? {} : { webhook }) }, webhookSecret, retired };
}
