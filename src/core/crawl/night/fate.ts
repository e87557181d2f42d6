import { CLAIMS_MAX } from "../../db/archive/snapshots/claims.ts";

/** After this many answers in a row that the version is pruned the node is asked whether it has it for others. */
const PRUNED_IN_A_ROW = 3;

/**
 * After so many failed accounts in a row, a request is sent once, and not repeated within the round, until an account is answered. The
 * breaker does not help here: it stays closed while the node answers other requests.
 */
export const BRIEF_IN_A_ROW = 5;

/** Whenever this many have failed in a row the node is asked whether it lists anything at the version. */
const DOUBTED_IN_A_ROW = 25;

/** The same at the version of an earlier night, sooner: what failures cost there is missing for tonight's snapshot. */
const DOUBTED_IF_EARLIER = 5;

/** At most so many visits that found no module wait until the node lists those of another account. Then one request asks for all. */
const NOTHINGS_MAX = 100;

/** Requests of a budget that are kept to ask whether the node lists any modules. Only then is a failure that of the account alone. */
export const KEPT_ASIDE = 1;

/** This many requests suffice to read most accounts whole, or to know that the node fails for them. */
const REQUESTS_EACH = 4;

/** The same before any account was read: with a smaller budget the first account is read alone. */
const REQUESTS_AT_FIRST = 100;

/**
 * The first questions of a run take five requests: the index, up to three modules, and the index once more; an account takes two. With
 * fewer a night may not come to its seal.
 */
export const LEAST_REQUESTS = 5 + 2 + KEPT_ASIDE;

/**
 * How many accounts are read at a time, so that the requests left suffice to read each of them whole. If all were begun and none came to
 * its end, no night would ever read one. `longest`: the most requests that an account of this run has taken.
 */
export const widthFor = (concurrency: number, requestsLeft: number, longest = REQUESTS_AT_FIRST): number =>
  Math.max(1, Math.min(concurrency, Math.floor(requestsLeft / Math.max(REQUESTS_EACH, longest))));

/** What one try to read an account came to. */
export type Tried =
  /** It has modules, and all of it was read. */
  | "answered"
  /** It lists no module: an answer only of a node that lists some. */
  | "nothing"
  /** The node failed as often as a request is repeated. Another round may help. */
  | "failed"
  /** The same, and no other round can help. */
  | "refused"
  | "pruned"
  /** So many processes claimed it, and none came back with an answer. */
  | "unread"
  /** The run's requests or time ended while the node failed for it, while it was read, or before any answer. */
  | "cutFailing"
  | "cutReading"
  | "untouched";

/**
 * What the node has shown after the try, at this version. `lists`: it listed modules. `fails`: it did not list those of an account that
 * must have some. `unasked`: no request or no time was left to ask.
 */
export type Shown = "lists" | "fails" | "unasked" | "unknown";

/** Why no other account is begun: the plan is through, the budget is spent, a signal came, or tonight's snapshot is more urgent. */
export type Ending = "plan" | "budget" | "signal" | "turn" | undefined;

