import type { Engine } from "../../engine/engine.ts";
import { MovedexError } from "../../errors.ts";
import { canFollow, type ObservedHead } from "../../node/answers/head-guard.ts";
import type { NodeIndex } from "../../node/answers/index-answer.ts";
import type { Answer, LedgerHead } from "../../node/protocol/ledger-head.ts";
import { runQueries } from "../../work/runs/runs.ts";
import type { RunWork } from "../run/run-work.ts";
import { assertSameChain, contradicts } from "./same-chain.ts";

/** What the first questions of a run need. `engine` is undefined where there is no database yet. */
export type FirstQuestions = Pick<RunWork, "node" | "clock" | "log" | "acceptsNewHistory"> & {
  readonly engine: Engine | undefined;
  readonly stop: Pick<RunWork["stop"], "signal">;
  /** Whether nothing is to be written, as for a plan. */
  readonly isPlan?: boolean;
};

/** How often the index is read to find two answers that bear each other out. */
const ANSWERS_MAX = 4;

/**
 * The run's first answer: the node's index with a credible head, one that follows from the newest stored or that two answers
 * give. Nothing is written before, but stored heads that the history disproves are struck out.
 * @throws WrongChainError, UnknownHistoryError, NodeError, HeadError
 */
export async function askFirst(questions: FirstQuestions): Promise<Answer<NodeIndex>> {
  const { node, engine, log, stop } = questions;
  const answer = await askHead(questions);
  if (engine === undefined) return answer;
  const { isCompared, isPruned, outvoted } = await assertSameChain(engine, node, answer.head, stop.signal);
  if (outvoted !== undefined) await strikeOut(questions, engine, answer.head, outvoted);
  if (!isCompared) {
    const { oldestVersion, ledgerVersion } = answer.head;
    const found = `could not compare the history of ${node.url} with the database's: it reads versions ${oldestVersion} to ${ledgerVersion}, and nothing stored there, and nothing that stands at the newest one, tells one ledger from another`;
    if (isPruned && questions.acceptsNewHistory !== true && questions.isPlan !== true) throw new UnknownHistoryError(found, answer.head);
    log("warn", `${found}. Only the chain id was checked, and that time, epochs and blocks have risen`, {
      oldest_version: oldestVersion,
      newest_version: ledgerVersion,
    });
  }
  return answer;
}

/** Strikes out the stored heads that contradict a node whose history is the database's: one lie of a night must not shut it out. */
async function strikeOut({ node, log, isPlan = false }: FirstQuestions, engine: Engine, head: LedgerHead, outvoted: bigint): Promise<void> {
  for (let version: bigint | undefined = outvoted; version !== undefined; ) {
    const words = `ledger version ${version} was stored as a node's newest, and ${node.url}, whose history is the one that is stored, has version ${head.ledgerVersion} since: that answer was false`;
    log("warn", isPlan ? words : `${words}, and is struck out`, { false_version: version, head_version: head.ledgerVersion });
    if (isPlan) return;
    await runQueries(engine).forgetHead(version);
    const next = await runQueries(engine).newestHead();
    version = next !== undefined && contradicts(next, head) ? next.headVersion : undefined;
  }
}

async function askHead({ node, engine, clock, stop }: FirstQuestions): Promise<Answer<NodeIndex>> {
  const stored = await (engine && runQueries(engine).newestHead());
  const observed: ObservedHead[] = [];
  const hear = (head: Pick<LedgerHead, "ledgerVersion" | "timestampUsec">, nowMs: number): ObservedHead => ({ head, nowMs, atMs: nowMs });
  const earlier = node.lastHead();
  if (earlier !== undefined) observed.push(hear(earlier, clock.now()));
  for (let count = 0; count < ANSWERS_MAX; count++) {
    const answer = await node.index(stop.signal);
    const latest = hear(answer.head, clock.now());
    const known = stored && hear({ ledgerVersion: stored.headVersion, timestampUsec: stored.timestampUsec }, stored.seenAtMs);
    if (known !== undefined && canFollow(known, latest)) return answer;
    if (observed.some((other) => canFollow(other, latest) && canFollow(latest, other))) return answer;
    observed.push(latest);
  }
  const versions = observed.map(({ head }) => head.ledgerVersion).join(", ");
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
