import { createReadStream } from "node:fs";
import { isFull, systemReason } from "../../base/files.ts";
import { printable } from "../../base/printable.ts";
import { ConfigError, MovedexError } from "../../errors.ts";
import type { Io } from "../io.ts";

/** The system's code for what went wrong with a file. */
export function systemCode(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? "unknown error";
}

/** A file that could not be read or written, as the person's fault who named it, or the disk's. `advice` is a sentence. */
export function fileFault(doing: "read" | "write", what: string, path: string, error: unknown, advice: string): MovedexError {
  const text = `could not ${doing} the ${what} \`${printable(path)}\`: ${systemReason(error)}. ${advice}`;
  const more = { facts: { path, reason: systemCode(error) }, cause: error };
  return isFull(error) ? new MovedexError("MOVEDEX_OUTPUT", text, more) : new ConfigError(text, more);
}

/** The chunks of a file, or of stdin for `-`. @throws ConfigError while they are read */
export async function* streamInput(io: Pick<Io, "stdin">, path: string, what: string): AsyncGenerator<Uint8Array> {
  if (path === "-") return yield* io.stdin();
  try {
    yield* createReadStream(path) as AsyncIterable<Uint8Array>;
  } catch (error) {
    throw fileFault("read", what, path, error, "Check the path and its permissions.");
  }
}
