import type { Capability } from "../../core/cli/capability.ts";
import { MovedexCommand } from "../../core/cli/movedex-command.ts";
import { afterReading, type NightPart } from "../../core/cli/night-part.ts";
import { parseVersion, repeatable, wholeNumber } from "../../core/cli/options/options.ts";
import type { TraceFlags } from "./run.ts";

export const trace: Capability = {
  name: "trace",
  needs: ["changes", "horizon"],
  commands: { "Archive a ledger:": { trace: async () => traceCommand } },
  nightParts: async () => [nightPart],
};

function traceCommand(): MovedexCommand {
  return new MovedexCommand("trace")
    .summary("find the exact ledger version of each change")
    .description("Find the exact ledger version of each change by binary search. The views module_changes and key_rotations show it.")
    .argument("[what]", "an account (0x1) or a module (0x1::coin or coin) (default: every change that is not exact)")
    .sharedNode()
    .optionsGroup("What to trace:")
    .option("--between <versions...>", "only changes between two ledger versions: --between A B", repeatable(parseVersion))
    .optionsGroup("Store and output:")
    .database()
    .option("--dry-run", "print the plan and its cost; send no request")
    .printsJson(async () => (await import("./run.ts")).traceResult)
    .examples("trace 0x1::coin --rpc http://127.0.0.1:8080/v1 --db night.db")
    .runsFrom(async () => (await import("./run.ts")).runTrace);
}

/** The exact versions of the changes that the night saw. */
const nightPart: NightPart<{ readonly traceRequests: number }, TraceFlags> = {
  name: "trace",
  reads: true,
  hearsSignals: true,
  declare: (command) => command.option("--trace-requests <n>", "requests for trace; 0 for no trace", wholeNumber(0, 1e12), 1000),
  turn: ({ flags: { traceRequests }, shared: { node, database } }) =>
    traceRequests > 0 ? { flags: { ...node, maxRequests: traceRequests, ...database }, after: afterReading } : undefined,
  load: async () => (await import("./run.ts")).step,
};
