import { Command } from "commander";
import { exitCodes } from "../../../exit-codes.ts";
import type { Io, Outcome } from "../../io.ts";
import { jsonLine } from "../../output/json-line.ts";

/** `movedex decode`: bytecode files to ABI JSON, without a node. */
export function decodeCommand(io: Pick<Io, "stdout">, outcome: Outcome): Command {
  return new Command("decode")
    .summary("bytecode files to ABI JSON, without a node")
    .description(
      "Print the ABI of bytecode files as JSON, one line for each file, in the form of a node of 2026. A file that cannot be decoded gets a line with `error`, and the exit code is 2.",
    )
    .argument("<file...>", "files with the bytecode of one module each (.mv)")
    .option("--full", "add `module`: everything that the bytecode says, with private functions, error codes and dependencies")
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
