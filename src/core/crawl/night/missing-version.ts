import { MovedexError } from "../../errors.ts";
import type { Night } from "./night.ts";

/** Nodes behind one address are seconds apart. */
const LONGEST_MS = 120_000;
const EACH_MS = 5000;

/**
 * Waits until the node has the version of an unfinished snapshot, which another node of its address had. Asking for each account would
 * take a minute for each, and would leave gaps of what a node that has the version can still answer.
 * @throws MovedexError `MOVEDEX_PIN_FUTURE` when it has not by then
 */
export async function awaitVersion({ work, head }: Night, ledgerVersion: bigint): Promise<void> {
  const { node, clock, stop, log } = work;
  const untilMs = clock.monotonic() + LONGEST_MS;
  let newest = head.ledgerVersion;
  const found = () => `the node's newest version is ${newest}, below ledger version ${ledgerVersion}, whose snapshot is unfinished`;
  log("warn", `${found()}: waiting for up to 2 min`, { ledger_version: ledgerVersion, head_version: newest });
  while (newest < ledgerVersion) {
    try {
      if (clock.monotonic() < untilMs) await clock.sleep(EACH_MS, stop.asked);
    } catch (error) {
      if (stop.reason !== "budget") throw error;
    }
    if (clock.monotonic() >= untilMs || stop.reason !== undefined) {
      const advice = "The snapshot stays as it is. Wait until the node has caught up, or ask one that has this version.";
      throw new MovedexError("MOVEDEX_PIN_FUTURE", `${found()}. ${advice}`, { exit: "stale", facts: { wanted: ledgerVersion, newest } });
    }
    newest = (await node.index(stop.signal)).head.ledgerVersion;
  }
}
