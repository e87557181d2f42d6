import type { Encoding } from "../ledger-node.ts";

/** The `Accept` value of each encoding. The node compares the whole text. Source: aptos-core `api/src/accept_type.rs`. */
export const mediaTypes = { bcs: "application/x-bcs", json: "application/json" } as const satisfies Record<Encoding, string>;

/**
 * Which encoding to ask a node for, and what it has refused so far. With `auto` a refusal turns to the other one, for
 * good; when both have been refused (two nodes behind one address may differ) they take turns.
 */
export class Encodings {
  readonly #fixed: Encoding | undefined;
  #refused: Encoding | undefined;

  constructor(choice: "auto" | Encoding) {
    this.#fixed = choice === "auto" ? undefined : choice;
  }

  /** The encoding to ask for, if `wished` is what the question would rather have. */
  choose(wished: Encoding): Encoding {
    if (this.#fixed) return this.#fixed;
    return this.#refused === wished ? other(wished) : wished;
  }

  /** The node refused this encoding; answers the one to try next, or undefined when there is none. */
  refuse(encoding: Encoding): Encoding | undefined {
    if (this.#fixed) return undefined;
    this.#refused = encoding;
    return other(encoding);
  }
}

function other(encoding: Encoding): Encoding {
  return encoding === "bcs" ? "json" : "bcs";
}
