import { equalBytes } from "../../base/bytes.ts";
import { derivationQueries } from "../../db/archive/content/derive.ts";
import type { DeriveOptions } from "../../db/archive/content/derive-rows.ts";
import { MovedexError } from "../../errors.ts";
import type { ExitName } from "../../exit-codes.ts";
import { DecodeError } from "../../move/decode-error.ts";
import { readSelfId } from "../../move/module/self-id.ts";
import type { NodeIndex } from "../../node/answers/shapes.ts";
import type { LedgerNode } from "../../node/open-node.ts";
import type { Answer } from "../../node/protocol/ledger-head.ts";
import { NodeError } from "../../node/protocol/node-error.ts";
import { type RunEnd, runQueries } from "../../work/runs/runs.ts";
import { askFirst } from "../check/first-answer.ts";
import { type HeadWatch, watchHead } from "../horizon/head-watch.ts";
import type { RunWork } from "../run/run-work.ts";

/** What a run did, for its row in the table of runs. */
export type RunTotals = Pick<RunEnd, "ledgerVersion" | "accounts" | "modules" | "newBytecodes" | "gaps"> & { readonly exit: ExitName };

/** The totals of a run that read no snapshot of its own. */
export const NO_TOTALS = { ledgerVersion: null, accounts: 0, modules: 0, newBytecodes: 0, gaps: 0 } as const;

/**
 * Asks what the run asks first. Where the node does not answer that, or the run is stopped before, a row says so: whoever looks for last
 * night must find it. Nothing is written where the node's ledger is not, or may not be, the database's.
 */
export async function askFirstOf(work: RunWork, command: string): Promise<Answer<NodeIndex>> {
  const startedMs = work.clock.now();
  try {
    return await askFirst(work);
  } catch (error) {
    const isUnanswered = error instanceof NodeError || error === work.stop.signal.reason;
    if (!(error instanceof MovedexError) || !isUnanswered || error.exit === "wrongChain") throw error;
    const run = { command, appVersion: work.appVersion, now: startedMs };
    const recorded = runQueries(work.engine).startRun(run);
    // What the node failed with is told, whatever becomes of the row.
    await recorded.then((id) => finish(work, id, { exit: error.exit, ...NO_TOTALS })).catch(() => undefined);
    throw error;
  }
}

async function finish({ engine, node, clock }: RunWork, id: number, totals: RunTotals): Promise<void> {
  const { requests, retries, bytesReceived } = node.stats();
  await runQueries(engine).finishRun(id, { now: clock.now(), requests, retries, bytesReceived, ...totals });
}

/**
 * Runs `night` with a row in the table of runs, samples the node's window meanwhile, and then derives the rows that are missing, also
 * after a failure. A run that dies leaves its row unfinished.
 */
export async function recordRun<T>(
  work: RunWork,
  command: string,
  night: (watch: HeadWatch) => Promise<T>,
  totals: () => RunTotals,
): Promise<T> {
  const { engine, clock } = work;
  const id = await runQueries(engine).startRun({ command, appVersion: work.appVersion, now: clock.now() });
  const watch = watchHead(work, runQueries(engine));
  let failure: ExitName | undefined = "failed";
  try {
    // Where another movedex made the rows, all are made anew before this one adds some.
    if (await derivationQueries(engine).isOutdated()) await derivationQueries(engine).derive({ signal: work.stop.signal });
    const result = await night(watch);
    await indexStoredBytecode(work);
    failure = undefined;
    return result;
  } catch (error) {
    if (error instanceof MovedexError) failure = error.exit;
    // What stopped the run is told, whatever becomes of the rows: those that are still to come are there after the next.
    await indexStoredBytecode(work).catch(() => undefined);
    throw error;
  } finally {
    await watch.close();
    const { exit, ...counts } = totals();
    await finish(work, id, { exit: failure ?? exit, ...counts });
  }
}

/**
 * The end of a run: derives the rows of bytecode that a visit could not decode, after a node was asked, and of what earlier runs left
 * waiting. A run that is stopped leaves the rest to the next one; nothing that a node may prune is missing by then.
 */
async function indexStoredBytecode({ engine, node, stop, log }: RunWork): Promise<void> {
  const { derive, underived } = derivationQueries(engine);
  await derive({ signal: stop.signal, askNodeAbi: askerOf(node, stop.signal) });
  const left = stop.signal.aborted ? await underived() : 0;
  if (left > 0) log("warn", `stopped before the ABI rows of ${left} bytecodes were derived; the next run derives them`, { left });
}

/** How many questions in a row may fail before no more is asked: each is tried for half a minute. */
const FAILURES_MAX = 2;

/** Asks for the node's own ABI of bytes that cannot be decoded: undefined when it gives none, or no longer has these bytes. */
function askerOf(node: LedgerNode, signal: AbortSignal): NonNullable<DeriveOptions["askNodeAbi"]> {
  let failures = 0;
  return async (code, standing) => {
    const id = standing ?? readSelfId(code);
    const version = standing?.version ?? node.lastHead()?.ledgerVersion;
    if (id === undefined || version === undefined || signal.aborted || failures >= FAILURES_MAX) return undefined;
    try {
      const { value } = await node.module(id.address, id.name, { version, encoding: "json" }, signal);
      failures = 0;
      if (!equalBytes(value.bytecode, code) || value.abi === null) return undefined;
      const { parseNodeAbi } = await import("../../abi/node-json/parse.ts");
      return parseNodeAbi(value.abi);
    } catch (error) {
      if (error instanceof NodeError) failures += 1;
      if (error instanceof NodeError || error instanceof DecodeError || signal.aborted) return undefined;
      throw error;
    }
  };
}
