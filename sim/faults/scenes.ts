import type { SimLedger } from "../ledger/ledger.ts";
import type { Fault, FaultPlan } from "./fault.ts";

/** Changes the ledger just before a request is answered: moves the horizon, advances the head, publishes code. */
export function meanwhile(name: string, action: () => void): Fault {
  return { name, before: action };
}

/** The request is answered by a node that lags by `versions`. */
export function nodeBehind(versions: bigint): Fault {
  return { name: `${versions} versions behind`, view: (view) => ({ ...view, info: view.ledger.info(versions) }) };
}

/** Answers from the state of another ledger under this ledger's headers, as a node with a corrupt storage or cache does. */
export function otherStorage(ledger: SimLedger): Fault {
  return { name: "another storage", view: (view) => ({ ...view, ledger }) };
}

/**
 * A load balancer in front of several nodes, each with its own lag in versions: they answer in turn, and a client that
 * sends the cookie of one stays with it. Without `isSticky` no cookie is set.
 */
export function balancer(behind: readonly bigint[], isSticky = true): FaultPlan {
  let turn = 0;
  return {
    pick: ({ headers }) => {
      const named = /(?:^|; )ROUTE=(\d+)/.exec(headers.cookie ?? "")?.[1];
      const index = named === undefined ? turn++ % behind.length : Number(named);
      const cookie: Fault = {
        name: "cookie",
        answer: (honest) => {
          const answer = honest();
          return {
            ...answer,
            headers: { ...answer.headers, "set-cookie": `ROUTE=${index}; Expires=Wed, 01 Jan 2031 00:00:00 GMT; Path=/` },
          };
        },
      };
      return [nodeBehind(behind[index] ?? 0n), ...(isSticky ? [cookie] : [])];
    },
    unmet: () => [],
  };
}
