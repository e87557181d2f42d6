import type { Option } from "commander";
import { isRetiredFormat } from "../options/retired.ts";
import { keysOf, setOption } from "./option-values.ts";
import { readNamedPlace } from "./places.ts";
import { placeName, type SettingsFile } from "./settings-file.ts";

/**
 * Checks every value of a file against every command that would take it, so that a slip shows at once and not in the night's
 * third step. A format that went is left to its own command, and costs no night. @throws ConfigError
 */
export function checkValues({ path, tables }: SettingsFile, optionsByCommand: ReadonlyMap<string, readonly Option[]>): void {
  for (const table of tables) {
    const { section, command, keys } = table;
    if (table.receiver !== undefined) readNamedPlace(table, path, () => "");
    else {
      const options = command === undefined ? [...optionsByCommand.values()].flat() : (optionsByCommand.get(command) ?? []);
      const known = keysOf(options);
      for (const option of options) {
        const key = option.long?.slice(2) ?? "";
        const value = keys.get(key);
        if (value === undefined || (key === "format" && isRetiredFormat(value))) continue;
        if (known.has(key)) setOption(undefined, option, value, { file: path, place: placeName(path, section) });
      }
    }
  }
}
