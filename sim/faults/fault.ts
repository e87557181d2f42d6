import type { ServerResponse } from "node:http";
import type { Answer, SimRequest } from "../http/answer.ts";
import type { NodeView } from "../ledger/view.ts";

/** An answer about to be sent, with its body in the encoding in which it would be sent. */
export type Delivery = {
  readonly request: SimRequest;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  readonly response: ServerResponse;
  /** Sends it as it is. */
  readonly send: () => void;
};

/**
 * Something that goes wrong between a request and its answer: `before` changes the ledger, `view` the state that the node sees,
 * `answer` its answer, `deliver` the way it goes. Several are applied in order; the last `deliver` counts.
 */
export type Fault = {
  readonly name: string;
  readonly before?: () => void;
  readonly view?: (view: NodeView) => NodeView;
  readonly answer?: (honest: () => Answer, request: SimRequest, view: NodeView) => Answer;
  readonly deliver?: (delivery: Delivery) => void;
};

export type FaultPlan = {
  /** The faults for this request, the `ordinal`-th of all (1 is the first). */
  readonly pick: (request: SimRequest, ordinal: number) => readonly Fault[];
  /** Names of planned faults that never met a request. */
  readonly unmet: () => string[];
};
