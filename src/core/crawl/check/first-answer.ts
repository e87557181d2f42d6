import { equalBytes, formatHex } from "../../base/bytes.ts";
import { seededRandom } from "../../base/numbers.ts";
import { sha256 } from "../../base/sha256.ts";
import { readChain } from "../../db/archive/chain.ts";
import { type SampledModule, sampleModules } from "../../db/archive/read/sampling.ts";
import { readSealedVersions } from "../../db/archive/snapshots/snapshot-queries.ts";
import type { Engine } from "../../db/engine/engine.ts";
import { MovedexError } from "../../errors.ts";
import type { Address } from "../../move/address.ts";
import type { NodeIndex } from "../../node/answers/shapes.ts";
import type { LedgerNode } from "../../node/open-node.ts";
import { errorClass } from "../../node/protocol/error-classes.ts";
import { type Answer, canFollow, hasTimeToFollow, type LedgerHead, type ObservedHead } from "../../node/protocol/ledger-head.ts";
import { NodeError } from "../../node/protocol/node-error.ts";
import { runQueries, type SeenHead } from "../../work/runs/runs.ts";
import type { RunWork } from "../run/run-work.ts";

/** How many stored modules are read again at the start of a run, one request each; and of a node that is new. */
const [MODULES, NEW_NODE_MODULES] = [3, 24];

/** @throws WrongChainError `MOVEDEX_WRONG_CHAIN` when the node is of another chain than the database, which may have none yet (null) */
export function assertChainId(stored: number | null, { url }: LedgerNode, { chainId: found }: LedgerHead): void {
  if (stored === null || stored === found) return;
  throw new WrongChainError(`this database is of chain ${stored}, and ${url} answers for chain ${found}`, { stored, found });
}

/** That a node's newest version cannot be of the ledger of which this one was seen. */
function otherLedger(seen: SeenHead, { url }: LedgerNode, { ledgerVersion, timestampUsec }: LedgerHead): WrongChainError {
  return new WrongChainError(
    `ledger version ${seen.ledgerVersion} was seen at ledger time ${isoTime(seen.timestampUsec)}, and ${url} now has version ${ledgerVersion} at ` +
      `${isoTime(timestampUsec)}: on one ledger they rise together, at most 100,000 versions a second. The ledger was restarted or is ` +
      "another one. If the earlier version was a node's false answer, " +
      `\`movedex doctor --forget-sample ${seen.ledgerVersion}\` deletes it`,
    { storedVersion: seen.ledgerVersion, foundVersion: ledgerVersion },
  );
}

/**
 * Reads stored modules again, at a stored version if the node can, else at its newest one, where the code may have changed and modules
 * of the framework tell nothing: another ledger may have begun with the same.
 * @returns whether the node has the same bytes of any; if not, the failure that kept one from being read, if there was one
 */
async function compareModules({ node, stop }: FirstQuestions, engine: Engine, head: LedgerHead): Promise<boolean | NodeError> {
  // One without modules has nothing to compare.
  const sealed = await readSealedVersions(engine, 1);
  const readable = sealed.findLast((version) => version >= head.oldestVersion && version <= head.ledgerVersion);
  const others = sealed.filter((version) => version > head.ledgerVersion).concat(sealed.toReversed());
  const random = seededRandom(Number(BigInt.asUintN(32, head.ledgerVersion)));
  // What it alone still has, no other node can bear out.
  const isNew = await runQueries(engine).isNewWithOlder(node.url, head.oldestVersion);
  const drawn = { count: isNew ? NEW_NODE_MODULES : MODULES, random, isOfUsers: readable === undefined };
  let modules: readonly SampledModule[] = [];
  // A night that read little may have code of the framework alone.
  for (const version of readable === undefined ? others : [readable])
    if (modules.length === 0) modules = await sampleModules(engine, { ...drawn, version });
  let isAlike: boolean | NodeError = false;
  for (const { address, name, sha256: expected } of modules) {
    const found = await digestAt(node, address, name, readable ?? head.ledgerVersion, stop.signal);
    if (found instanceof NodeError) {
      isAlike ||= found;
      continue;
    }
    if (found && equalBytes(found, expected)) {
      isAlike = true;
      continue;
    }
    if (found === undefined || readable === undefined) continue;
    throw new WrongChainError(
      `module ${address}::${name} at ledger version ${readable} was stored with SHA-256 ${formatHex(expected)}, and ${node.url} now ` +
        (found === null ? "says that there is no such module" : `gives ${formatHex(found)}`),
      { address, module: name, version: readable },
    );
  }
  return isAlike;
}

/** A module's SHA-256; null if there is none, undefined if the node does not say, and the failure where it may say so another time. */
async function digestAt(node: LedgerNode, address: Address, name: string, version: bigint, signal: AbortSignal) {
  try {
    return sha256((await node.module(address, name, { version }, signal)).value.bytecode);
  } catch (error) {
    if (!(error instanceof NodeError) || error.ends === "run") throw error;
    if (error.kind === "module_not_found") return null;
    return errorClass(error.kind).retry === undefined ? undefined : error;
  }
}

