import type { Command, Option } from "commander";
import { readVariable, SECRET_VARIABLES } from "../../core/cli/config.ts";
import type { Io } from "../../core/cli/io.ts";
import { DeclaredCommand } from "../../core/cli/options/declared-command.ts";
import { nameRetired } from "../../core/cli/options/retired.ts";
import type { AppliedSetting, Env, NamedPlace, SectionToRun, SettingsInForce, SettingValue } from "../../core/cli/settings.ts";
import { ConfigError } from "../../core/errors.ts";
import type { ExitName } from "../../core/exit-codes.ts";
import { type KnownCommands, keysOf, knownCommands, NAMED_SECRETS, readNamedPlace, setOption, typedValue } from "./option-values.ts";
import { chooseSections, networkOfSection, sectionDatabases } from "./sections.ts";
import { fault, placeName, type ReceiverTable, readSettingsFile, type Setting, type SettingsFile } from "./settings-file.ts";

type SettingsFlags = { readonly config?: string; readonly section?: string; readonly network?: string };

/** Values of `--format` that went, which settings files may still have. */
const retiredFormats: ReadonlySet<unknown> = new Set(["junit", "mermaid", "graphml", "sql", "python"]);

/** The settings file of one command line. */
export class Settings implements SettingsInForce {
  readonly argv: readonly string[];
  readonly env: Record<string, string | undefined>;
  applied: readonly AppliedSetting[] = [];
  #sections: readonly SectionToRun[] | undefined;
  #file: SettingsFile = { path: "", sections: [], settings: [], receivers: [], retired: [], faults: [] };
  #section: string | undefined;
  #command = "";
  #running: ReadonlySet<string> = new Set();
  #known: KnownCommands = new Map();

  constructor(argv: readonly string[], env: Env) {
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
    this.#known = knownCommands(program);
  }

