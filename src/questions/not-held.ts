import { type Facts, MovedexError } from "../errors.ts";

/** What was asked for is not in the database: it was never read, or it was read and is not there. The sentence says which. */
export class NotHeldError extends MovedexError {
  constructor(message: string, facts: Facts = {}) {
    super("MOVEDEX_NOT_HELD", message, { facts });
  }
}

/** ` Did you mean coin or code?`, or nothing. */
export function didYouMean(names: readonly string[]): string {
  if (names.length === 0) return "";
  const last = names.at(-1) as string;
  const quoted = (list: readonly string[]): string => list.map((name) => `\`${name}\``).join(", ");
  return ` Did you mean ${names.length === 1 ? quoted(names) : `${quoted(names.slice(0, -1))} or \`${last}\``}?`;
}
