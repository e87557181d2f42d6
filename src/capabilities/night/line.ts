import { grouped, keepTexts, plural } from "../../core/base/plural.ts";
import { printable } from "../../core/base/printable.ts";
import { formatDuration } from "../../core/base/time.ts";
import { ageText, emptiedText, failingText, partText, RAISE, readOfTotal } from "../../core/cli/commands/sync/text.ts";
import { isGivenUp, isMostlyGaps, leftWords, type SyncSummary } from "../../core/crawl/night/summary.ts";
import { type ExitName, stoppedByUser } from "../../core/exit-codes.ts";
import { isSaid, lostOf, type NightTotals, type StepOutcome } from "./result.ts";

export type EndedNight = {
  readonly job: "night" | "week";
  readonly exit: ExitName;
  readonly durationMs: number;
  readonly totals: NightTotals;
  readonly steps: readonly StepOutcome[];
  /** Whether the archive had no snapshot before. */
  readonly isFirst?: boolean;
  /** What else failed than its steps. */
  readonly faults?: readonly NonNullable<StepOutcome["error"]>[];
  /** What a command that tells more is given, so that it counts as the night does. */
  readonly settingsWords?: string;
  /** Said of the night that is no fault of it. */
  readonly remark?: string | undefined;
};

/** Characters of a cause: the whole of it is in the log. */
const CAUSE_MAX = 500;

/**
 * The line that a person reads, by mail, in a ping or in a log: whether tonight's snapshot is sealed, what it came to, then what went
 * wrong, with the cause and the command that tells more. What is as it should be is not named.
 */
export function nightLine(night: EndedNight): string {
  const { snapshot: sync } = night.totals;
  const numbers = sync !== undefined && isSealed(sync) && sync.head?.isStale === false ? numberTexts(sync, night) : [];
  const head = [`${night.job}: ${verdict(night)}`, numbers.join(", ")].filter((text) => text !== "").join(": ");
  const sentences = [head, troublesOf(night).join("; "), ...tellsMore(night), ...keepTexts([night.remark])];
  return sentences
    .filter((text) => text !== "")
    .map((text, i) => (i === 0 ? text : text.charAt(0).toUpperCase() + text.slice(1)))
    .join(". ");
}

/** The line of a night that ended before its steps, or of one that failed once it knew its own line. */
export function brokenLine(job: EndedNight["job"], message: string, { said, isBegun }: { said?: string; isBegun?: true }): string {
  const cause = printable(message, CAUSE_MAX);
  if (said !== undefined) return `${said}. ${cause.charAt(0).toUpperCase()}${cause.slice(1)}`;
  return `${job}: not ${!isBegun ? "started" : job === "night" ? "sealed" : "verified"}: ${cause}`;
}

function isSealed({ status, isHeld, sealedBy }: SyncSummary): boolean {
  return status !== "unsealed" && isHeld !== true && sealedBy === undefined;
}

function verdict(night: EndedNight): string {
  const took = formatDuration(night.durationMs);
  if (night.job === "week") {
    if (night.exit === "done") return `all is as it was written (${took})`;
    return night.exit === "corrupt" ? `not all is as it was written (${took})` : `not verified to the end (${took})`;
  }
  const { snapshot: sync } = night.totals;
  if (sync === undefined) return keepTexts([`not sealed after ${took}`, causeOf(syncStep(night))]).join(": ");
  if (sync.sealedBy !== undefined) return `sealed by ${printable(sync.sealedBy, 100)}, which does what follows (${took})`;
  const version = `ledger version ${sync.ledgerVersion}`;
  if (sync.head?.isStale)
    return `nothing new after ${took}: the node's newest version, ${sync.head.ledgerVersion}, is ${ageText(sync.head)} and leaves nothing newer to read than what is held${isSealed(sync) ? "; accounts that were missing there were read" : ""}`;
  if (sync.isHeld) return `nothing to read after ${took}: ${version} is held already`;
  const missing = isMostlyGaps(sync)
    ? ` without ${grouped(sync.gaps)} of ${plural(sync.accounts + sync.gaps + (sync.passedOver ?? 0), "account")}`
    : "";
  if (isSealed(sync) && sync.head === undefined)
    return `not sealed after ${took}: ${version}, begun in an earlier night, is sealed now${missing}, ${whyText(sync)}`;
  if (isSealed(sync)) return `sealed ${version}${missing} in ${took}`;
  if (sync.accounts === 0 && syncStep(night)?.exit === "lost")
    return `not sealed after ${took}: the node pruned ${version} before it answered for one account`;
  const read = readOfTotal(sync.accounts, sync.gaps, sync.accountsLeft ?? 0);
  return `not sealed after ${took}: ${version} is ${isGivenUp(sync) ? "given up" : "unfinished"}, ${read}, ${whyText(sync)}`;
}

function whyText(sync: SyncSummary): string {
  const { failing, isTooSmall, stoppedBy } = sync;
  if (failing !== undefined) return `the node failed ${failingText({ ...failing, last: printable(failing.last, CAUSE_MAX) })}`;
  if (stoppedBy !== undefined && stoppedBy !== "budget") return `stopped by ${stoppedBy}`;
  if (isGivenUp(sync)) return "the node answered for none";
  return isTooSmall ? `its budget did not suffice for one account: ${RAISE}` : "the budget of the night is spent, and the next one goes on";
}

function syncStep({ steps }: EndedNight): StepOutcome | undefined {
  return steps.find(({ name }) => name === "sync");
}

/** The words of a step's error; undefined for a step without one. */
function causeOf(step: Pick<StepOutcome, "error"> | undefined): string | undefined {
  return step?.error === undefined ? undefined : printable(step.error.message, CAUSE_MAX).replace(/\.+$/, "");
}

