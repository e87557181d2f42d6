import { Command } from "commander";
import { databasePath } from "../../../config.ts";
import type { Io } from "../../io.ts";

/** `movedex import`: another archive in. */
export function importCommand(io: Io): Command {
  return new Command("import")
    .description(
      "Merge another archive into the database: a movedex database, an export directory (parquet or jsonl), or a folder of bytecode files. It is checked whole before anything is written.",
    )
    .argument("<path>", "a database file, an export directory, a folder with .mv files, or one .mv file")
    .option("--db <file>", "the database, made when it is missing (default: DATABASE_URL, else movedex.db)")
    .option("--json", "print one JSON object at the end")
    .addHelpText(
      "after",
      '\nWhat contradicts the database is listed by `movedex query "SELECT * FROM findings"`; what is stored stays. Bytecode files say nothing of where\nthey stood: they are kept by their SHA-256, and no snapshot shows them.\n\nExample:\n  $ movedex import friends-export --db mine.db',
    )
    .action(async (path: string, flags: { readonly db?: string; readonly json?: boolean }) => {
      const { runImport } = await import("./run.ts");
      await runImport(io, path, databasePath(flags.db, io.env), flags.json === true);
    });
}
