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

/** Makes sure of something that only a mistake in movedex, or a broken installation, can make untrue. @throws Error otherwise */
export function invariant(condition: boolean, message: string): asserts condition {
  if (!condition) throw new Error(message);
}

/** A value that has to be there. @throws Error where it is undefined, which only a mistake in movedex can cause */
export function present<T>(value: T | undefined, message: string): T {
  invariant(value !== undefined, message);
  return value as T;
}

/** For a place that code never comes to. @throws Error always */
export function unreachable(message: string): never {
  throw new Error(message);
}
