import { systemReason } from "../base/files/system-reason.ts";
import { printable } from "../base/printable.ts";
import { ConfigError } from "../errors.ts";

/** The system's code for what went wrong with a file. */
export function systemCode(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? "unknown error";
}

/** A file that could not be read or written, as the person's fault who named it. `advice` is a sentence. */
export function fileFault(doing: "read" | "write", what: string, path: string, error: unknown, advice: string): ConfigError {
  return new ConfigError(`could not ${doing} the ${what} \`${printable(path)}\`: ${systemReason(error)}. ${advice}`, {
    facts: { path, reason: systemCode(error) },
    cause: error,
  });
}
