import { Command } from "commander";
import { databasePath } from "../../../config.ts";
import type { Io } from "../../io.ts";
import { dbOption, wholeNumber } from "../../options/options.ts";
import type { BackupFlags, RestoreFlags } from "./run.ts";

/** `movedex backup`: a checked copy of the database, while others work with it. */
export function backupCommand(io: Io): Command {
  return new Command("backup")
    .summary("copy the database while others work, and check the copy")
    .description("Copy the database; other processes may work with it meanwhile. The copy is checked before it gets its name.")
    .argument("<file>", "the backup; with a directory (an existing one, or a path that ends in /): a file in it, named by the day")
    .option(...dbOption)
    .option("--zstd", "compress with Zstandard (default for a file name that ends in .zst)")
    .option("--keep <n>", "with a directory: keep the newest n backups of this database, remove older ones", wholeNumber(1, 100_000))
    .option("--json", "end with one JSON object on stdout")
    .addHelpText("after", "\nExample:\n  $ movedex backup backups/ --zstd --keep 14 --db night.db")
    .action(async (file: string, flags: BackupFlags) => {
      const { runBackup } = await import("./run.ts");
      await runBackup(io, databasePath(flags.db, io.env), file, flags);
    });
}

/** `movedex restore`: a backup in the place of the database. */
export function restoreCommand(io: Io): Command {
  return new Command("restore")
    .summary("put a backup in the place of the database")
    .description("Put a backup in the place of the database. The backup is checked first.")
    .argument("<file>", "a file that `movedex backup` made, compressed or not")
    .option(...dbOption)
    .option("--replace", "replace an existing database, which is kept as <db>.replaced-<time>")
    .option("--json", "end with one JSON object on stdout")
    .addHelpText("after", "\nExample:\n  $ movedex restore backups/night-20260701.db.zst --db night.db --replace")
    .action(async (file: string, flags: RestoreFlags) => {
      const { runRestore } = await import("./run.ts");
      await runRestore(io, databasePath(flags.db, io.env), file, flags);
    });
}
