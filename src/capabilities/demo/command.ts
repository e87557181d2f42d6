import { MovedexCommand } from "../../core/cli/movedex-command.ts";

export function demoCommand(): MovedexCommand {
  return new MovedexCommand("demo")
    .summary("try movedex on two simulated nights")
    .description(
      "Archive two nights of a small simulated node on 127.0.0.1, with a day of upgrades between them, and ask the archive some questions. Needs no network. Writes movedex-demo.db into the current directory, and replaces an earlier one.",
    )
    .option("--open", "then open the archive's pages in a browser; Ctrl-C ends it")
    .examples("demo")
    .runs(async (line, { open = false }: { open?: boolean }) => (await import("./run.ts")).runDemo(line, open));
}
