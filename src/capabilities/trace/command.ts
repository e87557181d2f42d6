import { MovedexCommand } from "../../core/cli/movedex-command.ts";
import { parseVersion, repeatable } from "../../core/cli/options/options.ts";
import { archiveOption, archiveRateOption } from "../archival/options.ts";

export function traceCommand(): MovedexCommand {
  return new MovedexCommand("trace")
    .summary("find the exact ledger version of each change")
    .description("Find the exact ledger version of each change by binary search. The views module_changes and key_rotations show it.")
    .argument("[what]", "an account, or a module as ADDRESS::MODULE (default: every change that is not exact)")
    .sharedNode()
    .optionsGroup("What to trace:")
    .option("--between <versions...>", "only changes between two ledger versions: --between A B", repeatable(parseVersion))
    .optionsGroup("Archive node:")
    .addOption(archiveOption("pruned versions"))
    .addOption(archiveRateOption())
    .optionsGroup("Store and output:")
    .database()
    .option("--dry-run", "print the plan and its cost; send no request")
    .printsJson(async () => (await import("./run.ts")).traceResult)
    .examples("trace 0x1::coin --rpc http://127.0.0.1:8080/v1 --db night.db")
    .runsFrom(async () => (await import("./run.ts")).runTrace);
}
