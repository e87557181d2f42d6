import { Argument, type Command } from "commander";
import { MovedexCommand } from "../../movedex-command.ts";

const shells = ["bash", "zsh", "fish"] as const;
type Shell = (typeof shells)[number];

export function completionsCommand(): MovedexCommand {
  return new MovedexCommand("completions")
    .summary("print a completion script for a shell")
    .description("Print a script that completes commands, options and values in your shell.")
    .addArgument(new Argument("<shell>", "the shell").choices(shells))
    .addHelpText("after", '\nExample:\n  $ eval "$(movedex completions bash)"')
    .runs(async ({ io }, shell: Shell, _, command: Command) => {
      const { completionScript } = await import("../../completion.ts");
      await io.stdout(completionScript(shell, command.parent as Command));
    });
}
