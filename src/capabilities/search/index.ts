import type { Capability } from "../../core/cli/capability.ts";
import { MovedexCommand } from "../../core/cli/movedex-command.ts";
import { collectAddress, wholeNumber } from "../../core/cli/options/options.ts";
import type { SearchKind } from "./hits.ts";

export const search: Capability = {
  name: "search",
  commands: { "Look at modules:": { search: async () => searchCommand } },
};

const KINDS: readonly SearchKind[] = ["module", "function", "struct", "error"];

function searchCommand(): MovedexCommand {
  return new MovedexCommand("search")
    .summary("find modules, functions, structs and errors by words")
    .description(
      "Find modules, functions, structs, fields, variants and error texts by words, in any order. The start of a word is enough. The module's name counts too: `coin transfer` finds `coin::transfer`.",
    )
    .argument("<words...>", "words, a path such as 0x1::coin::transfer, or what a function takes and returns: '(&signer, u64) -> Coin'")
    .choice("--kind <kind...>", "only results of these kinds", KINDS)
    .option("-a, --account <address>", "only in this account; repeatable", collectAddress)
    .option("--all", "include what no longer exists, with the last snapshot that showed it")
    .option("--limit <n>", "print at most n results", wholeNumber(1, 100_000), 20)
    .printsJson(async () => (await import("./run.ts")).searchResult)
    .database()
    .examples("search coin transfer --db night.db")
    .runsFrom(async () => (await import("./run.ts")).runSearch);
}
