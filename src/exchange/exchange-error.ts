import { type Facts, MovedexError } from "../errors.ts";
import type { ExitName } from "../exit-codes.ts";

/** What can go wrong with files out and in: the stable code of each failure, and the exit code it ends a command with. */
const failures = {
  MOVEDEX_EXPORT_DIRECTORY: "failed",
  MOVEDEX_EXPORT_NOTHING: "failed",
  MOVEDEX_EXPORT_WRITE: "failed",
  MOVEDEX_IMPORT_UNKNOWN: "failed",
  MOVEDEX_IMPORT_DAMAGED: "corrupt",
} as const satisfies Record<string, ExitName>;

/** A failure with files that go out or come in. Nothing is left half done: an unfinished part has no manifest, an unfinished import no rows. */
export class ExchangeError extends MovedexError {
  constructor(code: keyof typeof failures, message: string, options: { facts?: Facts; cause?: unknown } = {}) {
    super(code, message, { ...options, exit: failures[code] });
  }
}
