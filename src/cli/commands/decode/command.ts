import { Command } from "commander";
import { exitCodes } from "../../../exit-codes.ts";
import type { Io, Outcome } from "../../io.ts";
import { jsonLine } from "../../output/json-line.ts";

export function decodeCommand(io: Pick<Io, "stdout">, outcome: Outcome): Command {
  return new Command("decode")
    .summary("print the ABI of bytecode files as JSON")
    .description(
      "Print the ABI of bytecode files as a node of 2026 does: one line of JSON per file. Needs no node. A file that cannot be decoded gets a line with `error`; the exit code is then 2.",
    )
    .argument("<file...>", "files with the bytecode of one module each (.mv)")
    .option("--full", "add `module`: private functions, error codes, dependencies and all else in the bytecode")
    .addHelpText("after", "\nExample:\n  $ movedex decode coin.mv")
    .action(async (files: readonly string[], flags: { readonly full?: boolean }) => {
      const { decodeFile } = await import("./run.ts");
      for (const file of files) {
        const line = decodeFile(file, flags.full === true);
        if ("error" in line) outcome.exitCode = exitCodes.gaps.code;
        await io.stdout(jsonLine(line));
      }
    });
}
