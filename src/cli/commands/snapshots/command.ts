import { Command } from "commander";
import { databasePath } from "../../../config.ts";
import type { Io } from "../../io.ts";
import { wholeNumber } from "../../options/options.ts";
import type { SnapshotsFlags } from "./run.ts";

/** `movedex snapshots`: the snapshots that are held or begun. */
export function snapshotsCommand(io: Io): Command {
  return new Command("snapshots")
    .summary("the snapshots that are held or begun")
    .description("List the snapshots, newest first: their ledger version, how far each is, and what it holds. Sends no request.")
    .option("--limit <n>", "print at most n snapshots, 0 for all", wholeNumber(0, 1e9), 50)
    .option("--json", "print one JSON object a line")
    .option("--db <file>", "the database (default: DATABASE_URL, else movedex.db)")
    .addHelpText("after", "\nExample:\n  $ movedex snapshots --db night.db")
    .action(async (flags: SnapshotsFlags & { readonly db?: string }) => {
      const { runSnapshots } = await import("./run.ts");
      await runSnapshots(io, databasePath(flags.db, io.env), flags);
    });
}
