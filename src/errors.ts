import type { ExitName } from "./exit-codes.ts";

/** Plain data about a failure: numbers, names and texts that its sentence was made from. Never secrets. */
export type Facts = Readonly<Record<string, string | number | bigint | boolean | null | readonly string[]>>;

/**
 * The base of all errors that movedex throws on purpose. `code` is stable: match on it. `facts` is what the message was made
 * from. `exit` names the exit code's row when nobody handles it.
 */
export class MovedexError extends Error {
  readonly code: string;
  readonly facts: Facts;
  readonly exit: ExitName;

  constructor(code: string, message: string, options: { facts?: Facts; exit?: ExitName; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = new.target.name;
    this.code = code;
    this.facts = options.facts ?? {};
    this.exit = options.exit ?? "failed";
  }
}

/** Something the person who started movedex has to change: an option, a file, a variable. */
export class ConfigError extends MovedexError {
  constructor(message: string, options: { facts?: Facts; cause?: unknown } = {}) {
    super("MOVEDEX_CONFIG", message, { ...options, exit: "usage" });
  }
}

/** What failed first. Where `await using` closes after a failure, and closing fails too, it throws a pair of both. */
export function firstFailure(error: unknown): unknown {
  return error instanceof SuppressedError ? firstFailure(error.suppressed) : error;
}
