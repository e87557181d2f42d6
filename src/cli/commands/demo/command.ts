import { Command } from "commander";
import type { Io, RunCommand } from "../../io.ts";

/** `movedex demo`: movedex on a simulated ledger. */
export function demoCommand(io: Io, run: RunCommand): Command {
  return new Command("demo")
    .summary("two simulated nights, and what can be asked afterwards")
    .description(
      "Start a small simulated ledger node on 127.0.0.1, archive two of its nights with a day of upgrades between them, and ask the " +
        "archive the questions that it is made for. Needs no network. The archive is written to movedex-demo.db in the current " +
        "directory; that of an earlier demonstration is replaced.",
    )
    .option("--open", "serve the archive's pages afterwards and open them in a browser, until Ctrl-C")
    .addHelpText("after", "\nExample:\n  $ movedex demo")
    .action(async ({ open = false }: { open?: boolean }) => {
      const { runDemo } = await import("./run.ts");
      await runDemo(io, run, open);
    });
}
