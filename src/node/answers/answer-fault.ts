import type { NodeErrorKind } from "./error-classes.ts";

/** What is known about one failed attempt. Texts come from the node and are not yet made printable. */
export type FaultFacts = {
  readonly status?: number;
  readonly errorCode?: string;
  readonly vmErrorCode?: number;
  /** How long the node asks us to wait, in milliseconds. */
  readonly retryAfterMs?: number;
  /** The oldest version that the node says it can read. */
  readonly oldestVersion?: bigint;
};

/** One attempt that gave no usable answer; inside this room only. The request that made it tries again or turns it into a NodeError. */
export class AnswerFault extends Error {
  readonly kind: NodeErrorKind;
  readonly known: FaultFacts;

  constructor(kind: NodeErrorKind, found: string, known: FaultFacts = {}, cause?: unknown) {
    super(found, cause === undefined ? undefined : { cause });
    this.kind = kind;
    this.known = known;
  }
}
