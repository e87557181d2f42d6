import { printable } from "../base/printable.ts";
import { ConfigError } from "../errors.ts";

/** The system's code for what went wrong with a file. */
export function systemCode(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? "unknown error";
}

/** A file that could not be read or written, as the person's fault who named it. `advice` is a sentence. */
export function fileFault(doing: "read" | "write", what: string, path: string, error: unknown, advice: string): ConfigError {
  const reason = systemCode(error);
  return new ConfigError(`could not ${doing} the ${what} \`${printable(path)}\`: ${reason}. ${advice}`, {
    facts: { path, reason },
    cause: error,
  });
}
