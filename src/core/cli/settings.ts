import type { Command } from "commander";
import type { ExitName } from "../exit-codes.ts";
import type { WatchedSection } from "./hooks.ts";
import type { Io, RunCommand } from "./io.ts";

export type Env = Readonly<Record<string, string | undefined>>;

/** A value of a settings file, as its TOML has it. */
export type SettingValue = string | number | bigint | boolean | readonly (string | number | bigint)[];

/** A key that applies to the running command, and its place in the file. */
export type AppliedSetting = { readonly key: string; readonly value: SettingValue; readonly place: string };

/** A place of a settings file where alerts are told: its own options of `tell`, and the secrets that it names. */
export type NamedPlace<Flags extends object = object> = {
  readonly name: string;
  readonly flags: Flags;
  readonly webhookSecret: string | undefined;
  /** The keys of its table that went with this version. */
  readonly retired: readonly string[];
};

export type SectionDatabase = { readonly name: string; readonly database: string };

/** One of several sections, with the URL that is told how it goes; undefined for none. */
export type SectionToRun = SectionDatabase & WatchedSection;

/**
 * What holds for one command line. A flag overrides the settings file, and the file the environment. In the file, a command's own table
 * overrides its section, and a section the file's head.
 */
export type SettingsInForce = {
  /** The environment for the command, with the secrets that the file names. */
  readonly env: Record<string, string | undefined>;
  readonly applied: readonly AppliedSetting[];
  /** Whether the command runs for each of several sections, so that its own line has no database. */
  readonly runsSections: boolean;
  /** Runs a command `once`, or for each of several sections in turn. @returns the gravest end */
  eachSection(
    line: { readonly io: Io; readonly run: RunCommand },
    flags: { readonly json?: boolean; readonly dryRun?: boolean },
    once: () => Promise<ExitName>,
  ): Promise<ExitName>;
  /** Learns the options of every command below `program`, which the file may name. */
  addTo(program: Command): void;
  /** Sets what the file says for the command that is to run; of a file that is refused, what can be read. @throws ConfigError */
  apply(command: Command): Promise<void>;
  /** The keys that the running command has no option for. Those of a command's own table have its name in front: `sync.retry-gaps`. */
  forOthers(): readonly AppliedSetting[];
  /**
   * The settings of `command` as a step of the running command: its own table, and the keys that the running command has no option for,
   * without those that it `overrides`.
   */
  wordsFor(command: string, overrides: readonly string[]): readonly string[];
  /** The same as the values of all options of a command, as if the words had been typed. What went with this version is said. */
  flagsFor<Flags>(command: Command, io: Pick<Io, "stderr">): Flags;
  /**
   * The places for alerts that the file names; those of the section override those of the head.
   * @throws ConfigError if a variable is not set
   */
  places<Flags extends object>(): readonly NamedPlace<Flags>[];
  /** Words by which another command reads the same part of the file; none without one. */
  fileWords(): readonly string[];
};

/** What reads settings from a file. */
export type SettingsReader = {
  /** Adds the options of a command that name the settings file. */
  declare(command: Command): unknown;
  isAsked(argv: readonly string[]): boolean;
  open(argv: readonly string[], env: Env): Promise<SettingsInForce>;
};
