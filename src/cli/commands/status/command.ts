import { Command } from "commander";
import { databasePath } from "../../../config.ts";
import type { Io } from "../../io.ts";
import { addChoiceOptions, type ChoiceFlags } from "../../options/choice-options.ts";
import { dbOption } from "../../options/options.ts";

export function statusCommand(io: Io): Command {
  const command = new Command("status")
    .summary("print what the archive holds and lacks")
    .description("Print what the database holds and lacks, how fast the node prunes, and what becomes unreadable when. Sends no request.")
    .option(...dbOption)
    .option("--json", "print one JSON object");
  return addChoiceOptions(command)
    .addHelpText("after", "\nExample:\n  $ movedex status --db night.db")
    .action(async (flags: ChoiceFlags & { readonly db?: string; readonly json?: boolean }) => {
      const { runStatus } = await import("./run.ts");
      await runStatus(io, databasePath(flags.db, io.env), flags);
    });
}
