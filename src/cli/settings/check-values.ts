import type { Option } from "commander";
import { keysOf, type SettingKeys, setOption, typedValue } from "./option-values.ts";
import { readNamedPlace } from "./places.ts";
import { placeName, type SettingsFile } from "./settings-file.ts";

/**
 * Checks every value of a file against every command that would take it, so that a slip shows at once and not in the night's
 * third step. @throws ConfigError
 */
export function checkValues(file: SettingsFile, optionsByCommand: ReadonlyMap<string, readonly Option[]>): void {
  for (const [section, table] of [[undefined, file.common] as const, ...file.sections]) {
    const check = (keys: SettingKeys, command: string): void => {
      const options = optionsByCommand.get(command) ?? [];
      const known = keysOf(options);
      for (const option of options) {
        const key = option.long?.slice(2) ?? "";
        const value = keys.get(key);
        if (value === undefined || !known.has(key)) continue;
        setOption(undefined, option, value, (part) => typedValue(option, part, file.path), placeName(file.path, section));
      }
    };
    for (const [name, keys] of table.places)
      readNamedPlace(name, keys, { file: file.path, place: placeName(file.path, section, `tell.${name}`), readVariable: () => "" });
    for (const command of optionsByCommand.keys()) {
      check(table.keys, command);
      const own = table.commands.get(command);
      if (own !== undefined) check(own, command);
    }
  }
}
