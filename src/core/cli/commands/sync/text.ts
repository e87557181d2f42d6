import { formatBytes, grouped, keepTexts, plural } from "../../../base/plural.ts";
import { printable } from "../../../base/printable.ts";
import { formatDuration } from "../../../base/time.ts";
import type { DryRun } from "../../../crawl/night/dry-run.ts";
import { type SyncSummary, sealedDespiteSignal } from "../../../crawl/night/summary.ts";
import type { HeadReport } from "../../../crawl/night/tonight.ts";
import type { ChoiceOutlook } from "../../../crawl/targets/choice.ts";
import type { ReadingAges } from "../../../crawl/targets/targets.ts";

/** A snapshot's summary in words, and how to go on where it is not finished. */
export function summaryText(summary: SyncSummary, databasePath: string): string {
  const { retried, accounts, passedOver, ages, head, digest, undecoded, doubtful, emptied, gaps } = summary;
  const version = `ledger version ${summary.ledgerVersion} of chain ${summary.chainId}`;
  if (retried !== undefined)
    return `gaps of ${version} tried again: ${plural(retried.filled.length, "account")} of ${grouped(retried.gaps)} answered, ${plural(gaps, "gap")} left\n`;
  const changes = summary.isFirst ? "the first snapshot, so all of them are new" : `${plural(summary.changedModules, "module")} changed`;
  const isOld = head?.isStale
    ? ": it has no newer state than what is held; it has stopped, lags behind its chain, or is of another ledger"
    : "";
  const asked = `${plural(summary.requests, "request")}, ${plural(summary.retries, "retry", "retries")}, ${plural(summary.bytesReceived, "byte")} received in ${formatDuration(summary.durationMs)}`;
  const newest = head && `the node's newest version is ${head.ledgerVersion}, ${ageText(head)}${isOld}`;
  // Its counts are those of another run.
  if (summary.isHeld) return linesOf(`nothing to read: ${version} is held already`, keepTexts([asked, newest]));
  const about = keepTexts([
    summary.sealedBy !== undefined && `sealed by ${printable(summary.sealedBy, 100)}`,
    summary.othersGoOn && "other workers go on reading it",
    sealedDespiteSignal(summary) &&
      `${summary.stoppedBy} came after the last account was read: the snapshot is complete, and the run stopped once it was sealed`,
    passedOver && [`read ${partText(accounts, gaps + passedOver)}`, ...(ages === undefined ? [] : agesText(ages))].join(", "),
    `${plural(accounts, "account")}, ${plural(summary.modules, "module")}; ${changes}, ${plural(summary.newBytecodes, "bytecode")} new`,
    asked,
    summary.outlook && outlookText(summary.outlook),
    summary.empty > 0 &&
      `${plural(summary.empty, "account")} without modules or a record, at two requests each: \`movedex targets remove\` takes them off the list`,
    newest,
    digest !== null && `digest ${digest}`,
    undecoded !== undefined && `${plural(undecoded, "module")} cannot be decoded by this movedex; the bytes are kept`,
    doubtful !== undefined && `${plural(doubtful, "module")} kept whose bytes name another module, or are too large: see the view findings`,
    emptied && emptiedText(emptied),
    gaps > 0 && `${plural(gaps, "gap")}: see \`movedex gaps --db ${printable(databasePath)}\``,
  ]);
  return linesOf(endText(summary, version), about);
}

const linesOf = (first: string, more: readonly string[]): string => `${[first, ...more.map((line) => `  ${line}`)].join("\n")}\n`;

function endText({ status, isLost, isResumed, accounts, gaps, accountsLeft, ...end }: SyncSummary, version: string): string {
  const { stoppedBy, failing, head, isTooSmall } = end;
  const why =
    failing !== undefined
      ? `the budget of this run was spent while the node failed (${failingText(failing)}): ask \`movedex doctor\` about it`
      : stoppedBy === "budget"
        ? isTooSmall
          ? `the budget of this run did not suffice for one account: ${RAISE}`
          : "the budget of this run is used up"
        : `stopped by ${stoppedBy ?? "a failure"}`;
  if (status !== "unsealed") {
    // Its own has a head.
    const isOwnLeft = stoppedBy !== undefined && head === undefined;
    return `${status === "sealed" ? "sealed" : "sealed with gaps"}: ${version}${isResumed ? ", begun by an earlier run" : ""}${isOwnLeft ? `; no other was begun: ${why}` : ""}`;
  }
  if (isLost) return `given up: ${version} was pruned before any account was read`;
  if (accountsLeft === 0) return `given up: ${version}, of which the node answered for no account`;
  const read = accountsLeft === undefined ? "" : `${readOfTotal(accounts, gaps, accountsLeft)}, `;
  return `not finished: ${version}, ${read}${why}; nothing is lost${isTooSmall ? "" : ", and the same command continues"}`;
}

