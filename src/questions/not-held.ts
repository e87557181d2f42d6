import { type Facts, MovedexError } from "../errors.ts";

/** What was asked for is not in the database: it was never read, or it was read and is not there. The sentence says which. */
export class NotHeldError extends MovedexError {
  constructor(message: string, facts: Facts = {}) {
    super("MOVEDEX_NOT_HELD", message, { facts });
  }
}
