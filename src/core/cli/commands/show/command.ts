import { MovedexCommand } from "../../movedex-command.ts";

export function showCommand(): MovedexCommand {
  return new MovedexCommand("show")
    .summary("print a module, function or struct as Move source")
    .description("Print a module, function or struct as Move source, or list the modules of an account. --code adds instructions.")
    .argument(
      "<subject>",
      "0x1::coin, coin, 0x1::coin::transfer or 0x1, perhaps with @VERSION (default: the newest snapshot); or a .mv file",
    )
    .option("--all", "include private functions, and those that the compiler generated")
    .option("--code", "add the instructions of every function")
    .option("--json", "print the node's JSON: bytecode and ABI; with --code, functions and instructions")
    .database()
    .examples("show 0x1::coin --db night.db")
    .runsFrom(async () => (await import("./run.ts")).runShow);
}
