import type { NodeErrorKind } from "./error-classes.ts";

/** What is known about one failed attempt. Texts are as the node sent them: not yet safe to print. */
export type FaultFacts = {
  readonly status?: number;
  readonly errorCode?: string;
  readonly vmErrorCode?: number;
  /** How long the node asks its clients to wait, in milliseconds. */
  readonly retryAfterMs?: number;
  readonly oldestVersion?: bigint;
  /** Where the answer says that pruned versions can be read. */
  readonly archivalEndpoint?: string;
};

/** One attempt that gave no usable answer. It stays inside this room: the requester tries again or turns it into a NodeError. */
export class AnswerFault extends Error {
  readonly kind: NodeErrorKind;
  readonly known: FaultFacts;

  constructor(kind: NodeErrorKind, found: string, known: FaultFacts = {}, cause?: unknown) {
    super(found, cause === undefined ? undefined : { cause });
    this.kind = kind;
    this.known = known;
  }
}