/** What went wrong beside the snapshot, a text for each step. What was left out since another step failed follows from that. */
function troublesOf(night: EndedNight): string[] {
  const lost = lostOf(night);
  // Beside "no gaps", which is said of the snapshot that was sealed.
  const ofOthers = night.totals.snapshot?.gaps === 0 && isSealed(night.totals.snapshot) ? " in other snapshots" : "";
  const ofSteps = night.steps.flatMap((step, i) => {
    const { name, exit, error, said } = step;
    if (exit === undefined || exit === "done" || exit === "gaps" || exit === "stale") return [];
    // Of a sync that sealed nothing the verdict has said why.
    if (name === "sync")
      return night.totals.snapshot?.head && isSealed(night.totals.snapshot) && stoppedByUser.includes(exit)
        ? [`${wordsOf(exit)} before the other steps`]
        : [];
    if (exit === "lost" || (error !== undefined && isSaid(error, night.steps.slice(0, i)))) return [];
    return [said?.found ?? `${name}: ${causeOf(step) ?? wordsOf(exit)}`];
  });
  return keepTexts([
    standsStill(night.totals.snapshot) && "the node stands still: its newest version is no newer than an earlier run saw it",
    night.totals.snapshot?.emptied && emptiedText(night.totals.snapshot.emptied),
    ...leftTexts(night.totals),
    lost > 0 && `lost for good${ofOthers}: ${plural(lost, "answer")} that the node pruned or never gave`,
    ...ofSteps,
    ...night.steps.flatMap(({ said }) => said?.troubles ?? []),
    ...(night.faults ?? []).map((error) => !isSaid(error, night.steps) && causeOf({ error })),
  ]);
}

/** What became of earlier runs' snapshots: of those of which the node answered for no account, one says why. */
function leftTexts({ sync, snapshot }: NightTotals): string[] {
  // A sealed one whose gaps could not be filled is no news.
  const earlier = (sync?.summaries ?? []).filter(
    ({ ledgerVersion, retried }) => ledgerVersion !== snapshot?.ledgerVersion && retried === undefined,
  );
  const sealed = earlier.flatMap(({ status, ledgerVersion, accounts, gaps, isLost }) =>
    status === "sealed_with_gaps" && !isLost
      ? [`ledger version ${ledgerVersion} was sealed without ${grouped(gaps)} of ${plural(accounts + gaps, "account")}`]
      : [],
  );
  const left = earlier.filter(({ status, unread }) => status === "unsealed" && unread !== undefined);
  const [first] = left;
  const unread = first?.unread;
  if (first === undefined || unread === undefined || unread.last === snapshot?.failing?.last) return sealed;
  const why = `ledger version ${first.ledgerVersion} ${leftWords(first)}: ${printable(unread.last, CAUSE_MAX)}`;
  return [...sealed, left.length === 1 ? why : `${why}; so ${left.length === 2 ? "does a newer one" : `do ${left.length - 1} newer ones`}`];
}

/** Whether what an earlier run left was sealed, and the node has been at the same version since. */
function standsStill(sync: SyncSummary | undefined): boolean {
  const { risenBy, isOld, isStale } = sync?.head ?? {};
  return sync !== undefined && isSealed(sync) && risenBy !== undefined && risenBy <= 0n && isOld === true && !isStale;
}

function wordsOf(exit: ExitName): string {
  const words: Partial<Record<ExitName, string>> = {
    interrupted: "stopped by SIGINT",
    terminated: "stopped by SIGTERM",
    locked: "another run is at work",
  };
  return words[exit] ?? "failed";
}

function tellsMore({ steps, totals: { snapshot }, settingsWords = "" }: EndedNight): string[] {
  const first = steps.find(({ exit }) => exit !== undefined && exit !== "done" && exit !== "interrupted" && exit !== "terminated");
  if (first === undefined) return [];
  const { name, exit, error, advises } = first;
  const advice = exit && advises?.[exit];
  if (advice !== undefined) return [advice];
  if (exit === "gaps" || exit === "lost") return [`\`movedex gaps${settingsWords}\` says why`];
  // What somebody has added is no damage, and its error says what to do.
  if (exit === "corrupt") return causeOf(first)?.includes("somebody has added") ? [] : ["Restore a backup: `movedex restore`"];
  const isOfNode = exit === "stale" || snapshot?.failing !== undefined || /^MOVEDEX_(?:NODE|STOPPED|SPENT)/.test(error?.code ?? "");
  return name === "sync" && isOfNode && !causeOf(first)?.includes("movedex doctor") ? ["`movedex doctor` tells more"] : [];
}

function numberTexts(sync: SyncSummary, { steps, isFirst }: EndedNight): string[] {
  const { accounts, passedOver, ages, undecoded, doubtful, gaps, head } = sync;
  const changed = steps.flatMap(({ said }) => said?.changedModules ?? [])[0] ?? sync.changedModules;
  return keepTexts([
    isFirst && "the first snapshot",
    passedOver ? `read ${partText(accounts, gaps + passedOver)}` : plural(accounts, "account"),
    passedOver && ages?.oldestMs !== undefined && `oldest reading ${formatDuration(ages.oldestMs)}`,
    isFirst ? plural(sync.modules, "module") : `${plural(changed, "module")} changed`,
    undecoded && `${plural(undecoded, "module")} not decodable`,
    doubtful && `${plural(doubtful, "module")} doubtful`,
    gaps === 0 ? "no gaps" : plural(gaps, "gap"),
    ...steps.flatMap(({ said }) => said?.numbers ?? []),
    head && `head ${ageText(head)}`,
  ]);
}
