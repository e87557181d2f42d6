import { Command } from "commander";
import { databasePath } from "../../../config.ts";
import type { Io } from "../../io.ts";

/** `movedex show`: what an account or a module holds, in Move's words. */
export function showCommand(io: Io): Command {
  return new Command("show")
    .summary("a module, function or struct as Move source; an account")
    .description("Show a module as Move source without bodies, one of its functions or structs, or the modules of an account.")
    .argument(
      "<subject>",
      "0x1::coin, coin, 0x1::coin::transfer or 0x1, optionally with @VERSION (default: the newest snapshot); or a .mv file",
    )
    .option("--all", "also private functions, and those that the compiler generated for public structs")
    .option("--json", "print the node's JSON instead: bytecode and ABI")
    .option("--db <file>", "the database (default: DATABASE_URL, else movedex.db)")
    .addHelpText("after", "\nExample:\n  $ movedex show 0x1::coin --db night.db")
    .action(async (subject: string, flags: { readonly all?: boolean; readonly json?: boolean; readonly db?: string }) => {
      const { runShow } = await import("./run.ts");
      await runShow(io, databasePath(flags.db, io.env), subject, { all: flags.all === true, asJson: flags.json === true });
    });
}
