import { type Command, CommanderError, type ErrorOptions, type ParseOptions } from "commander";
import { MovedexError, unreachable } from "../errors.ts";
import { type ExitName, exitCodes } from "../exit-codes.ts";
import type { Capability } from "./capability.ts";
import type { Io, RunCommand } from "./io.ts";
import { DeclaredCommand } from "./options/declared-command.ts";
import type { SettingsInForce } from "./settings.ts";

/** Descriptions are wrapped down to this many characters: beside the longest options on a terminal of 60 columns. */
export const NARROWEST_WRAP = 20;

/** A command line: what its action works with, and the exit code that it comes to. */
export type CommandLine = {
  readonly io: Io;
  readonly settings: SettingsInForce;
  readonly run: RunCommand;
  /** A command as it is declared, for its options. */
  readonly declare: (name: string) => Promise<Command>;
  readonly capabilities: readonly Capability[];
  exitCode: number;
};

/** How an action ended: the name of its exit code, or the exit code of another process. Without one it is done. */
type End = ExitName | number | undefined;

/** A command whose action is given its surroundings and says how it ended. */
export class MovedexCommand extends DeclaredCommand {
  override createCommand(name?: string): MovedexCommand {
    return new MovedexCommand(name);
  }

  /** Sets what the command does. The action imports the database code itself, so that other commands start without it. */
  runs<Words extends unknown[]>(action: (line: CommandLine, ...words: Words) => Promise<End> | Promise<void>): this {
    return this.action(async (...words: Words) => {
      const line = this.commandLine();
      const end = (await action(line, ...words)) ?? "done";
      line.exitCode = typeof end === "number" ? end : exitCodes[end].code;
    });
  }

  #refused: ((line: CommandLine, error: unknown) => Promise<unknown>) | undefined;

  /** Sets what tells others of a run whose settings are refused before it begins. */
  whenRefused<Flags>(tell: (line: CommandLine, flags: Flags, error: unknown) => Promise<unknown>): this {
    this.#refused = (line, error) => tell(line, this.opts() as Flags, error);
    return this;
  }

  /** `settle` sets what else is known of the run, and names its database, if that can be. */
  async tellRefusal(error: unknown, settle: () => Promise<void> | void): Promise<void> {
    if (this.#refused === undefined) return;
    try {
      await settle();
    } catch (fault) {
      if (!(fault instanceof MovedexError)) throw fault;
      this.setOptionValue("db", "");
    }
    await this.#refused(this.commandLine(), error);
  }

  /** Sets what `words` say in plain text, behind an option that could not be read too. */
  readPlain(words: readonly string[]): void {
    for (const [i, word] of words.entries()) {
      const [name = "", value = words[i + 1]] = word.split(/=(.*)/s);
      const option = this.options.find(({ long, short, parseArg }) => [long, short].includes(name) && parseArg === undefined);
      if (option !== undefined) this.setOptionValueWithSource(option.attributeName(), option.required ? value : true, "cli");
    }
  }

  /** The same for an action that stands in a file of its own, loaded when it runs, and needs nothing but `io` and its words. */
  runsFrom<Words extends unknown[]>(load: () => Promise<(io: Io, ...words: Words) => Promise<End> | Promise<void>>): this {
    return this.runs(async ({ io }, ...words: Words) => {
      const action = await load();
      return (await action(io, ...words)) ?? "done";
    });
  }

  protected commandLine(): CommandLine {
    if (this.parent instanceof MovedexCommand) return this.parent.commandLine();
    return unreachable(`the command ${this.name()} is part of no program`);
  }
}

/** The command above all others, with the command line that it reads. */
export class Program extends MovedexCommand {
  readonly line: CommandLine;
  /** What to use in the place of a command that went with this version. */
  insteadOf: (name: string) => string | undefined = () => undefined;

  constructor(line: CommandLine) {
    super("movedex");
    this.line = line;
  }

  protected override commandLine(): CommandLine {
    return this.line;
  }

  /** Tells others of a command line that cannot be read. */
  whenUnreadable: (error: CommanderError) => Promise<void> = async () => {};

  override async parseAsync(words?: readonly string[], options?: ParseOptions): Promise<this> {
    try {
      return await super.parseAsync(words, options);
    } catch (error) {
      if (error instanceof CommanderError && error.exitCode !== 0) await this.whenUnreadable(error);
      throw error;
    }
  }

  /** Ends with an error. A command that went with this version is no unknown one: the error says what to use. */
  override error(message: string, options?: ErrorOptions): never {
    const [name = ""] = this.args;
    const instead = options?.code === "commander.unknownCommand" ? this.insteadOf(name) : undefined;
    return super.error(instead === undefined ? message : `error: the command \`${name}\` is gone: ${instead}.`, options);
  }
}
