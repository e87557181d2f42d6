import type { Gap } from "../../db/archive/snapshots/gaps.ts";
import { StoreError } from "../../db/engine/errors.ts";
import type { Address } from "../../move/address.ts";
import type { RunWork } from "../run/run-work.ts";
import type { Case, Fate } from "./fate.ts";

/** Why reading ended with accounts left, and the gap that each of them gets. */
export type Rest = { readonly kind: Extract<Fate, "restPruned" | "restUnreadable">; readonly gap: Omit<Gap, "address"> };

type Beginning = Pick<Case, "snapshot" | "isChosen"> & { readonly wasAnswered: boolean };

export type Course = ReturnType<typeof openCourse>;

/** The course of a run through one snapshot: what the node has shown, and why no other account is begun. It asks and stores nothing. */
export function openCourse(stop: Pick<RunWork["stop"], "reason">, { wasAnswered, ...snapshot }: Beginning) {
  const course = {
    /** How many accounts of this run were answered, have failed, and had no answer when the time was over. */
    answered: 0,
    failed: 0,
    silent: 0,
    failedInARow: 0,
    prunedInARow: 0,
    /** The error of the last account that failed. */
    latestError: undefined as unknown,
    /** How many visits and questions were begun, and the number of the last one that was answered with modules. */
    begun: 0,
    listed: 0,
    /** Whether the node has listed modules after the run was told to end, and an account that has some. */
    isListedAfterStop: false,
    witness: undefined as Address | undefined,
    /** Whether reading is at its end: no other account is begun, and what is open is decided. */
    isAtEnd: false,
    /** Whether the budget refused a request. The run's stop is asked for only once all attempts are decided, since it aborts questions. */
    isBudgetSpent: false,
    /** Whether the rest of an earlier night's snapshot is left to the next run. */
    isLeft: false,
    rest: undefined as Rest | undefined,
    /** Whether another process has sealed the snapshot: others have read what this one still reads. */
    isSealed: false,
    /** The failure that ends the run, met while a visit was stored. */
    broken: undefined as { readonly error: unknown } | undefined,

    /** Whether no other account is begun, though the plan may have some. */
    isOver: (): boolean => {
      const isAsked = stop.reason !== undefined || course.isBudgetSpent || course.isSealed;
      return isAsked || course.isLeft || course.rest !== undefined || course.broken !== undefined;
    },
    /** The facts of the course that `fateOf` decides by. */
    facts: (): Pick<Case, "snapshot" | "isChosen" | "failedInARow" | "prunedInARow" | "ending" | "answers"> => {
      const { failedInARow, prunedInARow, isBudgetSpent, isLeft, isAtEnd } = course;
      const [isSignal, isBudget] = [stop.reason !== undefined && stop.reason !== "budget", stop.reason === "budget" || isBudgetSpent];
      const ending = isSignal ? "signal" : isBudget ? "budget" : isLeft ? "turn" : isAtEnd ? "plan" : undefined;
      const answers = course.answered > 0 ? "now" : wasAnswered ? "before" : "none";
      return { ...snapshot, failedInARow, prunedInARow, ending, answers };
    },
    noteAnswer: (): void => {
      course.answered += 1;
      course.failedInARow = 0;
      course.prunedInARow = 0;
    },
    noteFailure: (error: unknown, isPruned: boolean): void => {
      course.latestError = error;
      course.failed += 1;
      course.failedInARow += 1;
      course.prunedInARow = isPruned ? course.prunedInARow + 1 : 0;
    },
    begin: (): number => {
      course.begun += 1;
      return course.begun;
    },
    noteListing: (begun: number, witness?: Address): void => {
      course.listed = Math.max(course.listed, begun);
      course.witness = witness ?? course.witness;
      course.isListedAfterStop ||= course.isOver();
    },
    /** Whether an error says that the snapshot is sealed, so that nothing more is stored of it. */
    isLate: (error: unknown): boolean => {
      course.isSealed ||= error instanceof StoreError && error.code === "MOVEDEX_STORE_PIN";
      return course.isSealed;
    },
  };
  return course;
}
