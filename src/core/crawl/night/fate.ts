import { CLAIMS_MAX } from "../../db/archive/snapshots/claims.ts";

/** After this many answers in a row that the version is pruned the node is asked whether it has it for others. */
const PRUNED_IN_A_ROW = 3;

/**
 * Once so many have failed in a row, each as often as a request is repeated, the next are asked once a round until one is answered: the
 * breaker does not see what ails a node that answers everything else.
 */
export const BRIEF_IN_A_ROW = 5;

/** Whenever this many have failed in a row the node is asked whether it lists anything at the version. */
const DOUBTED_IN_A_ROW = 25;

/** At an earlier night's version what they cost is not there for tonight's: after the others its rest has to wait. */
const DOUBTED_IF_EARLIER = 5;

/** At most this many visits without modules wait until the node lists some. Waiting costs no request; asking costs one for all of them. */
const NOTHINGS_MAX = 100;

/** Requests of a budget that are kept for the question whether the node lists anything: without it no failure is an account's own. */
export const KEPT_ASIDE = 1;

/** With this many requests most accounts are read to their end, or the node is known to fail for them. */
const REQUESTS_EACH = 4;

/** Before one has been read, so that the first of a small budget is read alone. */
const REQUESTS_AT_FIRST = 100;

/**
 * The first questions of a run take five requests: the index, up to three modules, and the index once more; an account takes two. With
 * fewer a night may not come to its seal.
 */
export const LEAST_REQUESTS = 5 + 2 + KEPT_ASIDE;

/**
 * How many accounts are read at a time with so many requests left, so that each can be asked to its end; `longest` is what the longest of
 * those that were read has taken. Where all are begun and none is ended no night would read one.
 */
export const widthFor = (concurrency: number, requestsLeft: number, longest = REQUESTS_AT_FIRST): number =>
  Math.max(1, Math.min(concurrency, Math.floor(requestsLeft / Math.max(REQUESTS_EACH, longest))));

/** What one try to read an account came to. */
export type Tried =
  /** It has modules, and all of it was read. */
  | "answered"
  /** It lists no module: an answer only of a node that lists some. */
  | "nothing"
  /** The node failed as often as it is asked: another try may help, or cannot (`refused`). */
  | "failed"
  | "refused"
  | "pruned"
  /** No process that was to read it came back with a word. */
  | "unread"
  /** The run's requests or its time ended: after an attempt for it had failed, after a part of it was read, or before any answer. */
  | "cut"
  | "begun"
  | "untouched";

/**
 * What the node has shown since then at this version: it listed modules (`lists`), or failed to when it was asked for some that it must
 * have (`fails`). `unasked`: there was no request or no time left to ask.
 */
export type Shown = "lists" | "fails" | "unasked" | "unknown";

/** Why no other account comes: all are settled, the run's requests or time are spent, it is told to stop, or others are more urgent. */
export type Ending = "plan" | "budget" | "signal" | "turn" | undefined;

/** All that decides what becomes of an account. */
export type Case = {
  readonly tried: Tried;
  /** How often this run has tried, this time included, and earlier ones in vain. */
  readonly round: number;
  readonly triesBefore: number;
  readonly shown: Shown;
  readonly ending: Ending;
  /** Accounts that failed since the last one was answered, this one included; those pruned alone since anything else came. */
  readonly failedInARow: number;
  readonly prunedInARow: number;
  /** Accounts with visits that found no modules, which are held until the node has listed some. */
  readonly nothings: number;
  /** Tonight's, an earlier night's, or one that was sealed before, whose gaps are tried again. */
  readonly snapshot: "tonight" | "earlier" | "sealed";
  /** Whether the plan was chosen for tonight's budget: what is left of it then is passed over. */
  readonly isChosen: boolean;
  /** When the last of its accounts was answered: in this run, in an earlier one, or none was. */
  readonly answers: "now" | "before" | "none";
};