function isoTime(usec: bigint): string {
  const ms = Number(usec / 1000n);
  return Math.abs(ms) <= 8.64e15 ? new Date(ms).toISOString() : `${usec} µs`;
}

/** The node's ledger is not the one that the database holds. Nothing was written. */
class WrongChainError extends MovedexError {
  constructor(found: string, facts: MovedexError["facts"]) {
    const text = `wrong chain: ${found}. Nothing was written. Use another --db for this ledger, or the right node for this database.`;
    super("MOVEDEX_WRONG_CHAIN", text, { facts, exit: "wrongChain" });
  }
}

/** What the first questions of a run need. `engine` is undefined where there is no database yet. */
export type FirstQuestions = Pick<RunWork, "node" | "clock" | "log" | "acceptsNewHistory"> & {
  readonly engine: Engine | undefined;
  readonly stop: Pick<RunWork["stop"], "signal">;
  readonly isPlan?: boolean;
};

/** How often the index is read to find two answers in a row that bear each other out. */
const ANSWERS_MAX = 4;

/**
 * The run's first answer: the node's index with a credible head, one that follows from the newest stored, or that two answers give. Makes
 * sure, before anything is written, that the node's ledger is the database's: by the chain id, by ledger time, which rises with versions,
 * and by a few stored modules.
 * @throws WrongChainError, NodeError, MovedexError `MOVEDEX_HISTORY_UNKNOWN` where nothing tells one ledger from another, and
 * `MOVEDEX_HEAD_CONTRADICTORY` where the node contradicts itself
 */
export async function askFirst(questions: FirstQuestions): Promise<Answer<NodeIndex>> {
  const { node, engine, log } = questions;
  const answer = await askHead(questions);
  if (engine === undefined) return answer;
  const { head } = answer;
  assertChainId(await readChain(engine), node, head);
  const seen = await runQueries(engine).contradictingHead(head);
  if (seen !== undefined) throw otherLedger(seen, node, head);
  const newest = (await readSealedVersions(engine)).at(-1);
  const compared = newest === undefined || (await compareModules(questions, engine, head));
  if (newest === undefined || compared === true) return answer;
  const { oldestVersion, ledgerVersion } = head;
  const found = `could not compare the history of ${node.url} with the database's: it reads versions ${oldestVersion} to ${ledgerVersion}, and nothing stored there, and nothing that stands at the newest one, tells one ledger from another`;
  const isAccepted = questions.acceptsNewHistory === true || questions.isPlan === true;
  if (newest < oldestVersion && !isAccepted) {
    if (compared instanceof NodeError) {
      const why = "all that is stored is pruned there, and the node fails to say what stands at its newest version";
      log("warn", `${why}. If it goes on so, and this network was not restarted, let one run continue with --accept-new-history`);
      throw compared;
    }
    const advice =
      "Nothing was written. If this network was not restarted since the last run, let one run continue with --accept-new-history; else use another --db.";
    throw new MovedexError("MOVEDEX_HISTORY_UNKNOWN", `${found}. ${advice}`, {
      facts: { oldestVersion, newestVersion: ledgerVersion },
      exit: "wrongChain",
    });
  }
  const facts = { oldest_version: oldestVersion, newest_version: ledgerVersion };
  log("warn", `${found}. Only the chain id was checked, and that ledger time has risen`, facts);
  return answer;
}

async function askHead({ node, engine, clock, stop }: FirstQuestions): Promise<Answer<NodeIndex>> {
  const known = engine && (await runQueries(engine).newestHead());
  const stored = known && { head: known, nowMs: known.seenAtMs, atMs: known.seenAtMs };
  const observed = (head: LedgerHead): ObservedHead => ({ head, nowMs: clock.now(), atMs: clock.now() });
  const earlier = node.lastHead();
  const heads = earlier === undefined ? [] : [observed(earlier)];
  for (let count = 0; count < ANSWERS_MAX; count++) {
    const answer = await node.index(stop.signal);
    const latest = observed(answer.head);
    const previous = heads.at(-1);
    const isBorneOut = previous !== undefined && canFollow(previous, latest) && canFollow(latest, previous);
    if (stored !== undefined && isBorneOut && !hasTimeToFollow(stored, latest)) throw otherLedger(stored.head, node, answer.head);
    if (isBorneOut || (stored !== undefined && canFollow(stored, latest))) return answer;
    heads.push(latest);
  }
  const versions = heads.map(({ head }) => head.ledgerVersion).join(", ");
  const found = `${node.url} said that its newest ledger version is ${versions}. One ledger cannot have all of these at one time.`;
  throw new MovedexError("MOVEDEX_HEAD_CONTRADICTORY", `${found} Nothing was written. Use another node.`, { facts: { url: node.url } });
}
