import { CLAIMS_MAX, type Claim } from "../../db/archive/snapshots/claims.ts";
import type { Gap } from "../../db/archive/snapshots/gaps.ts";
import type { NodeError } from "../../node/protocol/node-error.ts";
import type { RunWork } from "../run/run-work.ts";
import { CrawlError, classifyFailure, isSpent, recordDoubts } from "../visit/classify-failure.ts";
import { type Visited, type VisitWork, visitAccount } from "../visit/visit-account.ts";
import type { Course } from "./course.ts";
import { BRIEF_IN_A_ROW, type Tried, widthFor } from "./fate.ts";
import type { openQuestion } from "./question.ts";

/** One try of an account: what was read of it, or what it failed with. */
export type Attempt = {
  readonly claim: Claim;
  readonly tried: Tried;
  /** `course.begun` when it began, if it was answered, and when it ended. */
  readonly begun?: number;
  readonly ended: number;
  readonly visited?: Visited;
  readonly failure?: { readonly error: unknown; readonly gap: Gap };
};

/** The gap of an account that no process could read to its end. */
const UNREAD = {
  reason: "unread",
  errorCode: null,
  httpStatus: null,
  message: `${CLAIMS_MAX} times a process that read the account ended without a word of it, or was silent for a minute`,
  attempts: CLAIMS_MAX,
  isFinal: false,
};

/** Tries accounts, only as many at a time as the requests left suffice for. */
export function openAttempts(work: RunWork & VisitWork, version: bigint, course: Course, ask: ReturnType<typeof openQuestion>) {
  const { node, stop } = work;
  let underWay = 0;
  const waiting: (() => void)[] = [];
  /** The most requests that an account has taken in this run. */
  let longest: number | undefined;

  async function attempt(claim: Claim): Promise<Attempt> {
    const { address, claims, readsRecord } = claim;
    if (claims > CLAIMS_MAX) return { claim, tried: "unread", ended: 0, failure: { error: undefined, gap: { ...UNREAD, address } } };
    while (underWay > 0 && underWay >= widthFor(work.concurrency, node.requestsLeft(), longest))
      await new Promise<void>((go) => waiting.push(go));
    if (course.isOver()) return { claim, tried: "untouched", ended: course.begun };
    underWay += 1;
    const begun = course.begin();
    let pages = 0;
    const onPage = async (): Promise<void> => {
      pages += 1;
      await work.onPage?.();
    };
    /** Requests under way for which the node has failed to answer so far. */
    const failing = new Map<string, NodeError>();
    const onFailure = (path: string, error?: NodeError): void => {
      if (error === undefined) failing.delete(path);
      else failing.set(path, error);
    };
    const isBrief = course.failedInARow >= BRIEF_IN_A_ROW;
    try {
      const visited = await visitAccount({ ...work, onPage, asking: { onFailure, isBrief } }, claim, version);
      await accept(visited, claim);
      return { claim, tried: visited.modules.length > 0 ? "answered" : "nothing", begun, ended: course.begun, visited };
    } catch (error) {
      return failed(error, claim, pages > 0, failing);
    } finally {
      underWay -= 1;
      longest = Math.max(longest ?? 0, pages + (readsRecord ? 1 : 0));
      for (const go of waiting.splice(0)) go();
    }
  }

  /** @throws CrawlError for an answer that cannot be true; NodeError where the node is asked about it and fails */
  async function accept({ modules, doubts }: Visited, claim: Claim): Promise<void> {
    if (modules.length === 0 && (claim.modulesBefore ?? 0) > 0)
      throw (node.hasListed(version) ? undefined : (await ask()).error) ?? CrawlError.emptied(claim, version);
    await recordDoubts(work, doubts, version);
    // Another node behind the address may answer better in another round. After the last round the bytes are kept as they came.
    if (doubts[0] !== undefined && claim.claims < CLAIMS_MAX) throw CrawlError.doubtful(doubts[0], version);
  }

  /** @throws what ends the run */
  function failed(error: unknown, claim: Claim, isBegun = true, failing: ReadonlyMap<string, NodeError> = new Map()): Attempt {
    const ended = course.begun;
    const failureOf = (failed: unknown) => classifyFailure(failed, claim.address, claim.claims);
    course.isBudgetSpent ||= isSpent(error);
    if (!isSpent(error) && !stop.signal.aborted) {
      const { kind, mayHelp, gap } = failureOf(error);
      course.noteFailure(error, kind === "pruned");
      return { claim, tried: kind === "pruned" ? "pruned" : mayHelp ? "failed" : "refused", ended, failure: { error, gap } };
    }
    // It was begun before the run was asked to end, and had all the time that was left.
    const isSilent = !isSpent(error) && stop.reason === "budget" && !isBegun;
    if (isSilent) course.silent += 1;
    // Errors that end the run concern the node, not the account.
    const last = [...failing.values()].findLast(({ ends }) => ends === "request");
    if (last === undefined) return { claim, tried: isBegun || isSilent ? "cutReading" : "untouched", ended };
    return { claim, tried: "cutFailing", ended, failure: { error: last, gap: failureOf(last).gap } };
  }

  return { attempt, failed, underWay: (): number => underWay };
}