export type Fate =
  | "stored"
  /** It was not answered: later nights may try again, unless it is pruned. */
  | "gap"
  /** It is tried in a later round of this run. */
  | "again"
  /** The next listing of another account decides, or `ask` at the end. */
  | "held"
  /** The node is asked whether it lists anything, which decides. */
  | "ask"
  /** The next run reads it in its turn, or after the others: `noted` is `last`, and the failure is written down. */
  | "left"
  | "last"
  | "noted"
  /** All that is left of the plan is pruned. */
  | "lost"
  /** Nothing that is left of an earlier night's version was answered in so many runs: what was read of it is sealed. */
  | "unreadable"
  /** The rest of an earlier night's waits for the next run: too many in a row are not answered, or none of those that are left. */
  | "leave"
  /** The run ends: the node fails. */
  | "stop";

/**
 * What a try means for the account, decided here alone. A failure is the account's own only where the node lists modules at the version
 * after it; else the node may be at fault, and nothing is written down that its next good hour would not.
 */
export function fateOf({ tried, ending, ...seen }: Case): Fate {
  if (tried === "answered") return "stored";
  if (tried === "untouched") return "left";
  if (tried === "begun") return "last";
  if (tried === "unread") return "gap";
  if (tried === "nothing" && seen.shown !== "fails") {
    if (seen.shown === "lists") return "stored";
    if (seen.shown === "unasked" || ending === "signal") return "last";
    return ending === undefined && seen.nothings < NOTHINGS_MAX ? "held" : "ask";
  }
  if (tried === "pruned" && seen.prunedInARow >= PRUNED_IN_A_ROW && ending !== "signal") {
    if (seen.shown === "unknown") return "ask";
    if (seen.shown === "fails") return "lost";
  }
  const isTriedAgain = seen.round < CLAIMS_MAX && tried !== "refused" && tried !== "cut";
  if (ending === undefined) return fateMeanwhile(seen, isTriedAgain);
  // Fewer than three say so: the node of another night may have it.
  return tried === "pruned" && isTriedAgain ? "last" : fateAtEnd({ ...seen, ending }, tried === "refused");
}

/** While others are still to come. One of several nodes may have pruned the version, or may fail: another round asks again. */
function fateMeanwhile(seen: Omit<Case, "tried" | "ending">, isTriedAgain: boolean): Fate {
  const { shown, failedInARow, snapshot, answers } = seen;
  const isDoubted = failedInARow > 0 && failedInARow % (snapshot === "tonight" ? DOUBTED_IN_A_ROW : DOUBTED_IF_EARLIER) === 0;
  if (isDoubted && shown === "unknown") return "ask";
  if (isDoubted && shown === "fails") {
    if (isDeadChoice(seen)) return "unreadable";
    return snapshot === "tonight" || answers === "none" ? "stop" : isTriedOut(seen) || snapshot === "sealed" ? "unreadable" : "leave";
  }
  if (snapshot === "earlier" && answers !== "now" && failedInARow >= DOUBTED_IN_A_ROW) return "leave";
  if (isTriedAgain) return "again";
  if (shown === "lists" || snapshot === "sealed") return "gap";
  return shown === "unasked" ? "last" : "held";
}

/** Nothing of what was chosen was answered: it is given up, whoever is at fault, so that the next night chooses others. */
const isDeadChoice = ({ isChosen, answers }: Pick<Case, "isChosen" | "answers">): boolean => isChosen && answers === "none";

/** Whether an account has failed as often as makes a gap. Those that were asked longest ago come first: the others nearly have, too. */
const isTriedOut = ({ triesBefore, round }: Pick<Case, "triesBefore" | "round">): boolean => triesBefore + round >= CLAIMS_MAX;

function fateAtEnd({ shown, ending, snapshot, answers, ...seen }: Omit<Case, "tried">, isRefused: boolean): Fate {
  // What it was sealed with stays a gap.
  if (snapshot === "sealed" || (isDeadChoice({ answers, ...seen }) && (ending === "budget" || ending === "plan"))) return "gap";
  if (shown === "lists") {
    return isRefused || isTriedOut(seen) || ending === "plan" || (seen.isChosen && ending === "budget") ? "gap" : "noted";
  }
  if (ending === "signal" || shown === "unasked") return "last";
  if (shown === "unknown") return "ask";
  if (snapshot !== "earlier" || answers === "none") return ending === "plan" ? "stop" : "last";
  if (ending !== "plan" && seen.failedInARow < DOUBTED_IF_EARLIER) return "last";
  return isTriedOut(seen) ? "unreadable" : ending === "budget" ? "noted" : "leave";
}
