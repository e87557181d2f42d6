import { formatBytes, keepTexts, plural } from "../../../base/plural.ts";
import { printable } from "../../../base/printable.ts";
import { formatDuration } from "../../../base/time.ts";
import type { ChoiceOutlook } from "../../../crawl/choice/outlook.ts";
import type { DryRun } from "../../../crawl/night/dry-run.ts";
import type { ExpectedBytes, PacedTime } from "../../../crawl/night/night-cost.ts";
import type { ReadingAges } from "../../../crawl/night/reading-ages.ts";
import { isSealedInSpite, type SyncSummary } from "../../../crawl/night/summary.ts";
import type { HeadReport } from "../../../crawl/night/tonight.ts";
import type { AbiTally } from "../../../crawl/visit/abi-watch.ts";

/** A snapshot's summary in words, and how to go on where it is not finished. `isListed`: the accounts are those of the list. */
export function summaryText(summary: SyncSummary, databasePath: string, isListed: boolean): string {
  const { retried, accounts, passedOver, ages, fewerThan, digest, undecoded, doubtful, gaps } = summary;
  const version = `ledger version ${summary.ledgerVersion} of chain ${summary.chainId}`;
  if (retried !== undefined)
    return `gaps of ${version} tried again: ${plural(retried.filled, "account")} of ${retried.gaps.toLocaleString("en-US")} answered, ${plural(gaps, "gap")} left\n`;
  const changes = summary.isFirst ? "the first snapshot, so all of them are new" : `${plural(summary.changedModules, "module")} changed`;
  const before = fewerThan === undefined ? "" : ` (${fewerThan.toLocaleString("en-US")} in the snapshot before)`;
  const about = keepTexts([
    summary.sealedBy !== undefined && `sealed by ${printable(summary.sealedBy, 100)}`,
    summary.othersGoOn && "other workers go on reading it",
    isSealedInSpite(summary) &&
      `${summary.stoppedBy} came after the last account was read: the snapshot is complete, and the run stopped once it was sealed`,
    passedOver && choiceText(accounts, passedOver, ages),
    `${plural(accounts, "account")}${before}, ${plural(summary.modules, "module")}; ${changes}, ${plural(summary.newBytecodes, "bytecode")} new`,
    `${plural(summary.requests, "request")}, ${plural(summary.retries, "retry", "retries")}, ${plural(summary.bytesReceived, "byte")} received in ${formatDuration(summary.durationMs)}`,
    ...(summary.outlook === undefined ? [] : outlookLines(summary.outlook)),
    summary.unreadRecords && recordsText(accounts, summary.unreadRecords),
    summary.empty > 0 && emptyText(summary.empty, isListed),
    summary.head && headText(summary.head),
    summary.abis && abisText(summary.abis),
    digest !== null && `digest ${digest}`,
    undecoded !== undefined && `${plural(undecoded, "module")} cannot be decoded by this movedex; the bytes are kept`,
    doubtful !== undefined && `${plural(doubtful, "module")} kept whose bytes name another module, or are too large: see the view findings`,
    gaps > 0 && `${plural(gaps, "gap")}: see \`movedex gaps --db ${printable(databasePath)}\``,
  ]);
  return `${[endText(summary, version), ...about.map((line) => `  ${line}`)].join("\n")}\n`;
}

function endText(summary: SyncSummary, version: string): string {
  const { status, isLost, isResumed } = summary;
  if (status !== "unsealed")
    return `${status === "sealed" ? "sealed" : "sealed with gaps"}: ${version}${isResumed ? ", begun by an earlier run" : ""}`;
  return isLost
    ? `given up: ${version} was pruned before any account was read`
    : `not finished: ${version}, ${readText(summary)}${stopText(summary)}`;
}

function readText({ accounts, gaps, accountsLeft }: SyncSummary): string {
  return accountsLeft === undefined ? "" : `${ofAllText(accounts, gaps, accountsLeft)}, `;
}

/** How much of a snapshot's plan is read. */
export function ofAllText(accounts: number, gaps: number, left: number): string {
  return `${accounts.toLocaleString("en-US")} of ${plural(accounts + gaps + left, "account")} read`;
}

/** How much of the list a night read that its budget made choose, and how old the rest is. */
function choiceText(accounts: number, passedOver: number, ages: ReadingAges | undefined): string {
  return [`read ${partText(accounts, passedOver)}`, ...(ages === undefined ? [] : agesText(ages))].join(", ");
}

export function partText(accounts: number, passedOver: number): string {
  return `${accounts.toLocaleString("en-US")} of ${(accounts + passedOver).toLocaleString("en-US")} accounts (budget)`;
}

/** How old what is known of the targets is, in words. */
export function agesText({ neverRead, oldestMs, medianMs }: ReadingAges): string[] {
  return [
    ...(oldestMs === undefined ? [] : [`oldest reading ${formatDuration(oldestMs)}`]),
    ...(medianMs === undefined ? [] : [`half of them ${formatDuration(medianMs)} or newer`]),
    ...(neverRead === 0 ? [] : [`${neverRead.toLocaleString("en-US")} never read`]),
  ];
}

function recordsText(accounts: number, unread: number): string {
  const read = accounts - unread;
  return read === 0
    ? "no account records read, only modules"
    : `${plural(read, "account")} read with the record, ${plural(unread, "account")} without`;
}

