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
  /** Its place among what the node was asked for, where it was answered, and how much of that was begun by its end. */
  readonly begun?: number;
  readonly ended: number;
  readonly visited?: Visited;
  readonly failure?: { readonly error: unknown; readonly gap: Gap };
};

/** What is said of an account that no process could read to its end. */
const UNREAD = {
  reason: "unread",
  errorCode: null,
  httpStatus: null,
  message: `${CLAIMS_MAX} times a process that read the account ended without a word of it, or was silent for a minute`,
  attempts: CLAIMS_MAX,
  isFinal: false,
};

/** Asks for accounts, no more at a time than the requests suffice for. */
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

  /** @throws CrawlError what cannot be; NodeError what the node fails with that is asked about it */
  async function accept({ modules, doubts }: Visited, claim: Claim): Promise<void> {
    if (modules.length === 0 && (claim.modulesBefore ?? 0) > 0)
      throw (node.hasListed(version) ? undefined : (await ask()).error) ?? CrawlError.emptied(claim, version);
    await recordDoubts(work, doubts, version);
    // Another round asks again, since another node of the address may know better; after the last the bytes are kept as they were given.
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
    // In hand since before the run was asked to end, it had all the time that was left.
    const isSilent = !isSpent(error) && stop.reason === "budget" && !isBegun;
    if (isSilent) course.silent += 1;
    // What concerns the node as a whole says nothing of the account.
    const last = [...failing.values()].findLast(({ ends }) => ends === "request");
    if (last === undefined) return { claim, tried: isBegun || isSilent ? "begun" : "untouched", ended };
    return { claim, tried: "cut", ended, failure: { error: last, gap: failureOf(last).gap } };
  }

  return { attempt, failed, underWay: (): number => underWay };
}
