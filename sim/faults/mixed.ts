import { seededRandom } from "../../src/core/base/numbers.ts";
import type { SimRequest } from "../http/answer.ts";
import type { Fault, FaultPlan } from "./fault.ts";
import { errorInSuccess, gatewayPage, storageFailure, tooManyRequests, unavailable } from "./refusals.ts";
import { nodeBehind } from "./scenes.ts";
import { cutBody, cutChunks, drip, late, resetAfterHeaders, resetBeforeHeaders, silence, stall } from "./transport.ts";

type MixOptions = {
  readonly seed: number;
  /** The share of requests that meet a fault, from 0 to 1; default 0.2. */
  readonly share?: number;
  /** How long silence lasts before the connection is reset, in milliseconds; default 30. */
  readonly holdMs?: number;
  /** How often the same request may fail before it is answered; default 3, so that no sensible retry budget runs out. */
  readonly maxInARow?: number;
  /** Whether 429 may also name a wait of minutes: for clients on a clock of their own; default no. */
  readonly longWaits?: boolean;
};

/**
 * A mix of all faults after which a repeated request is answered. None gives a wrong answer. One is a node 50 versions behind,
 * for requests that name a version only.
 */
export function mixedFaults(options: MixOptions): FaultPlan {
  const { seed, share = 0.2, maxInARow = 3 } = options;
  const random = seededRandom(seed);
  const faults = retriableFaults(options);
  const met = new Set<Fault>();
  const inARow = new Map<string, number>();
  return {
    pick: (request) => {
      const [isDue, choice] = [random() < share, random()];
      const failed = inARow.get(request.target) ?? 0;
      if (!isDue || failed >= maxInARow) {
        inARow.delete(request.target);
        return [];
      }
      const usable = namesVersion(request) ? faults : faults.filter(({ view }) => !view);
      const fault = usable[Math.floor(choice * usable.length)];
      if (!fault) return [];
      inARow.set(request.target, failed + 1);
      met.add(fault);
      return [fault];
    },
    unmet: () => faults.filter((fault) => !met.has(fault)).map(({ name }) => name),
  };
}

function retriableFaults({ holdMs = 30, longWaits = false }: MixOptions): Fault[] {
  const waits = [undefined, "0", "1", "-5", "soon", new Date(0).toUTCString(), ...(longWaits ? ["120", "999999999999"] : [])];
  return [
    ...waits.map(tooManyRequests),
    unavailable("overloaded"),
    unavailable("node_not_bootstrapped"),
    unavailable("internal_error"),
    storageFailure("database"),
    storageFailure("stateValue"),
    storageFailure("indexLate"),
    storageFailure("joinError"),
    ...[200, 502, 503, 504].map(gatewayPage),
    errorInSuccess(),
    cutBody(),
    cutChunks(),
    resetBeforeHeaders(),
    resetAfterHeaders(),
    silence(holdMs),
    stall(holdMs),
    late(holdMs),
    drip({ pieces: 3, pauseMs: holdMs / 3 }),
    nodeBehind(50n),
  ];
}

function namesVersion({ target }: SimRequest): boolean {
  return target.includes("ledger_version=");
}
