import type { Gap } from "../../db/archive/snapshots/gaps.ts";
import { StoreError } from "../../db/engine/errors.ts";
import type { Address } from "../../move/address.ts";
import type { RunWork } from "../run/run-work.ts";
import type { Case } from "./fate.ts";

/** Why reading ended with accounts left, and what all of them are missed with. */
export type Rest = { readonly kind: "lost" | "unreadable"; readonly gap: Omit<Gap, "address"> };

type Beginning = Pick<Case, "snapshot" | "isChosen"> & { readonly wasAnswered: boolean };

export type Course = ReturnType<typeof openCourse>;

/** The course of a run through one snapshot: what the node has shown, and why no other account is begun. It asks and stores nothing. */
export function openCourse(stop: Pick<RunWork["stop"], "reason">, { wasAnswered, ...snapshot }: Beginning) {
  const course = {
    /** Accounts of this run: answered, failed, and left without a word until the time was over. */
    answered: 0,
    failed: 0,
    silent: 0,
    failedInARow: 0,
    prunedInARow: 0,
    /** What accounts failed with at last. */
    latestError: undefined as unknown,
    /** What the node was asked for, counted, and the last begun of it of which it has listed modules. */
    begun: 0,
    listed: 0,
    /** Whether it has listed any after the run was told to end, and an account with some. */
    isListedAfterStop: false,
    witness: undefined as Address | undefined,
    /** Whether the plan is through. */
    isAtEnd: false,
    /** Whether a request was refused for want of budget. The run is told so once what is open is decided: that aborts questions. */
    isBudgetSpent: false,
    /** Whether the rest of an earlier night's waits for the next run. */
    isLeft: false,
    rest: undefined as Rest | undefined,
    /** Whether another process has sealed the snapshot: what this one still reads of it was read by others. */
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
