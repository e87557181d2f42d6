import { CommanderError } from "commander";
import { capabilities as listed } from "./capabilities.ts";
import { capabilitiesFor } from "./core/cli/core-commands.ts";
import { type Io, type ProcessIo, processIo, sayFailure, withStatusLine } from "./core/cli/io.ts";
import { runProgram } from "./core/cli/program.ts";
import { setServers } from "./core/db/engine/place.ts";
import { exitCodes } from "./core/exit-codes.ts";

/**
 * Runs one command line and gives its exit code. An error is a sentence on stderr and, with `--json`, one object
 * `{"error": {code, message, facts}}` as the last line on stdout.
 */
export async function main(argv: readonly string[], process: ProcessIo = processIo()): Promise<number> {
  const capabilities = await capabilitiesFor(argv, listed);
  // A command made of commands hands on its own.
  const io = "statusLine" in process ? (process as Io) : withStatusLine(process, capabilities);
  setServers(capabilities);
  try {
    return await runProgram(io, main, capabilities, argv);
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) {
      io.statusLine(undefined);
      return exitCodes.done.code;
    }
    const { exit, code, message, facts } = sayFailure(error, io);
    if (argv.includes("--json") || argv.includes("--jsonl")) {
      const { printJson } = await import("./core/cli/output/json-line.ts");
      const { failure } = await import("./core/cli/output/result-fields.ts");
      // Where stdout takes nothing, the sentence has to do.
      await printJson(io, failure.print({ error: { code, message, facts } })).catch(() => {});
    }
    return exitCodes[exit].code;
  }
}
