import { readChain } from "../../archive/chain.ts";
import { readSealedVersions } from "../../archive/snapshots/snapshot-queries.ts";
import { sampleModules } from "../../archive/verify/sampling.ts";
import { equalBytes } from "../../base/bytes.ts";
import { formatHex } from "../../base/hex.ts";
import { seededRandom } from "../../base/random.ts";
import { sha256 } from "../../base/sha256.ts";
import type { Engine } from "../../engine/engine.ts";
import { MovedexError } from "../../errors.ts";
import type { Address } from "../../move/address.ts";
import type { LedgerNode } from "../../node/open-node.ts";
import type { LedgerHead } from "../../node/protocol/ledger-head.ts";
import { NodeError } from "../../node/protocol/node-error.ts";
import { runQueries, type SeenHead } from "../../work/runs/runs.ts";

/** How many stored modules are read again at the start of a run, one request each. */
const MODULES = 3;

/**
 * Makes sure, before anything is written, that the node's ledger is the database's: by the chain id, by ledger time, which rises with
 * versions, and by a few stored modules.
 * @returns `isCompared`: whether a module was compared, or none is stored yet; `isPruned`: whether the node has pruned all that is stored
 * @throws WrongChainError `MOVEDEX_WRONG_CHAIN`
 */
export async function assertSameChain(
  engine: Engine,
  node: LedgerNode,
  head: LedgerHead,
  signal: AbortSignal,
): Promise<{ readonly isCompared: boolean; readonly isPruned: boolean }> {
  assertChainId(await readChain(engine), node, head);
  const seen = await runQueries(engine).contradictingHead(head);
  if (seen !== undefined) throw otherLedger(seen, node, head);
  const sealed = await readSealedVersions(engine);
  const newest = sealed.at(-1);
  if (newest === undefined) return { isCompared: true, isPruned: false };
  return { isCompared: await compareModules(engine, node, head, sealed, signal), isPruned: newest < head.oldestVersion };
}

/** @throws WrongChainError `MOVEDEX_WRONG_CHAIN` when the node is of another chain than the database, which may have none yet (null) */
export function assertChainId(stored: number | null, { url }: LedgerNode, { chainId: found }: LedgerHead): void {
  if (stored === null || stored === found) return;
  throw new WrongChainError(`this database is of chain ${stored}, and ${url} answers for chain ${found}`, { stored, found });
}

/** That a node's newest version cannot be of the ledger of which this one was seen. */
export function otherLedger(seen: SeenHead, { url }: LedgerNode, { ledgerVersion, timestampUsec }: LedgerHead): WrongChainError {
  return new WrongChainError(
    `ledger version ${seen.headVersion} was seen at ledger time ${isoTime(seen.timestampUsec)}, and ${url} now has version ${ledgerVersion} at ` +
      `${isoTime(timestampUsec)}: on one ledger they rise together, at most 100,000 versions a second. The ledger was restarted or is ` +
      "another one. If the earlier version was a node's false answer, " +
      `\`movedex doctor --forget-sample ${seen.headVersion}\` deletes it`,
    { storedVersion: seen.headVersion, foundVersion: ledgerVersion },
  );
}

/**
 * Reads stored modules again, at a stored version if the node can, else at its newest one, where the code may have changed and modules
 * of the framework tell nothing: another ledger may have begun with the same.
 * @returns whether the node has the same bytes of any
 */
async function compareModules(engine: Engine, node: LedgerNode, head: LedgerHead, sealed: readonly bigint[], signal: AbortSignal) {
  const readable = sealed.findLast((version) => version >= head.oldestVersion && version <= head.ledgerVersion);
  const stored = readable ?? sealed.find((version) => version > head.ledgerVersion) ?? (sealed.at(-1) as bigint);
  const random = seededRandom(Number(BigInt.asUintN(32, head.ledgerVersion)));
  const modules = await sampleModules(engine, { version: stored, count: MODULES, random });
  let isAlike = false;
  for (const { address, name, sha256: expected } of modules) {
    if (readable === undefined && isFramework(address)) continue;
    const found = await digestAt(node, address, name, readable ?? head.ledgerVersion, signal);
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

function isFramework(address: Address): boolean {
  return address.length <= "0xf".length;
}

/** A module's SHA-256; null if there is none, undefined if the node does not say. */
async function digestAt(node: LedgerNode, address: Address, name: string, version: bigint, signal: AbortSignal) {
  try {
    return sha256((await node.module(address, name, { version }, signal)).value.bytecode);
  } catch (error) {
    if (!(error instanceof NodeError) || error.ends === "run") throw error;
    return error.kind === "module_not_found" ? null : undefined;
  }
}

function isoTime(usec: bigint): string {
  const ms = Number(usec / 1000n);
  return Math.abs(ms) <= 8.64e15 ? new Date(ms).toISOString() : `${usec} µs`;
}

/** The node's ledger is not the one that the database holds. Nothing was written. */
export class WrongChainError extends MovedexError {
  constructor(found: string, facts: MovedexError["facts"]) {
    const text = `wrong chain: ${found}. Nothing was written. Use another --db for this ledger, or the right node for this database.`;
    super("MOVEDEX_WRONG_CHAIN", text, { facts, exit: "wrongChain" });
  }
}
