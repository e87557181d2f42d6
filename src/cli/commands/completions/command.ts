import { Argument, Command } from "commander";
import type { Io } from "../../io.ts";

const shells = ["bash", "zsh", "fish", "powershell"] as const;
type Shell = (typeof shells)[number];

/** `movedex completions`: a script for a shell, made from the command line as it is. `program` is asked when the script is wanted. */
export function completionsCommand(io: Io, program: Command): Command {
  return new Command("completions")
    .summary("print a completion script for a shell")
    .description("Print a script that completes commands, options and values in your shell.")
    .addArgument(new Argument("<shell>", "the shell").choices(shells))
    .addHelpText("after", '\nExample:\n  $ eval "$(movedex completions bash)"')
    .action(async (shell: Shell) => {
      const { completionScript } = await import("../../completion/script.ts");
      await io.stdout(completionScript(shell, program));
    });
}
