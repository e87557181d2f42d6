import type { Fault } from "./fault.ts";

/** Something happens to the ledger just before a request is read: the horizon moves, the head advances, code is published. */
export function meanwhile(name: string, action: () => void): Fault {
  return { name, before: action };
}

/** The request is answered by a node that is so many versions behind. */
export function nodeBehind(versions: bigint): Fault {
  return { name: `${versions} versions behind`, view: (view) => ({ ...view, info: view.ledger.info(versions) }) };
}
