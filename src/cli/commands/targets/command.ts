import { Command } from "commander";
import { databasePath } from "../../../config.ts";
import type { Io } from "../../io.ts";
import { collectAddress, dbOption, parseDurationOption, wholeNumber } from "../../options/options.ts";
import type { ImportFlags, ListFlags, NoteFlags } from "./run.ts";

type DbFlag = { readonly db?: string };
const BY = ["--by <who>", "who adds them (default: USER of the environment)"] as const;

/** `movedex targets …`: the accounts that `sync` reads. */
export function targetsCommand(io: Io): Command {
  const targets = new Command("targets")
    .summary("the accounts that are read: add, remove, list, import, discover")
    .description("The accounts that `sync` reads. Without any, it reads the framework accounts.");
  targets
    .command("add")
    .description("add accounts; those that were removed come back")
    .argument("<address...>", "account addresses", collectAddress)
    .option("--label <text>", "what you call them")
    .option(...BY)
    .option(...dbOption)
    .addHelpText("after", "\nExample:\n  $ movedex targets add 0x1 0x4 --db night.db")
    .action(async (addresses, flags: DbFlag & NoteFlags) => {
      const run = await import("./run.ts");
      await run.addGivenTargets(io, databasePath(flags.db, io.env), addresses, flags);
    });
  targets
    .command("remove")
    .description("remove accounts from the list; what was read from them stays stored")
    .argument("<address...>", "account addresses", collectAddress)
    .option(...dbOption)
    .addHelpText("after", "\nExample:\n  $ movedex targets remove 0x4 --db night.db")
    .action(async (addresses, flags: DbFlag) => {
      const run = await import("./run.ts");
      await run.removeTargets(io, databasePath(flags.db, io.env), addresses);
    });
  targets
    .command("list")
    .description("print the accounts on the list, how each came there, and the newest snapshot that read it")
    .option("--all", "also removed accounts")
    .option("--never", "only accounts that no snapshot has read")
    .option("--empty", "only accounts that had no module when they were last read")
    .option(
      "--parked",
      "only accounts that had no module whenever they were read, for a week or longer: a night that cannot read all looks at them last",
    )
    .option("--stale [time]", "only accounts whose newest snapshot is older than this (default: 7d)", parseDurationOption)
    .option("--json", "one JSON object a line")
    .option(...dbOption)
    .addHelpText("after", "\nExample:\n  $ movedex targets list --never --empty --db night.db")
    .action(async (flags: DbFlag & ListFlags) => {
      const run = await import("./run.ts");
      await run.listTargets(io, databasePath(flags.db, io.env), flags);
    });
  targets
    .command("import")
    .description("add the accounts of a file: one address a line, CSV, JSON lines or Parquet")
    .argument("<file>", "the file; - is stdin")
    .option("--column <name>", "the column with the addresses (default: address, account, account_address or owner; else the first)")
    .option("--label-column <name>", "the column that says what each account is called")
    .option("--label <text>", "what you call those that have no label in the file")
    .option(...BY)
    .option(...dbOption)
    .addHelpText("after", "\nExample:\n  $ movedex targets import accounts.csv --db night.db")
    .action(async (file: string, flags: DbFlag & ImportFlags) => {
      const run = await import("./run.ts");
      await run.importTargets(io, databasePath(flags.db, io.env), file, flags);
    });
  targets
    .command("discover")
    .description(
      "add the accounts that stored modules depend on, declare as friends or mention. This finds libraries, never their users. " +
        "The next `sync` reads what was added, and then `discover` can go one step further",
    )
    .option("--depth <n>", "at most n steps from a target that was not discovered", wholeNumber(1, 1000), 1)
    .option("--dry-run", "print what would be added")
    .option(...dbOption)
    .addHelpText("after", "\nExample:\n  $ movedex targets discover --depth 2 --db night.db")
    .action(async (flags: DbFlag & { readonly depth: number; readonly dryRun?: boolean }) => {
      const run = await import("./run.ts");
      await run.discoverTargets(io, databasePath(flags.db, io.env), flags.depth, flags.dryRun === true);
    });
  return targets;
}
