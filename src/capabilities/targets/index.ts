import type { Capability } from "../../core/cli/capability.ts";
import { MovedexCommand } from "../../core/cli/movedex-command.ts";
import { ADDRESS_WANTED, collectAddress, parserOf, repeatable, wholeNumber } from "../../core/cli/options/options.ts";
import { parseGivenAddress } from "../../core/move/address.ts";
import type { GivenAddress } from "./run.ts";

export const targets: Capability = {
  name: "targets",
  readAccounts: async () => (await import("./file/targets-file.ts")).readAccounts,
  commands: { "Archive a ledger:": { targets: async () => targetsCommand } },
};

/** Accounts to put on the list of targets: kept for every night, so no word is taken for an address that may be none. */
const collectNewTarget = repeatable(
  parserOf((given): GivenAddress | undefined => {
    const address = parseGivenAddress(given);
    return address && { address, given };
  }, ADDRESS_WANTED),
);

function targetsCommand(): MovedexCommand {
  const targets = new MovedexCommand("targets")
    .summary("edit the list of accounts to read")
    .description("Edit the list of accounts that `sync` reads. While the list is empty, `sync` reads the framework accounts.");
  targets
    .command("add")
    .description("Add accounts to the list.")
    .argument("<address...>", "account addresses", collectNewTarget)
    .option("--label <text>", "a label for these accounts")
    .database()
    .examples("targets add 0x1 0x4 --db night.db")
    .runsFrom(async () => (await import("./run.ts")).addGivenTargets);
  targets
    .command("remove")
    .description("Remove accounts from the list. What was read from them stays stored.")
    .argument("<address...>", "account addresses", collectAddress)
    .database()
    .examples("targets remove 0x4 --db night.db")
    .runsFrom(async () => (await import("./run.ts")).removeTargets);
  targets
    .command("list")
    .description("List the accounts, how each got on the list, and the newest snapshot that read it.")
    .option("--all", "include removed accounts")
    .printsList(async () => (await import("./run.ts")).targetColumns.entry)
    .database()
    .examples("targets list --db night.db")
    .runsFrom(async () => (await import("./run.ts")).listTargets);
  targets
    .command("import")
    .description(
      "Add the accounts of a file: one address per line, CSV, JSON Lines or a JSON array. The addresses are in the column address, account, account_address or owner, else in the first; labels in the column label.",
    )
    .argument("<file>", "the file; - is stdin")
    .option("--label <text>", "a label for accounts that have none in the file")
    .database()
    .examples("targets import accounts.csv --db night.db")
    .runsFrom(async () => (await import("./run.ts")).importTargets);
  targets
    .command("discover")
    .description(
      "Add the accounts that stored modules depend on, declare as friends or mention. This finds libraries, not their users. The next `sync` reads the new accounts; then `discover` can go one step further.",
    )
    .option("--depth <n>", "at most n steps away from a target that you added", wholeNumber(1, 1000), 1)
    .option("--dry-run", "print what would be added; write nothing")
    .database()
    .examples("targets discover --depth 2 --db night.db")
    .runsFrom(async () => (await import("./run.ts")).discoverTargets);
  return targets;
}
