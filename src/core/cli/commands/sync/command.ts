import { Option } from "commander";
import type { VersionRequest } from "../../../crawl/night/tonight.ts";
import { MovedexCommand } from "../../movedex-command.ts";
import { collectAddress, GAP_TRIES, parseVersionCount, parseVersionRequest, wholeNumber } from "../../options/options.ts";
import type { SyncFlags } from "./run.ts";

export function syncCommand(): MovedexCommand {
  return new MovedexCommand("sync")
    .summary("take a snapshot of all target accounts")
    .description("Read the record and modules of every target account at one ledger version. Continues an unfinished snapshot.")
    .sharedNode()
    .ages()
    .optionsGroup("What to read:")
    .option("-a, --account <address>", "read this account instead of the stored targets; repeatable", collectAddress)
    .option("--targets <file>", "read the accounts in this file, in this run only: one address per line, or a CSV file; - is stdin")
    .addOption(
      new Option("--ledger-version <version>", "the version to read: N, latest, or -N for N versions before the newest")
        .argParser(parseVersionRequest)
        .default({ kind: "latest" } satisfies VersionRequest, "latest"),
    )
    .records()
    .option(
      "--lag <n>",
      "with latest: stay n versions behind it, and wait for up to 2 min to know the time exactly (default: the network's, else 0)",
      parseVersionCount,
    )
    .option("--retry-gaps <n>", "retry gaps of earlier snapshots until each was tried n times; 0: never", wholeNumber(0, 1000), GAP_TRIES)
    .optionsGroup("Store and output:")
    .database()
    .option("--dry-run", "print the plan and its cost; write nothing")
    .printsJson(async () => (await import("./result.ts")).syncResult, "print one JSON object at the end")
    .monitoring()
    .examples("sync --rpc http://127.0.0.1:8080/v1 --db night.db --account 0x1")
    .whenRefused(async ({ io }, flags: SyncFlags, error) => (await import("./run.ts")).tellRefused(io, flags, error))
    .runsFrom(async () => (await import("./run.ts")).runSync);
}
