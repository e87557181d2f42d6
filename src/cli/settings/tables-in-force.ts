import { placeName, type SettingKeys, type SettingsFile } from "./settings-file.ts";

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
