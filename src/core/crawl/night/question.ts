import { NodeError } from "../../node/protocol/node-error.ts";
import type { RunWork } from "../run/run-work.ts";
import { isSpent } from "../visit/classify-failure.ts";
import { askListing } from "../visit/visit-account.ts";
import type { Course } from "./course.ts";
import type { Shown } from "./fate.ts";

/** The answer of a node that was asked whether it lists any modules, and the error if it failed. */
type Said = { readonly shown: Exclude<Shown, "unknown">; readonly error?: unknown };

/**
 * Asks whether the node lists modules of an account that must have some. All accounts in doubt wait for one answer. At the end of the plan
 * it is asked once. @throws what ends the run
 */
export function openQuestion(work: RunWork, version: bigint, course: Course, onListed: () => Promise<void>): () => Promise<Said> {
  let asked: Promise<Said> | undefined;

  async function ask(): Promise<Said> {
    const begun = course.begin();
    try {
      await askListing(work, version, { address: course.witness, isLast: true });
    } catch (error) {
      course.isBudgetSpent ||= isSpent(error);
      if (!(error instanceof NodeError && error.kind === "pruned")) course.prunedInARow = 0;
      const isOfRun = !(error instanceof NodeError) || error.ends === "run";
      if (isOfRun && !course.isBudgetSpent && work.stop.reason === undefined) throw error;
      return isOfRun ? { shown: "unasked" } : { shown: "fails", error };
    }
    course.prunedInARow = 0;
    course.noteListing(begun);
    await onListed();
    return { shown: "lists" };
  }

  function forget(): void {
    if (!course.isOver() && !course.isAtEnd) asked = undefined;
  }

  return () => {
    if (asked === undefined) {
      asked = ask();
      asked.then(forget, () => {});
    }
    return asked;
  };
}
