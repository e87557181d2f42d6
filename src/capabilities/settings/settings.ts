import type { Command, Option } from "commander";
import { readVariable, SECRET_VARIABLES } from "../../core/cli/config.ts";
import type { Io } from "../../core/cli/io.ts";
import { DeclaredCommand } from "../../core/cli/options/declared-command.ts";
import { isRetiredFormat, nameRetired } from "../../core/cli/options/retired.ts";
import type { AppliedSetting, Env, NamedPlace, SectionToRun, SettingsInForce, SettingValue } from "../../core/cli/settings.ts";
import { ConfigError } from "../../core/errors.ts";
import type { ExitName } from "../../core/exit-codes.ts";
import {
  type KnownCommands,
  keysOf,
  knownCommand,
  NAMED_SECRETS,
  readNamedPlace,
  type SettingsTable,
  setOption,
  typedValue,
} from "./option-values.ts";
import {
  chooseSections,
  fault,
  networkOfSection,
  placeName,
  readSettingsFile,
  type SettingsFile,
  sectionDatabases,
} from "./settings-file.ts";

/**
 * Checks every value of a file against every command that would take it, so that a slip shows at once and not in the night's
 * third step. A format that went is left to its own command, and costs no night. @throws ConfigError
 */
function checkValues({ path, tables }: SettingsFile, known: KnownCommands): void {
  for (const table of tables) {
    const { section, command = "", keys } = table;
    const own = known.get(command);
    if (table.receiver !== undefined) readNamedPlace(table, own?.ofTables ?? [], path, () => "");
    else
      for (const { options } of own === undefined ? known.values() : [own])
        for (const option of options) {
          const key = option.long?.slice(2) ?? "";
          const value = keys.get(key);
          if (value !== undefined && !(key === "format" && isRetiredFormat(value)))
            setOption(undefined, option, value, { file: path, place: placeName(path, section) });
        }
  }
}

type SettingsFlags = { readonly config?: string; readonly section?: string; readonly network?: string };

/** Commands that go by a key of another command's table where their own does not have it. */
const FOLLOWED: ReadonlyMap<string, readonly [command: string, key: string]> = new Map([["gaps", ["sync", "retry-gaps"]]]);

/** The settings file of one command line. */
export class Settings implements SettingsInForce {
  readonly argv: readonly string[];
  readonly env: Record<string, string | undefined>;
  applied: readonly AppliedSetting[] = [];
  #sections: readonly SectionToRun[] | undefined;
  #file: SettingsFile | undefined;
  #section: string | undefined;
  #command = "";
  #running: ReadonlySet<string> = new Set();
  #known: KnownCommands = new Map();

  constructor(argv: readonly string[] = [], env: Env = {}) {
    this.argv = argv;
    this.env = { ...env };
  }

  get runsSections(): boolean {
    return this.#sections !== undefined;
  }

