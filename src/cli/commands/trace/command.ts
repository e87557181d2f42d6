import { MovedexCommand } from "../../movedex-command.ts";
import { addArchiveOptions } from "../../options/archive-options.ts";
import { dbOption } from "../../options/database-option.ts";
import { addSharingNodeOptions } from "../../options/node-options.ts";
import { parseDurationOption, parseVersion, parseVersionCount, repeatable } from "../../options/options.ts";
import type { TraceFlags } from "./run.ts";

export function traceCommand(): MovedexCommand {
  return new MovedexCommand("trace")
    .summary("find the exact ledger version of each change")
    .description(
      "Find the exact ledger version of each change between two snapshots, by binary search. The views module_changes and key_rotations show the result.",
    )
    .argument("[what]", "an account, or a module as ADDRESS::MODULE (default: every change that is not exact)")
    .with(addSharingNodeOptions)
    .optionsGroup("What to trace:")
    .option("--between <versions...>", "only changes between two ledger versions: --between A B", repeatable(parseVersion))
    .option("--first-above <version>", "start with changes after this ledger version, such as last night's", parseVersionCount)
    .with((command) => addArchiveOptions(command, "pruned versions"))
    .optionsGroup("Store and output:")
    .option(...dbOption)
    .option("--lease <time>", "PostgreSQL: how long other workers wait for this one if it dies (default: 30s)", parseDurationOption)
    .option("--dry-run", "print the plan and its cost; send no request")
    .option("--json", "print one JSON object")
    .examples("trace 0x1::coin --rpc http://127.0.0.1:8080/v1 --db night.db")
    .runs(async ({ io }, what: string | undefined, flags: TraceFlags) => (await import("./run.ts")).runTrace(io, what, flags));
}
