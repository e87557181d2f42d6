export type SettingValue = string | number | bigint | boolean | readonly (string | number | bigint)[];

export type SettingKeys = ReadonlyMap<string, SettingValue>;
