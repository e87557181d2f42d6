import type { Capability } from "../../core/cli/capability.ts";
import { MovedexCommand } from "../../core/cli/movedex-command.ts";
import { wholeNumber } from "../../core/cli/options/options.ts";

export const uses: Capability = {
  name: "uses",
  commands: { "Look at modules:": { uses: async () => usesCommand } },
};

function usesCommand(): MovedexCommand {
  return new MovedexCommand("uses")
    .summary("list who calls a function or uses a struct")
    .description(
      "List the functions that call a function, directly or through others, with the distance in calls. For a module, list the callers of all its functions. For a struct, list the functions that pack, read or write it, and the modules that name it. " +
        "A function that makes a function value of it is marked. Calls through function values are not visible, nor are those of 0x1::vector that compilers turn into instructions, such as length and push_back.",
    )
    .argument("<subject>", "0x1::coin::withdraw, coin::withdraw, 0x1::coin::Coin, 0x1::coin or coin; @VERSION for another snapshot")
    .option("--at <version>", "the same as @VERSION: a ledger version, latest, previous or oldest")
    .option("--depth <n>", "how far to follow callers of callers", wholeNumber(1, 1_000_000), 1_000_000)
    .option("--limit <n>", "list at most n functions", wholeNumber(1, 1_000_000), 10_000)
    .formats(["text", "json", "dot"])
    .prints(async () => (await import("./run.ts")).usesResult)
    .database()
    .examples("uses 0x1::coin::transfer --db night.db", "uses 0x1::coin --format dot --db night.db | dot -Tsvg > coin.svg")
    .runsFrom(async () => (await import("./run.ts")).runUses);
}
