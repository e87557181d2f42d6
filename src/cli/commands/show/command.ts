import { Command } from "commander";
import { databasePath } from "../../../config.ts";
import type { Io } from "../../io.ts";
import { dbOption } from "../../options/options.ts";

type ShowFlags = { readonly all?: boolean; readonly json?: boolean; readonly code?: boolean; readonly db?: string };

export function showCommand(io: Io): Command {
  return new Command("show")
    .summary("print a module, function or struct as Move source")
    .description(
      "Print a module, function or struct as Move source without bodies, or list the modules of an account. --code adds the instructions of functions.",
    )
    .argument(
      "<subject>",
      "0x1::coin, coin, 0x1::coin::transfer or 0x1, optionally with @VERSION (default: the newest snapshot); or a .mv file",
    )
    .option("--all", "include private functions, and those that the compiler generated")
    .option("--code", "add the instructions of every function")
    .option("--json", "print the node's JSON: bytecode and ABI; with --code, functions and instructions")
    .option(...dbOption)
    .addHelpText("after", "\nExample:\n  $ movedex show 0x1::coin --db night.db")
    .action(async (subject: string, flags: ShowFlags) => {
      const { runShow } = await import("./run.ts");
      const { all = false, json: asJson = false, code = false } = flags;
      await runShow(io, databasePath(flags.db, io.env), subject, { all, asJson, code });
    });
}
