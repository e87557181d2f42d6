import { seededRandom } from "../../src/core/base/numbers.ts";
import type { SimRequest } from "../http/answer.ts";
import type { Fault, FaultPlan } from "./fault.ts";

/** A fault and the requests that it meets: those that fulfil all conditions given. */
export type PlannedFault = {
  readonly fault: Fault;
  /** Which requests are counted at all; default every one. */
  readonly match?: (request: SimRequest) => boolean;
  /** The n-th of the matching requests, or several of them; 1 is the first. */
  readonly at?: number | readonly number[];
  /** Every n-th of the matching requests. */
  readonly every?: number;
  /** The share of the matching requests, from 0 to 1, drawn from `seed`. */
  readonly share?: number;
  /** Default 1. */
  readonly seed?: number;
  /** How many requests it meets at most; default all. */
  readonly times?: number;
};

/** Several planned faults as one plan; faults that meet the same request apply in the order given here. */
export function planFaults(planned: readonly PlannedFault[]): FaultPlan {
  const rules = planned.map(createRule);
  return {
    pick: (request) => rules.flatMap((rule) => (rule.meets(request) ? [rule.fault] : [])),
    unmet: () => rules.flatMap((rule) => rule.unmet()),
  };
}

type Rule = { readonly fault: Fault; readonly meets: (request: SimRequest) => boolean; readonly unmet: () => string[] };

function createRule({ fault, match, at, every, share, seed = 1, times = Number.POSITIVE_INFINITY }: PlannedFault): Rule {
  const turns = at === undefined ? undefined : new Set(typeof at === "number" ? [at] : at);
  const missing = new Set(turns);
  const random = seededRandom(seed);
  let seen = 0;
  let met = 0;
  return {
    fault,
    meets: (request) => {
      if (match && !match(request)) return false;
      seen++;
      const isDrawn = share === undefined || random() < share;
      const isDue = (!turns || turns.has(seen)) && (every === undefined || seen % every === 0);
      if (met >= times || !isDrawn || !isDue) return false;
      met++;
      missing.delete(seen);
      return true;
    },
    unmet: () => (turns ? [...missing].map((turn) => `${fault.name} (at ${turn})`) : met === 0 ? [fault.name] : []),
  };
}
