import { NodeError } from "../../node/protocol/node-error.ts";
import type { RunWork } from "../run/run-work.ts";
import { isSpent } from "../visit/classify-failure.ts";
import { askListing } from "../visit/visit-account.ts";
import type { Course } from "./course.ts";
import type { Shown } from "./fate.ts";

/** What a node said that was asked whether it lists anything, and what it failed with. */
type Said = { readonly shown: Exclude<Shown, "unknown">; readonly error?: unknown };

/**
 * The question whether the node lists modules that it must have. All that are in doubt wait for one answer; at the end it is asked once.
 * It throws what ends the run.
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
