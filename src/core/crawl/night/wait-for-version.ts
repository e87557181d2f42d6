import { formatDuration } from "../../base/time.ts";
import { MovedexError } from "../../errors.ts";
import type { Head, LedgerHead } from "../../node/protocol/ledger-head.ts";
import type { Night } from "./night.ts";
import { type RunStart, reportHead } from "./tonight.ts";

/** The longest wait for a version, to be there or to be old enough. */
const LONGEST_MS = 120_000;
/** A run that has to end waits for at most this part of the time that it has left. */
const SHARE_OF_REST = 1 / 4;
/** The first wait where nothing tells the head's pace. It doubles while the head stands still or goes back. */
const FIRST_MS = 10_000;
/** A wait is longer than the pace says by this factor, so that one question is enough as a rule. */
const MARGIN = 1.1;

/**
 * How long a run would first wait, until the head that it hears is `lag` versions old, and how long it may. Undefined where the head is
 * too old or nothing new, and where no lag is asked for.
 */
export function firstWait({ request, head, before }: RunStart, nowMs: number, elapsedMs: number) {
  const { lag, version, budget } = request;
  if (version.kind !== "latest" || lag === 0n || head.ledgerVersion <= (before.newestSealed ?? -1n)) return undefined;
  if (reportHead({ request, head, before }, nowMs).isOld) return undefined;
  const leftMs = budget?.maxDurationMs === undefined ? Number.POSITIVE_INFINITY : budget.maxDurationMs - elapsedMs;
  const allowedMs = Math.min(LONGEST_MS, leftMs * SHARE_OF_REST);
  const perMs = before.seen === undefined ? 0 : paceBetween(before.seen, head);
  return { waitMs: perMs > 0 ? msFor(lag, perMs) : FIRST_MS, allowedMs };
}

/**
 * Hears the head, and waits until it is `lag` versions old, so that every node behind the address has it: of the version that was heard
 * the time is known exactly. Undefined where the head is too old, too slow or nothing new.
 * @throws StopError when a signal ends the wait
 */
export async function hearVersion(night: Night): Promise<LedgerHead | undefined> {
  const { work, request, cost, summaries } = night;
  const { node, clock, stop, log } = work;
  const { lag } = request;
  const heard = node.lastHead() ?? night.head;
  const first = firstWait({ ...night, head: heard }, clock.now(), cost.elapsedMs());
  if (first === undefined) return undefined;
  const startedMs = clock.monotonic();
  const facts = { ledger_version: heard.ledgerVersion, lag };
  const age = `${lag} version${lag === 1n ? "" : "s"} old`;
  for (let [risen, waitMs, waitedMs] = [0n, first.waitMs, 0]; risen < lag; ) {
    if (waitedMs + waitMs > first.allowedMs) {
      const text = `ledger version ${heard.ledgerVersion} will not be ${age} within ${formatDuration(first.allowedMs)}; reading an older version, whose time may stay unknown`;
      log("info", text, facts);
      return undefined;
    }
    const more = waitedMs === 0 ? "" : " more";
    log("info", `waiting about ${formatDuration(waitMs)}${more}, until ledger version ${heard.ledgerVersion} is ${age}`, facts);
    try {
      await clock.sleep(waitMs, stop.asked);
    } catch (error) {
      // A run that has read something already ends with that.
      if (stop.reason === "budget" || summaries.length > 0) return undefined;
      throw error;
    }
    const { head } = await node.index(stop.signal);
    risen = head.ledgerVersion - heard.ledgerVersion;
    waitedMs = clock.monotonic() - startedMs;
    const perMs = paceBetween(heard, head);
    // A head that is slower than the ledger's clock says is asked ever more rarely.
    const leastMs = Math.min(waitedMs / 2, first.allowedMs - waitedMs);
    waitMs = perMs > 0 ? Math.max(msFor(lag - risen, perMs), leastMs) : FIRST_MS + waitedMs;
  }
  return heard;
}

const msFor = (versions: bigint, perMs: number): number => Math.ceil((Number(versions) / perMs) * MARGIN);

/** Versions a millisecond; 0 where the head has not risen. */
function paceBetween(from: Head, to: Head): number {
  const usec = Number(to.timestampUsec - from.timestampUsec);
  return usec > 0 ? Math.max(0, (Number(to.ledgerVersion - from.ledgerVersion) * 1000) / usec) : 0;
}

/** How often a node is asked whether it has a version; those behind one address are seconds apart. */
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
