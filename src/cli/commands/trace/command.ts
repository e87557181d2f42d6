import { Command } from "commander";
import { exitCodes } from "../../../exit-codes.ts";
import type { Io, Outcome } from "../../io.ts";
import { addArchiveOptions } from "../../options/archive-options.ts";
import { addSharingNodeOptions } from "../../options/node-options.ts";
import { collectVersion, dbOption, parseDurationOption, parseVersionCount } from "../../options/options.ts";
import type { TraceFlags } from "./run.ts";

export function traceCommand(io: Io, outcome: Outcome): Command {
  const command = new Command("trace")
    .summary("find the exact ledger version of each change")
    .description(
      "Find the exact ledger version of each change between two snapshots, by binary search. The views module_changes and key_rotations show the result.",
    )
    .argument("[what]", "an account, or a module as ADDRESS::MODULE (default: every change that is not exact)");
  addSharingNodeOptions(command)
    .optionsGroup("What to trace:")
    .option("--between <versions...>", "only changes between two ledger versions: --between A B", collectVersion)
    .option("--first-above <version>", "start with changes after this ledger version, such as last night's", parseVersionCount);
  return addArchiveOptions(command, "pruned versions")
    .optionsGroup("Store and output:")
    .option(...dbOption)
    .option("--lease <time>", "PostgreSQL: how long other workers wait for this one if it dies (default: 30s)", parseDurationOption)
    .option("--dry-run", "print the plan and its cost; send no request")
    .option("--json", "print one JSON object")
    .addHelpText("after", "\nExample:\n  $ movedex trace 0x1::coin --rpc http://127.0.0.1:8080/v1 --db night.db")
    .action(async (what: string | undefined, flags: TraceFlags) => {
      const { runTrace } = await import("./run.ts");
      outcome.exitCode = exitCodes[await runTrace(what, flags, io)].code;
    });
}
