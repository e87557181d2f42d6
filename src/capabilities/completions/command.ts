import { Argument, type Command } from "commander";
import { MovedexCommand } from "../../core/cli/movedex-command.ts";

const shells = ["bash", "zsh", "fish"] as const;

export function completionsCommand(): MovedexCommand {
  return new MovedexCommand("completions")
    .summary("print a completion script for a shell")
    .description("Print a script that completes commands, options and values in your shell.")
    .addArgument(new Argument("<shell>", "the shell").choices(shells))
    .addHelpText("after", '\nExample:\n  $ eval "$(movedex completions bash)"')
    .runs(async ({ io }, shell: (typeof shells)[number]) => {
      const { completionScripts } = await import("./completion.ts");
      await io.stdout(completionScripts[shell]);
    });
}

/** The hidden command that the scripts ask, with the words behind `movedex`. */
export function completeCommand(): MovedexCommand {
  return new MovedexCommand("complete").argument("[words...]").runs(async ({ io }, words: readonly string[], _, command: Command) => {
    const { candidatesOf, candidateText } = await import("./completion.ts");
    await io.stdout(candidateText(await candidatesOf(command.parent as Command, words)));
  });
}
