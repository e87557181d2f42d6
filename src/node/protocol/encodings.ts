/** The two ways in which a node writes its answers. */
export type Encoding = "bcs" | "json";

/** The `Accept` value of each encoding. The node compares the whole text. Source: aptos-core `api/src/accept_type.rs`. */
export const mediaTypes = { bcs: "application/x-bcs", json: "application/json" } as const satisfies Record<Encoding, string>;

/**
 * Chooses the encoding to ask a node for. With `auto`, an encoding that was refused is not asked for again; when both have
 * been refused (two nodes behind one address may differ), it is the one refused longer ago.
 */
export class Encodings {
  readonly #fixed: Encoding | undefined;
  #refused: Encoding | undefined;

  constructor(choice: "auto" | Encoding) {
    this.#fixed = choice === "auto" ? undefined : choice;
  }

  /** The encoding to ask for, where `wished` is the better one for the request. */
  choose(wished: Encoding): Encoding {
    if (this.#fixed) return this.#fixed;
    return this.#refused === wished ? other(wished) : wished;
  }

  /** Records that the node refused an encoding; returns the one to try next, or undefined when there is none. */
  refuse(encoding: Encoding): Encoding | undefined {
    if (this.#fixed) return undefined;
    this.#refused = encoding;
    return other(encoding);
  }
}

function other(encoding: Encoding): Encoding {
  return encoding === "bcs" ? "json" : "bcs";
}