/** All that decides what becomes of an account. */
export type Case = {
  readonly tried: Tried;
  /** How often this run has tried, this time included, and earlier ones in vain. */
  readonly round: number;
  readonly triesBefore: number;
  readonly shown: Shown;
  readonly ending: Ending;
  /** Accounts that failed since the last answer, this one included; and answers in a row that the version is pruned. */
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
  /** The next run reads it: in its turn, after all others, or after all others with the failure written down. */
  | "next"
  | "nextLast"
  | "nextNoted"
  /** All that is left of the plan is pruned. */
  | "restPruned"
  /** Nothing of what is left was answered in so many runs: the snapshot is sealed with what was read. */
  | "restUnreadable"
  /** The next run reads all that is left, since too many accounts in a row, or all of these, are not answered. */
  | "leaveRest"
  /** The run ends: the node fails. */
  | "stop";

/**
 * Decides what becomes of an account after a try; nothing else does. A failure is that of the account only if the node lists modules at the
 * version afterwards. Otherwise the node may be at fault, and nothing is written down of the account.
 */
export function fateOf({ tried, ending, ...seen }: Case): Fate {
  if (tried === "answered") return "stored";
  if (tried === "untouched") return "next";
  if (tried === "cutReading") return "nextLast";
  if (tried === "unread") return "gap";
  if (tried === "nothing" && seen.shown !== "fails") {
    if (seen.shown === "lists") return "stored";
    if (seen.shown === "unasked" || ending === "signal") return "nextLast";
    return ending === undefined && seen.nothings < NOTHINGS_MAX ? "held" : "ask";
  }
  if (tried === "pruned" && seen.prunedInARow >= PRUNED_IN_A_ROW && ending !== "signal") {
    if (seen.shown === "unknown") return "ask";
    if (seen.shown === "fails") return "restPruned";
  }
  const isTriedAgain = seen.round < CLAIMS_MAX && tried !== "refused" && tried !== "cutFailing";
  if (ending === undefined) return fateMeanwhile(seen, isTriedAgain);
  // Fewer than three say so: the node of another night may have it.
  return tried === "pruned" && isTriedAgain ? "nextLast" : fateAtEnd({ ...seen, ending }, tried === "refused");
}

/** While others are still to come. One of several nodes may have pruned the version, or may fail: another round asks again. */
function fateMeanwhile(seen: Omit<Case, "tried" | "ending">, isTriedAgain: boolean): Fate {
  const { shown, failedInARow, snapshot, answers } = seen;
  const isDoubted = failedInARow > 0 && failedInARow % (snapshot === "tonight" ? DOUBTED_IN_A_ROW : DOUBTED_IF_EARLIER) === 0;
  if (isDoubted && shown === "unknown") return "ask";
  if (isDoubted && shown === "fails") {
    if (isDeadChoice(seen)) return "restUnreadable";
    return snapshot === "tonight" || answers === "none"
      ? "stop"
      : isTriedOut(seen) || snapshot === "sealed"
        ? "restUnreadable"
        : "leaveRest";
  }
  if (snapshot === "earlier" && answers !== "now" && failedInARow >= DOUBTED_IN_A_ROW) return "leaveRest";
  if (isTriedAgain) return "again";
  if (shown === "lists" || snapshot === "sealed") return "gap";
  return shown === "unasked" ? "nextLast" : "held";
}

/** Nothing of what was chosen was answered: it is given up, whoever is at fault, so that the next night chooses others. */
const isDeadChoice = ({ isChosen, answers }: Pick<Case, "isChosen" | "answers">): boolean => isChosen && answers === "none";

/** Whether an account has failed as often as makes a gap. Those that were asked longest ago come first: the others nearly have, too. */
const isTriedOut = ({ triesBefore, round }: Pick<Case, "triesBefore" | "round">): boolean => triesBefore + round >= CLAIMS_MAX;

function fateAtEnd({ shown, ending, snapshot, answers, ...seen }: Omit<Case, "tried">, isRefused: boolean): Fate {
  // What it was sealed with stays a gap.
  if (snapshot === "sealed" || (isDeadChoice({ answers, ...seen }) && (ending === "budget" || ending === "plan"))) return "gap";
  if (shown === "lists") {
    return isRefused || isTriedOut(seen) || ending === "plan" || (seen.isChosen && ending === "budget") ? "gap" : "nextNoted";
  }
  if (ending === "signal" || shown === "unasked") return "nextLast";
  if (shown === "unknown") return "ask";
  if (snapshot !== "earlier" || answers === "none") return ending === "plan" ? "stop" : "nextLast";
  if (ending !== "plan" && seen.failedInARow < DOUBTED_IF_EARLIER) return "nextLast";
  return isTriedOut(seen) ? "restUnreadable" : ending === "budget" ? "nextNoted" : "leaveRest";
}