  async eachSection(...[line, flags, once]: Parameters<SettingsInForce["eachSection"]>): Promise<ExitName> {
    if (this.#sections === undefined) return await once();
    const { runSections } = await import("./each-section.ts");
    return runSections(line, this.argv, this.#sections, flags);
  }

  addTo(program: Command): void {
    this.#known = new Map(program.commands.map((command) => [command.name(), knownCommand(command)]));
  }

  forOthers(): AppliedSetting[] {
    const found = new Map<string, AppliedSetting>();
    const isApplied = (key: string): boolean => this.#running.has(key) || this.applied.some((setting) => setting.key === key);
    for (const { command, keys, place } of this.#tables()) {
      for (const [name, value] of keys) {
        const key = command === undefined ? name : `${command}.${name}`;
        if (command === undefined ? !isApplied(name) : command !== this.#command) found.set(key, { key, value, place });
      }
    }
    return [...found.values()];
  }

  wordsFor(command: string): string[] {
    const words = new Map<string, string[]>();
    for (const { key, option, value } of this.#settingsOf(command)) {
      const parts = typeof value === "boolean" ? [] : [value].flat();
      const { path } = this.#file as SettingsFile;
      words.set(key, value === true ? [`--${key}`] : parts.flatMap((part) => [`--${key}`, typedValue(option, part, path)]));
    }
    return [...words.values()].flat();
  }

  flagsFor<Flags>(command: Command, io: Pick<Io, "stderr">): Flags {
    for (const { option, value } of this.#settingsOf(command.name()))
      setOption(command, option, value, { file: this.#file?.path ?? "", place: placeName(this.#file?.path ?? "", this.#section) });
    // Not among the words: what a variable holds is no part of a command line.
    for (const [key, value] of this.#tables(command.name()).flatMap(({ keys }) => [...keys]))
      if (key === "ping-url-env" && !this.#running.has("ping-url")) this.#applyKey(command, key, value);
    nameRetired(command, io);
    return command.opts() as Flags;
  }

  /** What the file says of a command that is a step of the running one: what the running one has an option for, only in its own table. */
  #settingsOf(command: string): { readonly key: string; readonly option: Option; readonly value: SettingValue }[] {
    return this.#tables(command).flatMap(({ keys, ...table }) =>
      [...keys].flatMap(([key, value]) => {
        const option = this.#known.get(command)?.options.find(({ long }) => long === `--${key}`);
        return option === undefined || (table.command === undefined && this.#running.has(key)) ? [] : [{ key, option, value }];
      }),
    );
  }

  places<Flags extends object>(): NamedPlace<Flags>[] {
    const file = this.#file;
    if (file === undefined) return [];
    const byName = new Map(this.#inForce().map((table) => [table.receiver, table]));
    byName.delete(undefined);
    const read = (key: string, value: SettingValue) => this.#readVariable(key, value);
    return [...byName.values()].map((table) =>
      readNamedPlace(table, this.#known.get(table.command ?? "")?.ofTables ?? [], file.path, read),
    );
  }

  fileWords(): string[] {
    if (this.#file === undefined) return [];
    return ["--config", this.#file.path, ...(this.#section === undefined ? [] : ["--section", this.#section])];
  }

  async apply(command: Command): Promise<void> {
    try {
      await this.#apply(command);
    } catch (error) {
      this.#applyReadable(command);
      throw error;
    }
  }

  /** Sets what can be set of a file that is refused, so that those are told whom it names. A database that is not known has no name. */
  #applyReadable(command: Command): void {
    const { section } = command.opts<SettingsFlags>();
    const { sections = [] } = this.#file ?? {};
    this.#section ??= sections.find((name, _, { length }) => length === 1 || name === section);
    // Metrics bear no name that is no section's.
    if (this.#file !== undefined && this.#section === undefined) command.setOptionValue("section", undefined);
    // What is refused of all sections together, each is told of.
    if (this.#section === undefined && sections.length > 0) {
      const urls = new Set(sections.flatMap((name) => this.#pingUrlOf(name, command) ?? []));
      if (urls.size > 0) command.setOptionValue("pingUrls", [...urls]);
    }
    const keys = this.#tables(command.name()).flatMap((table) => [...table.keys]);
    for (const [key, value] of keys) {
      try {
        this.#applyKey(command, key, value);
      } catch (error) {
        // The first fault is told.
        if (!(error instanceof ConfigError)) throw error;
      }
    }
    const isRead = this.#file !== undefined && (sections.length === 0 || this.#section !== undefined);
    const source = command.getOptionValueSource("db");
    const isKnown = source === "cli" || (isRead && (source !== undefined || keys.every(([key]) => key !== "db-env")));
    if (!isKnown) command.setOptionValue("db", "");
  }

  async #apply(command: Command): Promise<void> {
    const flags = command.opts<SettingsFlags>();
    if (flags.config === undefined) {
      if (flags.section !== undefined) throw new ConfigError("--section names a section of a settings file: give --config FILE as well.");
      return;
    }
    const file = await readSettingsFile(flags.config, this.#known);
    this.#file = file;
    this.env[SECRET_VARIABLES] = secretVariables(file).join(",");
    for (const line of file.retired) command.configureOutput().writeErr?.(`movedex: ${line}\n`);
    const isWatched = command.options.some(({ long }) => long === "--ping-url");
    const takesEach = command instanceof DeclaredCommand && command.takesSections;
    // Where each section runs by itself, each tells that the file is refused.
    const runsEach = isWatched && takesEach && file.sections.length > 1 && (flags.section ?? flags.network) === undefined;
    if (!runsEach) {
      for (const fault of file.faults) throw fault;
      checkValues(file, this.#known);
    }
    const top = command.parent?.parent ? (command.parent.name() as string) : command.name();
    const [section, ...others] = chooseSections(file, flags, takesEach);
    if (others.length > 0) {
      const databases = sectionDatabases(file, command, (value) => this.#findVariable(value));
      this.#sections = databases.map((section) => ({ ...section, pingUrl: this.#pingUrlOf(section.name, command) }));
      return;
    }
    this.#section = section;
    this.#command = top;
    this.#running = keysOf(command.options);
    // A key or password of one network must not be sent to another.
    if (file.sections.length > 1) for (const name of ["MOVEDEX_API_KEY", "MOVEDEX_BASIC_AUTH"]) delete this.env[name];
    const applied = new Map<string, AppliedSetting>();
    for (const { keys, place } of this.#tables(top)) {
      for (const [key, value] of keys) if (this.#applyKey(command, key, value)) applied.set(key, { key, value, place });
    }
    const network = section === undefined ? undefined : networkOfSection(file, section);
    if (network !== undefined && this.#applyKey(command, "network", network))
      applied.set("network", { key: "network", value: network, place: `${placeName(file.path, section)} by its name` });
    this.applied = [...applied.values()];
  }

  #inForce(section = this.#section): SettingsTable[] {
    return (this.#file?.tables ?? []).filter((table) => table.section === undefined || table.section === section);
  }

  /** The tables in force of all commands, or those that apply to one. */
  #tables(command?: string, section = this.#section): SettingsTable[] {
    const isFor = (table: SettingsTable): boolean => command === undefined || table.command === undefined || table.command === command;
    const tables = this.#inForce(section).filter((table) => table.receiver === undefined);
    const [leader, key = ""] = FOLLOWED.get(command ?? "") ?? [];
    const isOwn = tables.some((table) => table.command === command && table.keys.has(key));
    return tables.flatMap((table) => {
      if (isFor(table)) return [table];
      const value = table.command === leader && !isOwn ? table.keys.get(key) : undefined;
      return value === undefined ? [] : [{ ...table, keys: new Map([[key, value]]) }];
    });
  }

  /** Where a section's run sends its pings. */
  #pingUrlOf(section: string, command: Command): string | undefined {
    const option = command.options.find(({ long }) => long === "--ping-url");
    if (option === undefined) return undefined;
    const given = command.getOptionValue(option.attributeName()) as string | undefined;
    const named = this.#tables(command.name(), section).findLast(({ keys }) => keys.has("ping-url-env"));
    return given ?? this.#findVariable(named?.keys.get("ping-url-env")) ?? readVariable(this.env, "MOVEDEX_PING_URL");
  }

  #applyKey(command: Command, key: string, value: SettingValue): boolean {
    if (key === "contact") {
      this.env["MOVEDEX_CONTACT"] = String(value);
      return true;
    }
    const secret = Object.hasOwn(NAMED_SECRETS, key) ? NAMED_SECRETS[key as keyof typeof NAMED_SECRETS] : undefined;
    if (secret !== undefined && "variable" in secret) {
      this.env[secret.variable] = this.#readVariable(key, value);
      return true;
    }
    if (secret !== undefined && "retired" in secret) {
      // Nothing takes it any more, so it may be unset. What would have taken it names it.
      this.env[secret.retired] = key;
      return true;
    }
    const option = command.options.find(({ long }) => long === `--${secret?.option ?? key}`);
    if (option === undefined || command.getOptionValueSource(option.attributeName()) === "cli") return false;
    const isFromEnvironment = secret !== undefined;
    if (key === "ping-url-env" && this.#running.has("ping-url") && typeof value === "string" && this.#findVariable(value) === undefined) {
      // No night is lost for its ping; what only asks how one would go, such as `doctor`, fails.
      command
        .configureOutput()
        .writeErr?.(`movedex: \`${key}\` names the environment variable \`${value}\`, which is not set; no ping goes there\n`);
      return false;
    }
    const given = isFromEnvironment ? this.#readVariable(key, value) : value;
    const { path } = this.#file as SettingsFile;
    setOption(command, option, given, { file: path, place: placeName(path, this.#section), isFromEnvironment });
    return true;
  }

  #findVariable(value: SettingValue | undefined): string | undefined {
    return (typeof value === "string" && this.env[value]?.trim()) || undefined;
  }

  #readVariable(key: string, value: SettingValue): string {
    const text = this.#findVariable(value);
    if (text !== undefined) return text;
    const words = typeof value === "string" ? `the environment variable \`${value}\`, which is not set` : "something that is not a name";
    throw fault(this.#file?.path ?? "", `\`${key}\` names ${words}`);
  }
}

function secretVariables({ tables }: SettingsFile): string[] {
  return tables.flatMap(({ keys }) => [...keys].flatMap(([key, value]) => (Object.hasOwn(NAMED_SECRETS, key) ? [String(value)] : [])));
}
