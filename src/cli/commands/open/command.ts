import { Command } from "commander";
import { databasePath } from "../../../config.ts";
import type { Io } from "../../io.ts";
import { dbOption, wholeNumber } from "../../options/options.ts";
import type { OpenFlags } from "./run.ts";

export function openCommand(io: Io): Command {
  return new Command("open")
    .summary("open the archive in a browser")
    .description(
      "Serve the pages of the archive on this machine, and open them in a browser. The variable BROWSER can name another browser. Ctrl-C ends it.",
    )
    .option("--port <n>", "the port to listen on; 0 for any free port", wholeNumber(0, 65_535), 0)
    .option("--no-browser", "only print the address")
    .option(...dbOption)
    .addHelpText("after", "\nExample:\n  $ movedex open --db night.db")
    .action(async (flags: OpenFlags) => {
      const { runOpen } = await import("./run.ts");
      await runOpen(flags, databasePath(flags.db, io.env), io);
    });
}
