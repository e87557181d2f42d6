import { printable } from "../../base/printable.ts";
import { CLAIMS_MAX, type Claim } from "../../db/archive/snapshots/claims.ts";
import type { Gap } from "../../db/archive/snapshots/gaps.ts";
import { classifyFailure } from "../visit/classify-failure.ts";
import type { Unread } from "./progress.ts";

/** This many answers in a row that the pin is pruned mean that no node of the address has it. */
const PRUNED_IN_A_ROW = 3;

/** This many failures in a row before any account was answered for mean that the node will answer for none, unless it lists 0x1. */
const HOPELESS_IN_A_ROW = 25;

/** At an older version what they cost is not there for tonight's: so many are enough, unless the node is known to list modules at it. */
const HOPELESS_IF_OLD = 5;

/**
 * What a failed account means. `budget`: the run has no request left. `rest`: none that is left of the plan is answered for either.
 * `postponed`: the account is read again in another round. `gap`: its gap is written. `pending`: it is not written yet.
 */
export type Judgement = { readonly kind: "budget" | "rest" | "postponed" | "pending" } | { readonly kind: "gap"; readonly gap: Gap };

/** An account's failure that is not written yet. */
type PendingGap = { readonly gap: Gap; readonly claim: Claim };

/**
 * Judges the failed accounts of a snapshot by the run's earlier failures: whether the node or the account is at fault, and whether to
 * try again.
 */
export class FailureJudge {
  /** Whether any account of this snapshot was answered for, now or in an earlier run. If not, the node may be at fault for all failures. */
  #hasAnswers: boolean;
  readonly #isOld: boolean;
  readonly #isChosen: boolean;
  /** Whether the node has listed modules at the version, so that failures may be these accounts' own. */
  isProven = false;
  #prunedInARow = 0;
  #failedInARow = 0;
  /** Failures and answers of this run. */
  #failed = 0;
  #answered = 0;
  #latestError: unknown;
  /** The failure of all that is left: the pin is pruned, or the node answers for nothing that is left of an earlier run's snapshot. */
  ofRest: Omit<Gap, "address"> | undefined;
  /** Gaps that are not written as long as no account was answered for, so that the plan stays whole if the node is at fault. */
  #pendingGaps: PendingGap[] = [];
  /** Failures of accounts that wait for another round. */
  readonly #postponed = new Map<string, Gap>();

  /** `isChosen`: the plan was chosen for a budget, so that it may consist of accounts that never answer. */
  constructor(hasAnswers: boolean, isOld = false, isChosen = false) {
    this.#hasAnswers = hasAnswers;
    this.#isOld = isOld;
    this.#isChosen = isChosen;
  }

  /** The last failures of accounts that are no gaps yet, for a plan that ends before; none where the node may be at fault and go on. */
  get unwritten(): readonly Gap[] {
    const isOver = this.#hasAnswers || this.ofRest !== undefined || (this.#isChosen && this.isProven);
    return isOver ? [...this.#postponed.values(), ...this.#pendingGaps.map(({ gap }) => gap)] : [];
  }

  /** The error to end with when not one account answered, in this run or an earlier one; else undefined. */
  get nodeFault(): unknown {
    return !this.#hasAnswers && this.#pendingGaps.length > 0 ? this.#latestError : undefined;
  }

  /** How often accounts failed, and how at last, in a run in which more failed than were read; else undefined. */
  get unread(): Unread | undefined {
    if (this.#failed <= this.#answered) return undefined;
    const last = this.#latestError instanceof Error ? this.#latestError.message.replace(/\.$/, "") : "";
    return { attempts: this.#failed, last: printable(last, 300) };
  }

  /** How many failures in a row show that the node answers for none. */
  get #hopelessInARow(): number {
    return this.#isOld && !this.isProven ? HOPELESS_IF_OLD : HOPELESS_IN_A_ROW;
  }

  /** Whether another failure shows that the node answers for none, unless 0x1 shows that it does. */
  get isInDoubt(): boolean {
    const mayEnd = this.#isOld ? this.#answered === 0 : !this.#hasAnswers;
    const isDue = this.#failedInARow >= this.#hopelessInARow - 1 || (this.#isChosen && this.#failedInARow === 0);
    return mayEnd && !this.isProven && isDue;
  }

  answered(): void {
    this.#hasAnswers = true;
    this.#answered += 1;
    this.#prunedInARow = 0;
    this.#failedInARow = 0;
  }

  /** An account's answer is stored. Returns the gaps that waited for it. */
  stored({ address }: Pick<Claim, "address">): PendingGap[] {
    this.#postponed.delete(address);
    return this.#pendingGaps.splice(0);
  }

  /** Judges a failure in a round of the plan, which is the claim's number. Throws it where the node will answer for no account. */
  judge(error: unknown, claim: Claim): Judgement {
    const { address, claims: round } = claim;
    const failure = classifyFailure(error, address, round);
    if (failure.kind === "budget") return { kind: "budget" };
    this.#latestError = error;
    this.#failed += 1;
    this.#failedInARow += 1;
    const isHopeless = this.#failedInARow >= this.#hopelessInARow;
    if (isHopeless && !this.#hasAnswers && !this.isProven) throw error;
    this.#prunedInARow = failure.kind === "pruned" ? this.#prunedInARow + 1 : 0;
    if (this.#prunedInARow >= PRUNED_IN_A_ROW) this.ofRest = { ...failure.gap, attempts: 0 };
    else if (this.#isOld && this.#answered === 0 && isHopeless) {
      const message = `the node answered for none of ${this.#failed} accounts at this version: ${failure.gap.message}`;
      this.ofRest = { ...failure.gap, message, attempts: 0 };
    }
    if (this.ofRest !== undefined) return { kind: "rest" };
    // One of several nodes may have pruned the pin: another round asks again.
    if (round < CLAIMS_MAX && failure.mayHelp) {
      this.#postponed.set(address, failure.gap);
      return { kind: "postponed" };
    }
    this.#postponed.delete(address);
    if (this.#hasAnswers) return { kind: "gap", gap: failure.gap };
    this.#pendingGaps.push({ gap: failure.gap, claim });
    return { kind: "pending" };
  }
}