  forOthers(): AppliedSetting[] {
    const found = new Map<string, AppliedSetting>();
    const isApplied = (name: string): boolean => this.#running.has(name) || this.applied.some(({ key }) => key === name);
    for (const { command, key: name, value, place } of this.#rows()) {
      const key = command === undefined ? name : `${command}.${name}`;
      if (command === undefined ? !isApplied(name) : command !== this.#command) found.set(key, { key, value, place });
    }
    return [...found.values()];
  }

  wordsFor(command: string, overrides: readonly string[]): string[] {
    const words = new Map<string, string[]>();
    for (const { key, option, value } of this.#settingsOf(command)) {
      if (overrides.includes(key)) continue;
      const parts = typeof value === "boolean" ? [] : [value].flat();
      words.set(key, value === true ? [`--${key}`] : parts.flatMap((part) => [`--${key}`, typedValue(option, part, this.#file.path)]));
    }
    return [...words.values()].flat();
  }

  flagsFor<Flags>(command: Command, io: Pick<Io, "stderr">): Flags {
    for (const { option, value } of this.#settingsOf(command.name())) setOption(command, option, value, this.#place());
    // Not among the words: what a variable holds is no part of a command line.
    for (const { key, value } of this.#rows(command.name()))
      if (key === "ping-url-env" && !this.#running.has("ping-url")) this.#applyKey(command, key, value);
    nameRetired(command, io);
    return command.opts() as Flags;
  }

  /** What the file says of a command that is a step of the running one: what the running one has an option for, only in its own table. */
  #settingsOf(command: string): (Setting & { readonly option: Option })[] {
    return this.#rows(command).flatMap((row) => {
      const option = this.#known.get(command)?.options.find((one) => one.name() === row.key);
      return option === undefined || (row.command === undefined && this.#running.has(row.key)) ? [] : [{ ...row, option }];
    });
  }

  places<Flags extends object>(): NamedPlace<Flags>[] {
    const byName = new Map(this.#file.receivers.filter((table) => this.#isInForce(table)).map((table) => [table.name, table]));
    return Array.from(byName.values(), (table) => this.#readPlace(table, (key, value) => this.#readVariable(key, value)));
  }

  #readPlace<Flags extends object>(table: ReceiverTable, read: (key: string, value: SettingValue) => string): NamedPlace<Flags> {
    return readNamedPlace(table, this.#known.get(table.command ?? "")?.ofTables ?? [], this.#file.path, read);
  }

  fileWords(): string[] {
    if (this.#file.path === "") return [];
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

  async #apply(command: Command): Promise<void> {
    const flags = command.opts<SettingsFlags>();
    if (flags.config === undefined) {
      if (flags.section !== undefined) throw new ConfigError("--section names a section of a settings file: give --config FILE as well.");
      return;
    }
    const file = await readSettingsFile(flags.config, this.#known);
    this.#file = file;
    const keys = [...file.settings.map(({ key, value }) => [key, value] as const), ...file.receivers.flatMap((one) => [...one.keys])];
    this.env[SECRET_VARIABLES] = keys.flatMap(([key, value]) => (NAMED_SECRETS.has(key) ? [String(value)] : [])).join(",");
    for (const line of file.retired) say(command, line);
    const takesEach = command instanceof DeclaredCommand && command.takesSections;
    const isWatched = command.options.some(({ long }) => long === "--ping-url");
    // Where each section runs by itself, each tells that the file is refused.
    const runsEach = isWatched && takesEach && file.sections.length > 1 && (flags.section ?? flags.network) === undefined;
    if (!runsEach) {
      for (const fault of file.faults) throw fault;
      this.#checkValues();
    }
    const [section, ...others] = chooseSections(file, flags, takesEach);
    if (others.length > 0) {
      const databases = sectionDatabases(file, command, (value) => this.#findVariable(value));
      this.#sections = databases.map((section) => ({ ...section, pingUrl: this.#pingUrlOf(section.name, command) }));
      return;
    }
    this.#section = section;
    this.#command = command.parent?.parent ? command.parent.name() : command.name();
    this.#running = keysOf(command.options);
    // A key or password of one network must not be sent to another.
    if (file.sections.length > 1) for (const name of ["MOVEDEX_API_KEY", "MOVEDEX_BASIC_AUTH"]) delete this.env[name];
    const network = section === undefined ? undefined : networkOfSection(file, section);
    const byName = { key: "network", value: network ?? "", place: `${placeName(file.path, section)} by its name` };
    const applied = new Map<string, AppliedSetting>();
    for (const { key, value, place } of [...this.#rows(this.#command), ...(network === undefined ? [] : [byName])])
      if (this.#applyKey(command, key, value)) applied.set(key, { key, value, place });
    this.applied = [...applied.values()];
  }

  /**
   * Checks every value against every command that would take it, so that a slip shows at once and not in the night's third step. A format
   * that went is left to its own command, and costs no night. @throws ConfigError
   */
  #checkValues(): void {
    const { path: file, settings, receivers } = this.#file;
    for (const { section, command = "", key, value } of settings) {
      const own = this.#known.get(command);
      for (const { options } of own === undefined ? this.#known.values() : [own])
        for (const option of options)
          if (option.name() === key && !(key === "format" && retiredFormats.has(value)))
            setOption(undefined, option, value, { file, place: placeName(file, section) });
    }
    for (const table of receivers) this.#readPlace(table, () => "");
  }

  /** Sets what can be set of a file that is refused, so that those are told whom it names. A database that is not known has no name. */
  #applyReadable(command: Command): void {
    const { section } = command.opts<SettingsFlags>();
    const { path, sections } = this.#file;
    this.#section ??= sections.find((name, _, { length }) => length === 1 || name === section);
    if (this.#section === undefined) {
      // Metrics bear no name that is no section's.
      if (path !== "") command.setOptionValue("section", undefined);
      // What is refused of all sections together, each is told of.
      const urls = new Set(sections.flatMap((name) => this.#pingUrlOf(name, command) ?? []));
      if (urls.size > 0) command.setOptionValue("pingUrls", [...urls]);
    }
    const rows = this.#rows(command.name());
    for (const { key, value } of rows) {
      try {
        this.#applyKey(command, key, value);
      } catch (error) {
        // The first fault is told.
        if (!(error instanceof ConfigError)) throw error;
      }
    }
    const isRead = path !== "" && (sections.length === 0 || this.#section !== undefined);
    const source = command.getOptionValueSource("db");
    const isKnown = source === "cli" || (isRead && (source !== undefined || rows.every(({ key }) => key !== "db-env")));
    if (!isKnown) command.setOptionValue("db", "");
  }

  #isInForce(of: Pick<Setting, "section">, section = this.#section): boolean {
    return of.section === undefined || of.section === section;
  }

  /** What is said for a command, or for any; later rows override earlier ones. */
  #rows(command?: string, section = this.#section): Setting[] {
    const rows = this.#file.settings.filter((row) => this.#isInForce(row, section));
    if (command === undefined) return rows;
    // `gaps` goes by how often `sync` tries a gap again, where its own table does not say.
    const follows = command === "gaps" && !rows.some((row) => row.command === "gaps" && row.key === "retry-gaps");
    const isFollowed = (row: Setting): boolean => follows && row.command === "sync" && row.key === "retry-gaps";
    return rows.filter((row) => row.command === undefined || row.command === command || isFollowed(row));
  }

  /** Where a section's run sends its pings. */
  #pingUrlOf(section: string, command: Command): string | undefined {
    const option = command.options.find(({ long }) => long === "--ping-url");
    if (option === undefined) return undefined;
    const given = command.getOptionValue(option.attributeName()) as string | undefined;
    const named = this.#rows(command.name(), section).findLast(({ key }) => key === "ping-url-env");
    return given ?? this.#findVariable(named?.value) ?? readVariable(this.env, "MOVEDEX_PING_URL");
  }

  #applyKey(command: Command, key: string, value: SettingValue): boolean {
    const { variable, retired, option: name = key } = NAMED_SECRETS.get(key) ?? {};
    const kept = key === "contact" ? "MOVEDEX_CONTACT" : (variable ?? retired);
    if (kept !== undefined) {
      // Nothing takes a retired one any more, so it may be unset. What would have taken it names the key.
      this.env[kept] = variable !== undefined ? this.#readVariable(key, value) : retired !== undefined ? key : String(value);
      return true;
    }
    const option = command.options.find((one) => one.name() === name);
    if (option === undefined || command.getOptionValueSource(option.attributeName()) === "cli") return false;
    const isFromEnvironment = name !== key;
    if (key === "ping-url-env" && this.#running.has("ping-url") && typeof value === "string" && this.#findVariable(value) === undefined) {
      // No night is lost for its ping; what only asks how one would go, such as `doctor`, fails.
      say(command, `\`${key}\` names the environment variable \`${value}\`, which is not set; no ping goes there`);
      return false;
    }
    const given = isFromEnvironment ? this.#readVariable(key, value) : value;
    setOption(command, option, given, { ...this.#place(), isFromEnvironment });
    return true;
  }

  #place() {
    return { file: this.#file.path, place: placeName(this.#file.path, this.#section) };
  }

  #findVariable(value: SettingValue | undefined): string | undefined {
    return (typeof value === "string" && this.env[value]?.trim()) || undefined;
  }

  #readVariable(key: string, value: SettingValue): string {
    const text = this.#findVariable(value);
    if (text !== undefined) return text;
    const words = typeof value === "string" ? `the environment variable \`${value}\`, which is not set` : "something that is not a name";
    throw fault(this.#file.path, `\`${key}\` names ${words}`);
  }
}

function say(command: Command, line: string): void {
  command.configureOutput().writeErr?.(`movedex: ${line}\n`);
}
