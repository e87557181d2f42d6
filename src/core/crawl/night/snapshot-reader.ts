import { forEachConcurrent } from "../../base/async.ts";
import { printable } from "../../base/printable.ts";
import { CLAIMS_MAX, type Claim, claimQueries } from "../../db/archive/snapshots/claims.ts";
import { type Gap, gapQueries } from "../../db/archive/snapshots/gaps.ts";
import { snapshotQueries } from "../../db/archive/snapshots/snapshot-queries.ts";
import { type Visit, visitQueries } from "../../db/archive/snapshots/visits.ts";
import { StoreError } from "../../db/engine/errors.ts";
import type { Address } from "../../move/address.ts";
import { NodeError } from "../../node/protocol/node-error.ts";
import type { RunWork } from "../run/run-work.ts";
import type { AbiWatch } from "../visit/abi-watch.ts";
import { CrawlError, classifyFailure, type Doubt, isSpent, recordDoubts } from "../visit/classify-failure.ts";
import { askListing, holdsNothing, visitAccount } from "../visit/visit-account.ts";
import { claimedAccounts } from "./claimed-accounts.ts";
import { type Ending, type Fate, fateOf, type Shown, type Tried, widthFor } from "./fate.ts";
import { countProgress, type SnapshotOutcome, type SnapshotProgress } from "./progress.ts";
import { openVisitBatch } from "./visit-batch.ts";

export type SnapshotWork = RunWork & {
  readonly report: (progress: SnapshotProgress) => void;
  readonly abiWatch?: AbiWatch;
};

/** How often progress is told at most. */
const REPORT_EVERY_MS = 100;

/** Accounts that are claimed at a time: of a file, which has one writer, many; of a server few, so that several processes end together. */
const claimedAtOnce = (host: string | undefined, concurrency: number): number => (host === undefined ? 256 : 2 * concurrency);

/** How often one looks whether an account that waits, or that others have, comes free. */
const LOOK_EVERY_MS = 500;

/** What is said of an account that no process could read to its end. */
const UNREAD = {
  reason: "unread",
  errorCode: null,
  httpStatus: null,
  message: `${CLAIMS_MAX} times a process that read the account ended without a word of it, or was silent for a minute`,
  attempts: CLAIMS_MAX,
  isFinal: false,
};

/** One try of an account: what was read of it, or what it failed with. */
type Attempt = {
  readonly claim: Claim;
  readonly tried: Tried;
  readonly visited?: Visit;
  readonly failure?: { readonly error: unknown; readonly gap: Gap };
  /** How often the node had listed modules by then. */
  readonly heard: number;
};

/** Why reading ended with accounts left: what all of them are missed with, and what those failed with that were asked. */
export type Rest = { readonly kind: "lost" | "unreadable"; readonly gap: Omit<Gap, "address">; readonly failed: readonly Gap[] };

/** What a node said that was asked whether it lists anything, and what it failed with. */
type Said = { readonly shown: Exclude<Shown, "unknown">; readonly error?: unknown };

