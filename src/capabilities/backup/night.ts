import { isSameFile } from "../../core/base/files.ts";
import type { NightPart } from "../../core/cli/night-part.ts";
import type { DeclaredCommand } from "../../core/cli/options/declared-command.ts";
import { wholeNumber } from "../../core/cli/options/options.ts";
import { ConfigError } from "../../core/errors.ts";
import type { Retention, StepFlags } from "./run.ts";

/** A copy of the database, where `night` is told to make one. */
export const nightPart: NightPart<Retention & { readonly backup?: string; readonly slices?: number }, StepFlags> = {
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
        throw new ConfigError((await import("./file/backup-file.ts")).notReplaced(backup, "is the database's own file").message);
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
