import { MovedexError } from "../../errors.ts";

/** What keeps a backfill from being planned. Code: `MOVEDEX_BACKFILL_TIMELESS`. */
export class BackfillError extends MovedexError {
  /** The node's head stood still, so nothing tells how versions and time go together. */
  static timeless(version: bigint): BackfillError {
    return new BackfillError(
      "MOVEDEX_BACKFILL_TIMELESS",
      `wanted to know which version stood at a moment, but the node's newest version ${version} has not moved, and no earlier run has seen another. ` +
        "Give --every, --from and --to in versions, or run again when the ledger moves.",
      { facts: { version } },
    );
  }
}
