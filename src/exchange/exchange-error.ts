import { type Facts, MovedexError } from "../errors.ts";
import type { ExitName } from "../exit-codes.ts";

/** Failures of exports: the stable error code, and the exit code of the command. */
const failures = {
  MOVEDEX_EXPORT_DIRECTORY: "failed",
  MOVEDEX_EXPORT_NOTHING: "failed",
  MOVEDEX_EXPORT_WRITE: "failed",
  MOVEDEX_IMPORT_UNKNOWN: "failed",
  MOVEDEX_IMPORT_DAMAGED: "corrupt",
} as const satisfies Record<string, ExitName>;

/** A failure of an export. It leaves nothing half done: an unfinished part has no manifest. */
export class ExchangeError extends MovedexError {
  constructor(code: keyof typeof failures, message: string, options: { facts?: Facts; cause?: unknown } = {}) {
    super(code, message, { ...options, exit: failures[code] });
  }
}

/** The failure of a file or directory. */
export function pathError(path: string, code: keyof typeof failures, message: string, facts: Facts = {}, cause?: unknown): ExchangeError {
  return new ExchangeError(code, message, { facts: { path, ...facts }, cause });
}
