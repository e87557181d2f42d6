import { CommanderError } from "commander";
import { printableLines } from "./base/printable.ts";
import { type Io, type ProcessIo, processIo, withStatusLine } from "./cli/io.ts";
import { jsonLine } from "./cli/output/json-line.ts";
import { failure } from "./cli/output/result-fields.ts";
import { buildProgram } from "./cli/program.ts";
import { firstFailure, MovedexError } from "./errors.ts";
import { exitCodes } from "./exit-codes.ts";

/**
 * Runs one command line and gives its exit code. The one place that turns errors into words: a sentence on stderr and,
 * with `--json`, one object `{"error": {code, message, facts}}` as the last line on stdout.
 */
export async function main(argv: readonly string[], process: ProcessIo = processIo()): Promise<number> {
  // A command made of commands hands on its own.
  const io = "statusLine" in process ? (process as Io) : withStatusLine(process);
  try {
    const program = await buildProgram(io, main, argv);
    await program.parseAsync([...argv], { from: "user" });
    return program.line.exitCode;
  } catch (error) {
    io.statusLine(undefined);
    if (error instanceof CommanderError && error.exitCode === 0) return exitCodes.done.code;
    const { code, message, facts, exit } = describe(firstFailure(error));
    // Commander has already printed its complaint.
    if (!(error instanceof CommanderError)) io.stderr(`movedex: ${printableLines(message)}\n`);
    if (argv.includes("--json") || argv.includes("--jsonl")) {
      // Where stdout takes nothing, the sentence has to do.
      await io.stdout(jsonLine(failure.print({ error: { code, message, facts } }))).catch(() => {});
    }
    return exitCodes[exit].code;
  }
}

function describe(error: unknown): Pick<MovedexError, "code" | "message" | "facts" | "exit"> {
  if (error instanceof MovedexError) return error;
  if (error instanceof CommanderError) {
    return { code: "MOVEDEX_USAGE", message: error.message.replace(/^error: /, ""), facts: {}, exit: "usage" };
  }
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { code: "MOVEDEX_BUG", message: `this is a bug in movedex, please report it: ${text}`, facts: {}, exit: "failed" };
}
