import { Command } from "commander";
import { databasePath } from "../../../config.ts";
import type { Io } from "../../io.ts";
import { wholeNumber } from "../../options/options.ts";
import type { BackupFlags, RestoreFlags } from "./run.ts";

/** `movedex backup`: a checked copy of the database, while others work with it. */
export function backupCommand(io: Io): Command {
  return new Command("backup")
    .description("Copy the database as it stands, whoever works with it meanwhile; the copy is checked before it takes its place.")
    .argument("<file>", "the backup; in a directory (one that is there, or a path that ends in /): a file named by the day")
    .option("--db <file>", "the database (default: DATABASE_URL, else movedex.db)")
    .option("--zstd", "pack it with Zstandard (default for a FILE that ends in .zst)")
    .option("--keep <n>", "in a directory: remove older backups of this database until so many are left", wholeNumber(1, 100_000))
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
    .description("Put a backup where the database is; it is checked before it takes its place.")
    .argument("<file>", "a file that `movedex backup` made, packed or not")
    .option("--db <file>", "the database (default: DATABASE_URL, else movedex.db)")
    .option("--replace", "replace a database that is there; it is kept beside, as <db>.replaced-<time>")
    .option("--json", "end with one JSON object on stdout")
    .addHelpText("after", "\nExample:\n  $ movedex restore backups/night-20260701.db.zst --db night.db --replace")
    .action(async (file: string, flags: RestoreFlags) => {
      const { runRestore } = await import("./run.ts");
      await runRestore(io, databasePath(flags.db, io.env), file, flags);
    });
}