function emptyText(empty: number, isListed: boolean): string {
  const hold = empty === 1 ? "1 account holds" : `${empty.toLocaleString("en-US")} accounts hold`;
  return `${hold} nothing: no modules, and no record of their own. Each costs two requests a night${isListed ? "; `movedex targets remove` takes them off the list" : ""}`;
}

function headText({ ledgerVersion, ageMs, risenBy, isStale }: HeadReport): string {
  const rise =
    risenBy === undefined
      ? ""
      : risenBy > 0n
        ? `, ${plural(risenBy, "version")} above the newest seen before`
        : risenBy === 0n
          ? ", unchanged since it was last seen"
          : `, ${plural(-risenBy, "version")} below the newest seen before`;
  const stale = isStale ? ". It has no newer state than what is held: it has stopped, lags behind its chain, or is of another ledger" : "";
  return `the node's newest version is ${ledgerVersion}, ${formatDuration(ageMs)} old${rise}${stale}`;
}

function abisText({ compared, explained, findings, habits, build }: AbiTally): string {
  const node = build === undefined ? "the node" : `the node, of build ${build},`;
  const why = explained === 0 ? "" : `, ${explained.toLocaleString("en-US")} differ as that build does (${[...habits].join(", ")})`;
  const wrong = findings === 0 ? "" : `, ${plural(findings, "difference")} that nothing explains: see the view findings`;
  return `${plural(compared, "ABI")} that ${node} printed compared with the bytes${why}${wrong}`;
}

/** How a node failed at the end of a run. */
export function failingText({ attempts, last }: NonNullable<SyncSummary["failing"]>): string {
  return `${attempts === 1 ? "" : `${plural(attempts, "time")} in a row, `}at last: ${last}`;
}

function stopText({ stoppedBy, failing }: SyncSummary): string {
  if (failing !== undefined)
    return `the budget of this run was spent while the node failed (${failingText(failing)}): ask \`movedex doctor\` about it; nothing is lost, and the same command continues`;
  const why = stoppedBy === "budget" ? "the budget of this run is used up" : `stopped by ${stoppedBy ?? "a failure"}`;
  return `${why}; nothing is lost, and the same command continues`;
}

export function dryRunText(plan: DryRun): string {
  const lines = plan.unfinished.map(({ ledgerVersion, accountsLeft, isPruned }) =>
    isPruned
      ? `unfinished: ledger version ${ledgerVersion}, pruned by now; ${plural(accountsLeft, "account")} would become gaps`
      : `unfinished: ledger version ${ledgerVersion}, would be resumed; ${plural(accountsLeft, "account")} left`,
  );
  lines.push(
    ...(plan.unfinished.some(({ isTonights }) => isTonights) ? ["no other ledger version would be read"] : [plannedText(plan)]),
    ...(plan.choice === undefined ? [] : outlookLines(plan.choice.outlook).map((line) => `  ${line}`)),
    `  at least ${[plural(plan.requestsAtLeast, "request"), ...timeText(plan.times)].join(", ")}`,
    `  ${bytesText(plan.bytes)}`,
    `  ${plural(plan.aboveHorizon, "version")} above the node's horizon`,
    "dry run: nothing was written",
  );
  return `${lines.join("\n")}\n`;
}

/** How long it takes, at each pace. */
function timeText(times: readonly PacedTime[]): string[] {
  return times.map(({ name, perSecond, durationMs }) => `${formatDuration(durationMs)} at ${name} (${perSecond} requests/s)`);
}

function bytesText(bytes: ExpectedBytes | undefined): string {
  if (bytes === undefined) return "bytes and disk: not known before the first run; try one with --max-requests 100";
  const stored = bytes.stored === 0 ? "no disk except for changes" : `about ${formatBytes(bytes.stored)} of disk`;
  return `about ${formatBytes(bytes.received)} to receive, ${stored}; estimated from the last ${plural(bytes.judgedBy, "account")} read`;
}

function plannedText({ ledgerVersion, chainId, isHeld, accounts, choice }: DryRun): string {
  const version = `ledger version ${ledgerVersion} of chain ${chainId}`;
  if (choice !== undefined) return `would read ${version}: ${partText(accounts, choice.passedOver)}`;
  if (!isHeld) return `would read ${version}: ${plural(accounts, "account")}`;
  return accounts === 0
    ? `${version} is held already`
    : `${version} is held already, except for ${plural(accounts, "account")}: would read those`;
}

export const percent = (share: number): string => `${Math.round(100 * share)} %`;

/** What nights under a budget come to: which age it gives, what would keep the one wanted, and what choosing is worth. */
export function outlookLines({
  usefulness,
  ofRoundRobin,
  knownWithinDay,
  ageMs,
  wantedAgeMs,
  isAgeKept,
  requestsForAge,
}: ChoiceOutlook): string[] {
  const given = Number.isFinite(ageMs)
    ? `nights like this one need about ${formatDuration(ageMs)}`
    : "nights like this one never read them all";
  const age = isAgeKept
    ? `nights like this one read every account at least once in ${formatDuration(wantedAgeMs)}`
    : `reading every account within ${formatDuration(wantedAgeMs)} takes ${plural(requestsForAge, "request")} a night: ${given}`;
  const worth =
    usefulness === undefined || ofRoundRobin === undefined || knownWithinDay === undefined
      ? []
      : [
          `usefulness about ${percent(usefulness)}, taking turns ${percent(ofRoundRobin)}; about ${percent(knownWithinDay)} of changes known within a day`,
        ];
  return [age, ...worth];
}
