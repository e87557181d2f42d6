import { MovedexCommand } from "../../core/cli/movedex-command.ts";
import { wholeNumber } from "../../core/cli/options/options.ts";

export function backupCommand(): MovedexCommand {
  return new MovedexCommand("backup")
    .summary("copy the database and check the copy")
    .description(
      "Copy the database while other processes use it. The copy is checked before it gets its name. Before a copy replaces or deletes an older backup, it is verified whole, as `restore` would do. An older backup is deleted only if it is not among the newest n of --keep n and it can be checked.",
    )
    .argument("<file>", "the backup file; with a directory (or a path that ends in /), a file in it, named after the day")
    .database()
    .option("--zstd", "compress with Zstandard (default for names that end in .zst)")
    .option("--keep <n>", "with a directory: keep the newest n backups, delete older ones", wholeNumber(1, 100_000))
    .option("--dry-run", "print what would be kept and deleted; copy and delete nothing")
    .printsJson(async () => (await import("./run.ts")).backupResults, "print one JSON object at the end")
    .examples("backup backups/ --zstd --keep 14 --db night.db")
    .runsFrom(async () => (await import("./run.ts")).runBackup);
}

export function restoreCommand(): MovedexCommand {
  return new MovedexCommand("restore")
    .summary("replace the database by a backup")
    .description("Replace the database by a backup. The backup is checked first.")
    .argument("<file>", "a file that `movedex backup` made, compressed or not")
    .database()
    .option("--replace", "replace an existing database; the old one stays as <db>.replaced-<time>")
    .printsJson(async () => (await import("./run.ts")).restoreResult, "print one JSON object at the end")
    .examples("restore backups/night-20260701.db.zst --db night.db --replace")
    .runsFrom(async () => (await import("./run.ts")).runRestore);
}
