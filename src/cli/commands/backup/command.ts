import { MovedexCommand } from "../../movedex-command.ts";
import { dbOption } from "../../options/database-option.ts";
import { addRetentionOptions } from "./retention.ts";
import type { BackupFlags, RestoreFlags } from "./run.ts";

export function backupCommand(): MovedexCommand {
  return new MovedexCommand("backup")
    .summary("copy the database and check the copy")
    .description(
      "Copy the database while other processes use it. The copy is checked before it gets its name. An older backup is deleted only if no --keep option keeps it and it can be checked.",
    )
    .argument("<file>", "the backup file; with a directory (or a path that ends in /), a file in it, named after the day")
    .option(...dbOption)
    .option("--zstd", "compress with Zstandard (default for names that end in .zst)")
    .with((command) => addRetentionOptions(command, "with a directory: keep the newest n backups, delete older ones"))
    .option("--dry-run", "print what would be kept and deleted; copy and delete nothing")
    .option("--json", "print one JSON object at the end")
    .examples("backup backups/ --zstd --keep-daily 7 --keep-weekly 4 --db night.db")
    .runs(async ({ io }, file: string, flags: BackupFlags) => (await import("./run.ts")).runBackup(io, file, flags));
}

export function restoreCommand(): MovedexCommand {
  return new MovedexCommand("restore")
    .summary("replace the database by a backup")
    .description("Replace the database by a backup. The backup is checked first.")
    .argument("<file>", "a file that `movedex backup` made, compressed or not")
    .option(...dbOption)
    .option("--replace", "replace an existing database; the old one stays as <db>.replaced-<time>")
    .option("--json", "print one JSON object at the end")
    .examples("restore backups/night-20260701.db.zst --db night.db --replace")
    .runs(async ({ io }, file: string, flags: RestoreFlags) => (await import("./run.ts")).runRestore(io, file, flags));
}
