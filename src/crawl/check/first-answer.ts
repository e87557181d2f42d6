import type { Engine } from "../../engine/engine.ts";
import { MovedexError } from "../../errors.ts";
import type { NodeIndex } from "../../node/answers/index-answer.ts";
import { canFollow, hasTimeToFollow, type ObservedHead } from "../../node/answers/possible-heads.ts";
import type { Answer, LedgerHead } from "../../node/protocol/ledger-head.ts";
import { runQueries } from "../../work/runs/runs.ts";
import type { RunWork } from "../run/run-work.ts";
import { assertSameChain, otherLedger } from "./same-chain.ts";

/** What the first questions of a run need. `engine` is undefined where there is no database yet. */
export type FirstQuestions = Pick<RunWork, "node" | "clock" | "log" | "acceptsNewHistory"> & {
  readonly engine: Engine | undefined;
  readonly stop: Pick<RunWork["stop"], "signal">;
  /** Whether nothing is to be written, as for a plan. */
  readonly isPlan?: boolean;
};

/** How often the index is read to find two answers in a row that bear each other out. */
const ANSWERS_MAX = 4;

/**
 * The run's first answer: the node's index with a credible head, one that follows from the newest stored, or that two answers give.
 * Nothing is written before.
 * @throws WrongChainError, UnknownHistoryError, NodeError, HeadError
 */
export async function askFirst(questions: FirstQuestions): Promise<Answer<NodeIndex>> {
  const { node, engine, log, stop } = questions;
  const answer = await askHead(questions);
  if (engine === undefined) return answer;
  const { isCompared, isPruned } = await assertSameChain(engine, node, answer.head, stop.signal);
  if (!isCompared) {
    const { oldestVersion, ledgerVersion } = answer.head;
    const found = `could not compare the history of ${node.url} with the database's: it reads versions ${oldestVersion} to ${ledgerVersion}, and nothing stored there, and nothing that stands at the newest one, tells one ledger from another`;
    if (isPruned && questions.acceptsNewHistory !== true && questions.isPlan !== true) throw new UnknownHistoryError(found, answer.head);
    log("warn", `${found}. Only the chain id was checked, and that ledger time has risen`, {
      oldest_version: oldestVersion,
      newest_version: ledgerVersion,
    });
  }
  return answer;
}

async function askHead({ node, engine, clock, stop }: FirstQuestions): Promise<Answer<NodeIndex>> {
  const known = engine && (await runQueries(engine).newestHead());
  const stored = known && { head: { ...known, ledgerVersion: known.headVersion }, nowMs: known.seenAtMs, atMs: known.seenAtMs };
  const earlier = node.lastHead();
  const heard: ObservedHead[] = earlier === undefined ? [] : [{ head: earlier, nowMs: clock.now(), atMs: clock.now() }];
  for (let count = 0; count < ANSWERS_MAX; count++) {
    const { head, ...answer } = await node.index(stop.signal);
    const latest = { head, nowMs: clock.now(), atMs: clock.now() };
    const previous = heard.at(-1);
    const isBorneOut = previous !== undefined && canFollow(previous, latest) && canFollow(latest, previous);
    if (stored !== undefined && isBorneOut && !hasTimeToFollow(stored, latest)) throw otherLedger(stored.head, node, head);
    if (isBorneOut || (stored !== undefined && canFollow(stored, latest))) return { ...answer, head };
    heard.push(latest);
  }
  const versions = heard.map(({ head }) => head.ledgerVersion).join(", ");
  throw new HeadError(
    "MOVEDEX_HEAD_CONTRADICTORY",
    `${node.url} said that its newest ledger version is ${versions}. One ledger cannot have all of these at one time. Nothing was written. Use another node.`,
    { facts: { url: node.url } },
  );
}

/** Nothing shows whether a node's ledger is the stored one, or a new one with the same chain id. Code: `MOVEDEX_HISTORY_UNKNOWN`. */
class UnknownHistoryError extends MovedexError {
  constructor(found: string, { oldestVersion, ledgerVersion }: LedgerHead) {
    super(
      "MOVEDEX_HISTORY_UNKNOWN",
      `${found}. Nothing was written. If this network was not restarted since the last run, run the same command once with --accept-new-history; else use another --db.`,
      { facts: { oldestVersion, newestVersion: ledgerVersion }, exit: "wrongChain" },
    );
  }
}

/** A node whose answers about its newest version contradict each other. Code: `MOVEDEX_HEAD_CONTRADICTORY`. */
class HeadError extends MovedexError {}
