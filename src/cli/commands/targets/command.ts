import { Command } from "commander";
import { databasePath } from "../../../config.ts";
import type { Io } from "../../io.ts";
import { collectAddress, wholeNumber } from "../../options/options.ts";

type DbFlag = { readonly db?: string };
const DB = ["--db <file>", "the database (default: DATABASE_URL, else movedex.db)"] as const;

/** `movedex targets …`: the accounts that `sync` reads. */
export function targetsCommand(io: Io): Command {
  const targets = new Command("targets")
    .summary("the accounts that are read: add, remove, list, import, discover")
    .description("The accounts that `sync` reads. Without any, it reads the framework accounts.");
  targets
    .command("add")
    .description("add accounts; those that were removed come back")
    .argument("<address...>", "account addresses", collectAddress)
    .option(...DB)
    .addHelpText("after", "\nExample:\n  $ movedex targets add 0x1 0x4 --db night.db")
    .action(async (addresses, flags: DbFlag) => {
      const run = await import("./run.ts");
      await run.addTargets(io, databasePath(flags.db, io.env), addresses, "given");
    });
  targets
    .command("remove")
    .description("remove accounts from the list; what was read from them stays stored")
    .argument("<address...>", "account addresses", collectAddress)
    .option(...DB)
    .addHelpText("after", "\nExample:\n  $ movedex targets remove 0x4 --db night.db")
    .action(async (addresses, flags: DbFlag) => {
      const run = await import("./run.ts");
      await run.removeTargets(io, databasePath(flags.db, io.env), addresses);
    });
  targets
    .command("list")
    .description("print the accounts on the list, and how each came there")
    .option("--all", "also removed accounts")
    .option("--json", "one JSON object a line")
    .option(...DB)
    .addHelpText("after", "\nExample:\n  $ movedex targets list --db night.db")
    .action(async (flags: DbFlag & { readonly all?: boolean; readonly json?: boolean }) => {
      const run = await import("./run.ts");
      await run.listTargets(io, databasePath(flags.db, io.env), { withRemoved: flags.all === true, asJson: flags.json === true });
    });
  targets
    .command("import")
    .description("add the accounts of a file: one address a line, or the first column of a CSV file")
    .argument("<file>", "the file; - is stdin")
    .option(...DB)
    .addHelpText("after", "\nExample:\n  $ movedex targets import accounts.csv --db night.db")
    .action(async (file: string, flags: DbFlag) => {
      const run = await import("./run.ts");
      await run.importTargets(io, databasePath(flags.db, io.env), file);
    });
  targets
    .command("discover")
    .description(
      "add the accounts that stored modules depend on, declare as friends or mention. This finds libraries, never their users. " +
        "The next `sync` reads what was added, and then `discover` can go one step further",
    )
    .option("--depth <n>", "at most n steps from a target that was not discovered", wholeNumber(1, 1000), 1)
    .option("--dry-run", "print what would be added")
    .option(...DB)
    .addHelpText("after", "\nExample:\n  $ movedex targets discover --depth 2 --db night.db")
    .action(async (flags: DbFlag & { readonly depth: number; readonly dryRun?: boolean }) => {
      const run = await import("./run.ts");
      await run.discoverTargets(io, databasePath(flags.db, io.env), flags.depth, flags.dryRun === true);
    });
  return targets;
}
