import { gapQueries } from "../../db/archive/snapshots/gaps.ts";
import type { RunWork } from "../run/run-work.ts";
import type { Visited } from "../visit/visit-account.ts";
import type { Attempt, openAttempts } from "./attempts.ts";
import type { claimedAccounts } from "./claimed-accounts.ts";
import type { Course } from "./course.ts";
import { type Fate, fateOf, type Shown } from "./fate.ts";
import type { countProgress } from "./progress.ts";
import type { openQuestion } from "./question.ts";

/** The parts of a reading that decisions ask and change. */
type Parts = {
  readonly course: Course;
  readonly accounts: ReturnType<typeof claimedAccounts>;
  readonly counter: ReturnType<typeof countProgress>;
  readonly ask: ReturnType<typeof openQuestion>;
  readonly failed: ReturnType<typeof openAttempts>["failed"];
  readonly store: (visited: Visited, account: number) => void;
};

/** Does with each account what `fateOf` says, at once or once the node has shown more. */
export function openDecisions({ engine, node, clock }: RunWork, version: bigint, parts: Parts) {
  const { course, accounts, counter, ask } = parts;
  /** Attempts that wait until the node lists modules, or until the run ends. Then those that wait for another round. */
  const held: Attempt[] = [];
  const again = new Map<number, Attempt>();

  async function decide(attempt: Attempt): Promise<void> {
    const { claim, tried, begun = 0, ended } = attempt;
    if (tried === "answered") {
      course.noteListing(begun, claim.address);
      await decideHeld();
    }
    // The account had no module in the snapshot before either: a node that lost its index meanwhile hides nothing of it.
    const isAsBefore = tried === "nothing" && claim.modulesBefore === 0 && node.hasListed(version);
    const hasListed = course.listed > ended || isAsBefore || (tried !== "nothing" && course.isAtEnd && course.isListedAfterStop);
    const fateIf = (shown: Shown): Fate => {
      const nothings = held.filter((one) => one.tried === "nothing").length;
      return fateOf({ tried, round: claim.claims, triesBefore: claim.failedBefore, shown, nothings, ...course.facts() });
    };
    const fate = fateIf(hasListed ? "lists" : "unknown");
    if (fate !== "ask") return settle(fate, attempt);
    const { shown, error } = await ask();
    return tried === "nothing" && error !== undefined ? decide(parts.failed(error, claim)) : settle(fateIf(shown), attempt);
  }

  /** Decides the attempts that waited, once the node lists modules at the version: these failures are those of their accounts. */
  async function decideHeld(): Promise<void> {
    if (!course.isOver() && !course.isAtEnd) for (const attempt of held.splice(0)) await decide(attempt);
  }

  async function settle(fate: Fate, attempt: Attempt): Promise<void> {
    const { claim, visited, failure } = attempt;
    again.delete(claim.account);
    if (fate === "stored") {
      course.noteAnswer();
      return parts.store(visited as Visited, claim.account);
    }
    if (fate === "leaveRest") course.isLeft = true;
    if (fate === "held" || (fate === "leaveRest" && !course.isAtEnd)) return void held.push(attempt);
    if (fate === "nextLast" || fate === "nextNoted" || fate === "leaveRest") accounts.leaveLast(claim.account);
    if (fate === "nextLast" || fate === "next") return;
    if (fate === "again") {
      again.set(claim.account, attempt);
      return accounts.postpone(claim.account);
    }
    const { error, gap } = failure as Required<Attempt>["failure"];
    if (fate === "stop") throw error;
    if (fate === "nextNoted" || fate === "leaveRest") return gapQueries(engine).noteFailure(version, gap, clock.now());
    if (fate === "gap") {
      // Final only if the node says that the version is pruned for all: else it may answer for this account on another night.
      const isFinal = gap.isFinal && (node.lastHead()?.oldestVersion ?? 0n) > version;
      await gapQueries(engine).commitGap(version, { ...gap, isFinal }, clock.now());
      counter.givenUp({ ...gap, isFinal });
      return accounts.settle(claim.account);
    }
    held.push(attempt);
    const why =
      fate === "restPruned"
        ? `ledger version ${version} was pruned before the account was read`
        : `the node answered for none of ${course.failedInARow} accounts at this version: ${gap.message}`;
    course.rest = { kind: fate as Exclude<typeof fate, "ask">, gap: { ...gap, attempts: 0, message: why } };
  }

  return {
    decideHeld,
    isAnyHeld: (): boolean => held.length > 0,
    isAnyOpen: (): boolean => held.length + again.size > 0,
    /** Decides, or leaves to `decideAll` what comes after the last account was begun. */
    take: async (attempt: Attempt): Promise<void> => {
      const { tried, claim } = attempt;
      if (!course.isOver() || tried === "answered") return decide(attempt);
      // What is kept of it from the round before says how it failed.
      if ((tried === "untouched" || tried === "cutReading") && again.has(claim.account)) return;
      again.delete(claim.account);
      held.push(attempt);
    },
    /** Once no other account is begun: decides one attempt after another, until one decides for all that is left of the plan. */
    decideAll: async (): Promise<void> => {
      course.isAtEnd = true;
      for (const attempt of [...held.splice(0), ...again.values()]) {
        if (course.rest === undefined) await decide(attempt);
        else held.push(attempt);
      }
    },
    /** The gaps of the accounts that are still undecided, but for pruned ones. */
    openGaps: () => held.flatMap(({ failure, tried }) => (failure === undefined || tried === "pruned" ? [] : failure.gap)),
  };
}
