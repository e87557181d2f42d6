/** What may stand behind a key. */
export type SettingValue = string | number | bigint | boolean | readonly (string | number | bigint)[];

/** Keys with their values, as a table of the file has them. */
export type SettingKeys = ReadonlyMap<string, SettingValue>;
