import { Command } from "commander";
import type { Io, RunCommand } from "../../io.ts";

export function demoCommand(io: Io, run: RunCommand): Command {
  return new Command("demo")
    .summary("try movedex on two simulated nights")
    .description(
      "Archive two nights of a small simulated node on 127.0.0.1, with a day of upgrades between them, and ask the archive some questions. Needs no network. Writes movedex-demo.db into the current directory, and replaces an earlier one.",
    )
    .option("--open", "then open the archive's pages in a browser; Ctrl-C ends it")
    .addHelpText("after", "\nExample:\n  $ movedex demo")
    .action(async ({ open = false }: { open?: boolean }) => {
      const { runDemo } = await import("./run.ts");
      await runDemo(io, run, open);
    });
}
