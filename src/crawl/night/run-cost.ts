import type { NodeStats } from "../../node/open-node.ts";
import type { RunWork } from "../run/run-work.ts";

/** What a run has asked of the node, and how long that took. */
export type Cost = Pick<NodeStats, "requests" | "retries" | "bytesReceived"> & { readonly durationMs: number };

/** Divides a run's cost among its snapshots, so that their shares add up to the whole, with the requests that the run began with. */
export class RunCost {
  readonly #work: Pick<RunWork, "node" | "clock">;
  readonly #startedMs: number;
  #shared: Cost = { requests: 0, retries: 0, bytesReceived: 0, durationMs: 0 };

  /** Counts time from now on, and requests from the node's first one on. */
  constructor(work: Pick<RunWork, "node" | "clock">) {
    this.#work = work;
    this.#startedMs = work.clock.monotonic();
  }

  /** How long the run has taken so far, in milliseconds. */
  elapsedMs(): number {
    return this.#work.clock.monotonic() - this.#startedMs;
  }

  /** The cost since this was last asked for. */
  since(): Cost {
    const before = this.#shared;
    const { requests, retries, bytesReceived } = this.#work.node.stats();
    this.#shared = { requests, retries, bytesReceived, durationMs: this.elapsedMs() };
    return addCost(this.#shared, before, -1);
  }
}

/** Both costs together, or the first one less the second. */
export function addCost(to: Cost, cost: Cost, sign: 1 | -1 = 1): Cost {
  return {
    requests: to.requests + sign * cost.requests,
    retries: to.retries + sign * cost.retries,
    bytesReceived: to.bytesReceived + sign * cost.bytesReceived,
    durationMs: to.durationMs + sign * cost.durationMs,
  };
}
