import { isSameFile } from "../../core/base/files.ts";
import type { Capability } from "../../core/cli/capability.ts";
import { MovedexCommand } from "../../core/cli/movedex-command.ts";
import type { NightPart } from "../../core/cli/night-part.ts";
import type { DeclaredCommand } from "../../core/cli/options/declared-command.ts";
import { wholeNumber } from "../../core/cli/options/options.ts";
import { ConfigError } from "../../core/errors.ts";
import type { Retention, StepFlags } from "./run.ts";

export const backup: Capability = {
  name: "backup",
  needs: ["verify"],
  commands: {
    "Look after the archive:": {
      backup: async () => backupCommand,
      restore: async () => restoreCommand,
    },
  },
  nightParts: async () => [nightPart],
};

function backupCommand(): MovedexCommand {
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

function restoreCommand(): MovedexCommand {
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

/** A copy of the database, where `night` is told to make one. */
const nightPart: NightPart<Retention & { readonly backup?: string; readonly slices?: number }, StepFlags> = {
  name: "backup",
  declare: (command: DeclaredCommand) =>
    command
      .option("--backup <path>", "make a compressed backup: a file, or a directory with one file per day")
      .option("--keep <n>", "with a directory: keep the newest n backups", wholeNumber(1, 100_000)),
  // What the node prunes tonight is worth more than a copy: no night is refused for a place where none can be made.
  outputs: ({ backup }) => (backup === undefined ? [] : [{ what: "backup", path: backup, isOptional: true }]),
  refuse: async ({ db, backup }) => {
    if (backup === undefined) return;
    const database = await databaseAt(db);
    database.assertFile("backup", backup);
    for (const own of await database.files())
      if (isSameFile(own, backup))
        throw new ConfigError((await import("./file/backup.ts")).notReplaced(backup, "is the database's own file").message);
  },
  rehearse: async ({ db, backup, keep }) => {
    if (backup !== undefined) await (await import("./run.ts")).requirePlace(backup, keep === undefined ? { db } : { db, keep });
  },
  // There is no second copy of what the node has pruned.
  remark: async ({ db, backup, keep }, isFirstOfWeek) => {
    if (backup !== undefined || (await databaseAt(db)).isShareable) return undefined;
    if (keep !== undefined) return "no night makes a backup: `--keep` needs `--backup`";
    return isFirstOfWeek ? "no night makes a backup (see `--backup`)" : undefined;
  },
  turn: ({ flags: { backup: file, keep, slices = 0 }, shared: { database } }) =>
    file === undefined
      ? undefined
      : {
          flags: { zstd: true, keep, ...database },
          given: () => ({ file }),
          words: [file],
          // A damaged database must not take the place of a good backup.
          after: slices > 0 ? { step: "verify", exits: ["done"] } : undefined,
        },
  load: async () => (await import("./run.ts")).step,
};

/** Loaded when it is asked for: every start declares the options of `night`. */
async function databaseAt(db: string) {
  return (await import("../../core/db/engine/database-at.ts")).databaseAt(db);
}
