import { MovedexCommand } from "../../movedex-command.ts";
import { addChoiceOptions, type ChoiceFlags } from "../../options/choice-options.ts";
import { dbOption } from "../../options/database-option.ts";

export function statusCommand(): MovedexCommand {
  return new MovedexCommand("status")
    .summary("print what the archive holds and lacks")
    .description("Print what the database holds and lacks, how fast the node prunes, and what becomes unreadable when. Sends no request.")
    .option(...dbOption)
    .option("--json", "print one JSON object")
    .with(addChoiceOptions)
    .examples("status --db night.db")
    .runs(async ({ io }, flags: ChoiceFlags & { readonly db: string; readonly json?: boolean }) =>
      (await import("./run.ts")).runStatus(io, flags),
    );
}
