import { Command, Option } from "commander";
import { databasePath } from "../../../config.ts";
import type { Io } from "../../io.ts";
import { wholeNumber } from "../../options/options.ts";
import type { ServeFlags } from "./run.ts";

/** `movedex serve`: the archive behind the node's own API. */
export function serveCommand(io: Io): Command {
  return new Command("serve")
    .description(
      "Answer as a ledger node does, from what is sealed in the database; or stand in front of a node and answer what it has pruned.",
    )
    .option("--host <address>", "the address to listen on; 0.0.0.0 is all of the machine's", "127.0.0.1")
    .option("--port <n>", "the port to listen on, 0 for any free one", wholeNumber(0, 65_535), 8080)
    .addOption(
      new Option("--between <answers>", "versions between two snapshots: none, or what both agree on, said in a header")
        .choices(["exact", "stable"])
        .default("exact"),
    )
    .addOption(
      new Option("--node-generation <letter>", "whose ABI the JSON has: A 2024, B and C 2025, D 2026")
        .choices(["A", "B", "C", "D"])
        .default("D"),
    )
    .optionsGroup("In front of a node:")
    .option(
      "--upstream <url>",
      "a node's REST address, with its /v1: asked for what the archive need not answer (its key: MOVEDEX_API_KEY)",
    )
    .addOption(new Option("--prefer <who>", "who is asked first about a version").choices(["node", "archive"]).default("node"))
    .optionsGroup("Store and output:")
    .option("--db <file>", "the database (default: DATABASE_URL, else movedex.db)")
    .option("--log-requests", "one line on stderr for each request")
    .option("--json", "print one JSON object with the URL on stdout once it listens")
    .addHelpText("after", "\nExample:\n  $ movedex serve --db night.db --port 0")
    .action(async (flags: ServeFlags) => {
      const { runServe } = await import("./run.ts");
      await runServe(flags, databasePath(flags.db, io.env), io);
    });
}