/** How old the node's newest version is. Clocks that differ by less than a second are alike. */
export function ageText({ ageMs, aheadMs }: HeadReport): string {
  return aheadMs < 1000 ? `${formatDuration(ageMs)} old` : `${formatDuration(aheadMs)} ahead of this machine's clock`;
}

export function readOfTotal(accounts: number, gaps: number, left: number): string {
  return `${grouped(accounts)} of ${plural(accounts + gaps + left, "account")} read`;
}

/** How much of the list a night read that its budget made choose; `others` are the accounts without an answer and those passed over. */
export function partText(accounts: number, others: number): string {
  return `${grouped(accounts)} of ${grouped(accounts + others)} accounts (budget)`;
}

export function agesText({ neverRead, oldestMs, medianMs }: ReadingAges): string[] {
  return keepTexts([
    oldestMs !== undefined && `oldest reading ${formatDuration(oldestMs)}`,
    medianMs !== undefined && `half of them ${formatDuration(medianMs)} or newer`,
    neverRead > 0 && `${grouped(neverRead)} never read`,
  ]);
}

/** What is said of accounts that had modules and list none. */
export function emptiedText(accounts: number): string {
  return `the node lists no module of ${plural(accounts, "account")} that had some: its index may be missing or not built`;
}

/** What helps a run whose budget did not suffice for anything. */
export const RAISE = "raise --max-requests or --max-duration";

/** How often a node failed in a run, and how the last time. */
export function failingText({ attempts, of, lostMs, last }: NonNullable<SyncSummary["failing"]>): string {
  const took = lostMs === undefined ? "" : `, which took ${formatDuration(lostMs)}`;
  return `in ${grouped(attempts)} of ${plural(of, "attempt")}${took}, at last: ${last}`;
}

export function dryRunText(plan: DryRun): string {
  const { chainId, ledgerVersion, isHeld, accounts, passedOver, outlook, unfinished, requestsAtLeast, times, bytes } = plan;
  const about = passedOver === undefined ? plural(accounts, "account") : partText(accounts, passedOver);
  const paces = times.map(({ name, perSecond, durationMs }) => `${formatDuration(durationMs)} at ${name} (${perSecond} requests/s)`);
  const lines = keepTexts([
    ...unfinished.map(({ ledgerVersion, accountsLeft, isPruned }) => {
      const what = isPruned ? "is pruned by now, and would be sealed with gaps" : "would be resumed";
      return `unfinished: ledger version ${ledgerVersion} ${what}; ${plural(accountsLeft, "account")} left`;
    }),
    unfinished.some(({ isTonights }) => isTonights)
      ? "no other ledger version would be read"
      : `would read ledger version ${ledgerVersion} of chain ${chainId}${isHeld ? ", which is held already" : ""}: ${about}`,
    outlook && `  ${outlookText(outlook)}`,
    `  at least ${[plural(requestsAtLeast, "request"), ...paces].join(", ")}`,
    bytes && `  about ${formatBytes(bytes.received)} to receive, and ${formatBytes(bytes.stored)} of disk`,
    `  ${plural(plan.aboveHorizon, "version")} above the node's horizon`,
    "dry run: nothing was written",
  ]);
  return `${lines.join("\n")}\n`;
}

/** What nights under a budget come to: which age it gives, what would keep the one wanted, and what choosing is worth. */
export function outlookText(outlook: ChoiceOutlook): string {
  const { usefulness, ofRoundRobin, knownWithinDay, ageMs, wantedAgeMs, isAgeKept, requestsForAge } = outlook;
  const percent = (share: number): string => `${Math.round(100 * share)} %`;
  const age = Number.isFinite(ageMs) ? `read every account within ${formatDuration(ageMs)}` : "never read every account";
  const wanted = isAgeKept ? "" : `; within ${formatDuration(wantedAgeMs)} would take ${plural(requestsForAge, "request")} a night`;
  const isKnown = usefulness !== undefined && ofRoundRobin !== undefined && knownWithinDay !== undefined;
  const worth = isKnown
    ? `; usefulness ${percent(usefulness)} (by taking turns ${percent(ofRoundRobin)}); ${percent(knownWithinDay)} of changes known within a day`
    : "";
  return `nights like this one ${age}${wanted}${worth}`;
}
