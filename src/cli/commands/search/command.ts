import { Command, Option } from "commander";
import type { SearchKind } from "../../../archive/content/search-words.ts";
import { databasePath } from "../../../config.ts";
import type { Io } from "../../io.ts";
import { collectAddress, dbOption, wholeNumber } from "../../options/options.ts";
import type { SearchFlags } from "./run.ts";

const KINDS: readonly SearchKind[] = ["module", "function", "struct", "error"];

export function searchCommand(io: Io): Command {
  return new Command("search")
    .summary("find modules, functions, structs and errors by words")
    .description(
      "Find modules, functions, structs, fields, variants and error texts by words, in any order. The start of a word is enough. The module's name counts too: `coin transfer` finds `coin::transfer`.",
    )
    .argument("<words...>", "words, or a path such as 0x1::coin::transfer")
    .addOption(new Option("--kind <kind...>", "only results of these kinds").choices([...KINDS]))
    .option("-a, --account <address>", "only in this account; repeatable", collectAddress)
    .option("--all", "include what no longer exists, with the last snapshot that showed it")
    .option("--limit <n>", "print at most n results", wholeNumber(1, 100_000), 20)
    .option("--json", "print one JSON object")
    .option(...dbOption)
    .addHelpText("after", "\nExample:\n  $ movedex search coin transfer --db night.db")
    .action(async (words: readonly string[], flags: SearchFlags) => {
      const { runSearch } = await import("./run.ts");
      await runSearch(io, databasePath(flags.db, io.env), words.join(" "), flags);
    });
}
