import type { Command, ErrorOptions } from "commander";
import { unreachable } from "../errors.ts";
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
  /** Undefined before the action begins. */
  exitCode?: number;
};

/** How an action ended: the name of its exit code, or the exit code of another process. Without one it is done. */
type End = ExitName | number | undefined;

type TellRefusal = (line: CommandLine, flags: never, error: unknown) => Promise<unknown>;

/** A command whose action is given its surroundings and says how it ended. */
export class MovedexCommand extends DeclaredCommand {
  /** The command line; only the program itself, the topmost command, has one. */
  line: CommandLine | undefined;
  refused: TellRefusal | undefined;

  override createCommand(name?: string): MovedexCommand {
    return new MovedexCommand(name);
  }

  override error(message: string, options?: ErrorOptions): never {
    const isMeant = options?.code === "commander.excessArguments" && this.options.some(({ long }) => long === "--account");
    return super.error(isMeant ? `${message} Name an account with --account.` : message, options);
  }

  /** Sets what the command does. The action imports the database code itself, so that other commands start without it. */
  runs<Words extends unknown[]>(action: (line: CommandLine, ...words: Words) => Promise<End> | Promise<void>): this {
    return this.action(async (...words: Words) => {
      let program: Command = this;
      while (program.parent !== null) program = program.parent;
      const line = (program as MovedexCommand).line ?? unreachable(`the command ${this.name()} is part of no program`);
      line.exitCode = exitCodes.done.code;
      const end = (await action(line, ...words)) ?? "done";
      line.exitCode = typeof end === "number" ? end : exitCodes[end].code;
    });
  }

  /** The same for an action that stands in a file of its own, loaded when it runs, and needs nothing but `io` and its words. */
  runsFrom<Words extends unknown[]>(load: () => Promise<(io: Io, ...words: Words) => Promise<End> | Promise<void>>): this {
    return this.runs<Words>(async ({ io }, ...words) => (await (await load())(io, ...words)) ?? "done");
  }

  /** Sets what tells others of a run that is refused before it begins, by its command line, its settings or its database's name. */
  whenRefused<Flags>(tell: (line: CommandLine, flags: Flags, error: unknown) => Promise<unknown>): this {
    this.refused = tell;
    return this;
  }

  /** Sets what `words` say in plain text, behind an option that could not be read too. */
  readPlain(words: readonly string[]): void {
    for (const [i, word] of words.entries()) {
      const [name = "", value = words[i + 1]] = word.split(/=(.*)/s);
      const option = this.options.find(({ long, short, parseArg }) => [long, short].includes(name) && parseArg === undefined);
      if (option !== undefined) this.setOptionValueWithSource(option.attributeName(), option.required ? value : true, "cli");
    }
  }
}