/** Reads one snapshot, of an earlier run or tonight's: goes through its plan, and does with each account what `fateOf` says. */
export async function openReader(work: SnapshotWork, version: bigint, isOld: boolean) {
  const { engine, node, clock, stop } = work;
  const claims = claimQueries(engine, { now: clock.now });
  await claims.forgetClaims(version);
  const [before, found] = [await snapshotQueries(engine).progress(version), await snapshotQueries(engine).findSnapshot(version)];
  await work.bytecodes.expect(before.planned);
  const snapshot = found?.status !== "unsealed" ? "sealed" : isOld ? "earlier" : "tonight";
  const isChosen = found?.passedOver !== undefined;
  const counter = countProgress(before, clock.monotonic());
  const accounts = claimedAccounts(claims, version, clock, claimedAtOnce(work.host, work.concurrency));
  const visits = openVisitBatch(visitQueries(engine, work.bytecodes), version, engine.gatherMs);
  /** Attempts that the next listing decides, or the end of the run, and those that wait for another round. */
  const held: Attempt[] = [];
  const again = new Map<number, Attempt>();
  /** How many accounts are being asked for, and requests under way for which the node has failed to answer so far. */
  let underWay = 0;
  const waiting: (() => void)[] = [];
  /** The most requests that an account has taken in this run. */
  let longest: number | undefined;
  const failing = new Map<string, { readonly account: number; readonly error: NodeError }>();
  /** Visits that are being stored; reading does not wait for them. */
  const storing = new Set<Promise<void>>();
  /** The course of this run: accounts answered, failed, failed since the last answer, and how at last. */
  const course = { answered: 0, failed: 0, silent: 0, failedInARow: 0, prunedInARow: 0, latest: undefined as unknown };
  /** How often the node has listed modules, whether it did after the run was told to end, and an account with some. */
  const shown = { lists: 0, isAfterStop: false, witness: undefined as Address | undefined };
  /** The question whether it lists any, which all that are in doubt wait for; at the end it is asked once. */
  let question: Promise<Said> | undefined;
  /** Whether no other account is begun. */
  let isAtEnd = false;
  /** Whether a request was refused for want of budget. The run is told so once what is open is decided: that aborts questions. */
  let isBudgetSpent = false;
  /** Whether the rest of it waits for the next run. */
  let isLeft = false;
  let rest: Rest | undefined;
  /** Whether another process has sealed the snapshot: what this one still reads of it was read by others. */
  let isSealed = false;
  let reportDueMs = 0;
  /** The failure that ends the run, met while a visit was stored. */
  let broken: { readonly error: unknown } | undefined;

  const isOver = (): boolean =>
    stop.reason !== undefined || isBudgetSpent || isLeft || rest !== undefined || isSealed || broken !== undefined;

  async function readFree(isAgain: boolean): Promise<void> {
    try {
      await forEachConcurrent(accounts.walk(isAgain), work.concurrency, visit, isOver);
    } finally {
      // Where requests are spent, `finish` waits, once the run is told: a database that falls silent must not hold it.
      if (!isBudgetSpent) await settleStores();
    }
  }

  async function settleStores(): Promise<void> {
    visits.flush();
    while (storing.size > 0) await Promise.all(storing);
    if (broken !== undefined) throw broken.error;
  }

  async function visit(claim: Claim): Promise<void> {
    // Others have read what comes before it.
    if (work.host !== undefined) counter.reached(claim.position - accounts.count());
    const attempt = claim.claims > CLAIMS_MAX ? unreadAttempt(claim) : await read(claim);
    if (attempt !== undefined && isOver() && attempt.tried !== "answered") postponeToEnd(attempt);
    else if (attempt !== undefined) await decide(attempt);
    report();
  }

  function postponeToEnd(attempt: Attempt): void {
    const { tried, claim } = attempt;
    // How it failed in the round before says more.
    if ((tried === "untouched" || tried === "begun") && again.has(claim.account)) return;
    again.delete(claim.account);
    held.push(attempt);
  }

  /** Asks for one account. @returns what came of it; undefined where others have sealed the snapshot */
  async function read(claim: Claim): Promise<Attempt | undefined> {
    const { account, claims: round, readsRecord } = claim;
    while (underWay > 0 && underWay >= widthFor(work.concurrency, node.requestsLeft(), longest))
      await new Promise<void>((go) => waiting.push(go));
    if (isOver()) return { claim, tried: "untouched", heard: shown.lists };
    let isBegun = false;
    let requests = readsRecord ? 1 : 0;
    underWay += 1;
    const onPage = (): Promise<void> => {
      isBegun = true;
      requests += 1;
      return accounts.keep();
    };
    const onFailure = (path: string, error?: NodeError): void => {
      if (error === undefined) failing.delete(path);
      else failing.set(path, { account, error });
    };
    try {
      await visits.room();
      const { doubts, ...visited } = await visitAccount({ ...work, onPage, onFailure }, claim, version);
      if (visited.modules.length === 0 && (claim.modulesBefore ?? 0) > 0) await requireSome(claim);
      await doubt(doubts, round);
      return { claim, tried: visited.modules.length > 0 ? "answered" : "nothing", visited, heard: shown.lists };
    } catch (error) {
      return isLate(error) ? undefined : failedAttempt(error, claim, isBegun);
    } finally {
      underWay -= 1;
      longest = Math.max(longest ?? 0, requests);
      for (const go of waiting.splice(0)) go();
      for (const [path, one] of failing) if (one.account === account) failing.delete(path);
    }
  }

  /** @throws what ends the run */
  function failedAttempt(error: unknown, claim: Claim, isBegun: boolean): Attempt {
    const heard = shown.lists;
    const gapOf = (failed: unknown) => classifyFailure(failed, claim.address, claim.claims);
    isBudgetSpent ||= isSpent(error);
    if (isSpent(error) || stop.signal.aborted) {
      // What concerns the node as a whole says nothing of the account.
      const last = [...failing.values()].findLast(({ account, error }) => account === claim.account && error.ends === "request");
      // In hand since before the run was asked to end, it had all the time that was left.
      const isSilent = !isSpent(error) && stop.reason === "budget" && !isBegun;
      if (isSilent) course.silent += 1;
      if (last === undefined) return { claim, tried: isBegun || isSilent ? "begun" : "untouched", heard };
      return { claim, tried: "cut", failure: { error: last.error, gap: gapOf(last.error).gap }, heard };
    }
    const { kind, mayHelp, gap } = gapOf(error);
    course.latest = error;
    course.failed += 1;
    course.failedInARow += 1;
    course.prunedInARow = kind === "pruned" ? course.prunedInARow + 1 : 0;
    return { claim, tried: kind === "pruned" ? "pruned" : mayHelp ? "failed" : "refused", failure: { error, gap }, heard };
  }

  /** Does with an account what its fate is. */
  async function decide(attempt: Attempt): Promise<void> {
    const { claim, tried, heard } = attempt;
    if (tried === "answered") await listed(claim.address);
    // Of an account that had none before, nothing is lost where the index goes while the night is read.
    const isAsBefore = tried === "nothing" && claim.modulesBefore === 0 && node.hasListed(version);
    const hasListed = shown.lists > heard || isAsBefore || (tried !== "nothing" && isAtEnd && shown.isAfterStop);
    const fateIf = (said: Shown): Fate =>
      fateOf({
        tried,
        round: claim.claims,
        triesBefore: claim.failedBefore,
        shown: said,
        ending: endingNow(),
        failedInARow: course.failedInARow,
        prunedInARow: course.prunedInARow,
        nothings: held.filter((one) => one.tried === "nothing").length,
        snapshot,
        isChosen,
        answers: course.answered > 0 ? "now" : before.visited > 0 || snapshot === "sealed" ? "before" : "none",
      });
    const fate = fateIf(hasListed ? "lists" : "unknown");
    if (fate !== "ask") return settle(fate, attempt);
    const said = await ask();
    if (tried === "nothing" && said.error !== undefined) return decide(failedAttempt(said.error, claim, true));
    return settle(fateIf(said.shown) as Exclude<Fate, "ask">, attempt);
  }

  function endingNow(): Ending {
    if (stop.reason !== undefined && stop.reason !== "budget") return "signal";
    if (stop.reason === "budget" || isBudgetSpent) return "budget";
    return isLeft ? "turn" : isAtEnd ? "plan" : undefined;
  }

  async function settle(fate: Exclude<Fate, "ask">, attempt: Attempt): Promise<void> {
    const { claim, visited, failure } = attempt;
    again.delete(claim.account);
    if (fate === "stored") return store(visited as Visit, claim);
    if (fate === "held") return void held.push(attempt);
    if (fate === "last") return accounts.leaveLast(claim.account);
    if (fate === "left") return;
    const { error, gap } = failure as Required<Attempt>["failure"];
    if (fate === "stop") throw error;
    if (fate === "leave") {
      isLeft = true;
      return void held.push(attempt);
    }
    // A node that has the version may have it for this account, too, on another night.
    const isFinal = gap.isFinal && (node.lastHead()?.oldestVersion ?? 0n) > version;
    if (fate === "gap") return giveUp({ ...gap, isFinal }, claim);
    if (fate === "noted") {
      accounts.leaveLast(claim.account);
      return unlessLate(gapQueries(engine).noteFailure(version, gap, clock.now()));
    }
    if (fate === "again") {
      again.set(claim.account, attempt);
      return accounts.postpone(claim.account);
    }
    held.push(attempt);
    const message =
      fate === "lost"
        ? `ledger version ${version} was pruned before the account was read`
        : `the node answered for none of ${course.failedInARow} accounts at this version: ${gap.message}`;
    rest = { kind: fate, gap: { ...gap, attempts: 0, message }, failed: [] };
  }

  /** The node lists modules at the version: what failed before has failed by itself. */
  async function listed(witness = shown.witness): Promise<void> {
    shown.lists += 1;
    shown.witness = witness;
    shown.isAfterStop ||= isOver();
    if (!isOver() && !isAtEnd) for (const attempt of held.splice(0)) await decide(attempt);
  }

  /** An account that had modules lists none. @throws CrawlError, NodeError always */
  async function requireSome(claim: Claim): Promise<never> {
    const said = node.hasListed(version) ? undefined : await ask();
    throw said?.error ?? CrawlError.emptied(claim, version);
  }

  /** Asks the node for modules that it must have. @throws CrawlError, NodeError what ends the run */
  function ask(): Promise<Said> {
    if (question !== undefined) return question;
    const asked = askOnce();
    const forget = (): void => {
      if (!isOver() && !isAtEnd) question = undefined;
    };
    asked.then(forget, () => {});
    question = asked;
    return asked;
  }

  async function askOnce(): Promise<Said> {
    try {
      await askListing(work, version, { address: shown.witness, isLast: true });
    } catch (error) {
      isBudgetSpent ||= isSpent(error);
      if (!(error instanceof NodeError && error.kind === "pruned")) course.prunedInARow = 0;
      const isOfRun = !(error instanceof NodeError) || error.ends === "run";
      if (isOfRun && !isBudgetSpent && stop.reason === undefined) throw error;
      return isOfRun ? { shown: "unasked" } : { shown: "fails", error };
    }
    course.prunedInARow = 0;
    await listed();
    return { shown: "lists" };
  }

  /** Another round asks again, since another node of the address may know better; after the last the bytes are kept as they were given. */
  async function doubt(doubts: readonly Doubt[], round: number): Promise<void> {
    const [first] = doubts;
    if (first === undefined) return;
    await recordDoubts(work, doubts, version);
    if (round < CLAIMS_MAX) throw CrawlError.doubtful(first, version);
    counter.count.doubtful += doubts.length;
  }

  /** Stored while others are read. */
  function store(visited: Visit, claim: Claim): void {
    course.answered += 1;
    course.failedInARow = 0;
    course.prunedInARow = 0;
    const stored = storeVisit(visited, claim)
      .catch((error: unknown) => {
        if (!isLate(error)) broken ??= { error };
      })
      .finally(() => {
        storing.delete(stored);
        report();
      });
    storing.add(stored);
  }

  async function storeVisit(visited: Visit, claim: Claim): Promise<void> {
    const { newBytecodes } = await visits.commit(visited);
    counter.answered({ modules: visited.modules.length, newBytecodes, isEmpty: holdsNothing(visited) });
    accounts.settle(claim.account);
  }

  /** Stores that an account was not answered for. */
  async function giveUp(gap: Gap, claim: Claim): Promise<void> {
    await unlessLate(gapQueries(engine).commitGap(version, gap, clock.now()));
    if (isSealed) return;
    counter.givenUp(gap);
    accounts.settle(claim.account);
  }

  const unlessLate = (work: Promise<void>): Promise<void> =>
    work.catch((error: unknown) => {
      if (!isLate(error)) throw error;
    });

  /** Whether an error says that the snapshot is sealed, so that nothing more is stored of it. */
  function isLate(error: unknown): boolean {
    isSealed ||= error instanceof StoreError && error.code === "MOVEDEX_STORE_PIN";
    return isSealed;
  }

  function report(): void {
    const now = clock.monotonic();
    if (now < reportDueMs) return;
    reportDueMs = now + REPORT_EVERY_MS;
    work.report(counter.progress(version, now, node.stats(), node.lastHead()?.oldestVersion));
  }

  /** Once no other account is begun: decides what is open. @returns what all are missed with that are left of the plan */
  async function finish(): Promise<Rest | undefined> {
    isAtEnd = true;
    for (const attempt of [...held.splice(0), ...again.values()]) {
      if (rest === undefined) await decide(attempt);
      else held.push(attempt);
    }
    if (isBudgetSpent) stop.request("budget");
    await settleStores();
    return (
      rest && { ...rest, failed: held.flatMap(({ failure, tried }) => (failure === undefined || tried === "pruned" ? [] : failure.gap)) }
    );
  }

  return {
    /**
     * Reads what is left of the plan, beside others that may be at work on it, until every account is answered for or the run is
     * to end. @returns what all are missed with that are left then; undefined where they are left to later runs, or none is
     */
    read: async (): Promise<Rest | undefined> => {
      // The time that is left for what is in hand is enough to ask this, too.
      const askAtStop = (): void => {
        if (stop.reason === "budget" && underWay + held.length + again.size > 0) void ask().catch(() => {});
      };
      stop.asked.addEventListener("abort", askAtStop, { once: true });
      try {
        for (let isAgain = false; ; isAgain = true) {
          await readFree(isAgain);
          // What is still in hand then is held.
          if (isOver() || (await claims.accountsLeft(version)).accounts <= accounts.count()) break;
          // Others may have the rest, and hold theirs as this one does: none of them would list an account that decides.
          if (held.length > 0 && (await ask()).shown === "fails") break;
          // Aborted, the run is to end at once.
          await clock.sleep(LOOK_EVERY_MS, stop.signal).catch(() => {});
          if (isOver()) break;
          await accounts.keep();
        }
        return isSealed ? undefined : await finish();
      } finally {
        stop.asked.removeEventListener("abort", askAtStop);
        if (isBudgetSpent) stop.request("budget");
        // Behind an error of another kind.
        await settleStores().catch(() => undefined);
        await accounts.giveBack();
      }
    },
    /** What accounts failed with at last. */
    latestError: (): unknown => course.latest,
    isLeft: (): boolean => isLeft,
    outcome: (): SnapshotOutcome => {
      const { newBytecodes, empty, doubtful, emptied, isLost } = counter.count;
      const last = course.latest instanceof Error ? printable(course.latest.message.replace(/\.$/, ""), 300) : "";
      return {
        isLost: isLost || rest?.kind === "lost",
        newBytecodes,
        empty,
        ...(doubtful > 0 && { doubtful }),
        ...(emptied > 0 && { emptied }),
        ...(course.failed > course.answered
          ? { unread: { attempts: course.failed, last } }
          : course.answered === 0 && course.silent > 0 && { silent: course.silent }),
      };
    },
  };
}

function unreadAttempt(claim: Claim): Attempt {
  return { claim, tried: "unread", failure: { error: undefined, gap: { ...UNREAD, address: claim.address } }, heard: 0 };
}
