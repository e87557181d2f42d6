import { fingerprintQueries } from "../../archive/nodes/chain-fingerprint.ts";
import { pinQueries } from "../../archive/snapshots/pins.ts";
import { equalBytes } from "../../base/bytes.ts";
import { formatHex } from "../../base/hex.ts";
import { sha256 } from "../../base/sha256.ts";
import type { Engine } from "../../engine/engine.ts";
import { MovedexError } from "../../errors.ts";
import type { Address } from "../../move/address.ts";
import type { LedgerNode } from "../../node/open-node.ts";
import type { LedgerHead } from "../../node/protocol/ledger-head.ts";
import { NodeError } from "../../node/protocol/node-error.ts";
import { runQueries } from "../../work/runs/runs.ts";

/** What comparing a node's ledger with the database's came to. */
export type SameChain = {
  readonly isCompared: boolean;
  /** Whether the node has pruned all that is stored, so that nothing more can be compared. */
  readonly isPruned: boolean;
  /** The newest version in a stored head that was a node's false answer. */
  readonly outvoted: bigint | undefined;
};

/** How many stored observations are read again at the start of a run: two modules and one account are three requests. */
const SAMPLE_MODULES = 2;
const SAMPLE_ACCOUNTS = 1;

/**
 * Makes sure, before anything is written, that the node's ledger is the database's: chain id, rising versions and times, and a
 * few stored observations. A stored head that contradicts unique observations is `outvoted`.
 * @returns whether any observation was compared, or there is none yet
 * @throws WrongChainError `MOVEDEX_WRONG_CHAIN`
 */
export async function assertSameChain(engine: Engine, node: LedgerNode, head: LedgerHead, signal: AbortSignal): Promise<SameChain> {
  const stored = await pinQueries(engine).chainId();
  if (stored === null) return { isCompared: true, isPruned: false, outvoted: undefined };
  assertChainId(stored, node, head);
  const { compared, telling } = await compareObservations(engine, node, head, signal);
  const seen = await runQueries(engine).newestHead();
  const sealed = await pinQueries(engine).sealedVersions();
  const isPruned = sealed.length > 0 && (sealed.at(-1) as bigint) < head.oldestVersion;
  const isApart = isPruned || (sealed[0] ?? 0n) > head.ledgerVersion;
  const isCompared = compared > 0 || sealed.length === 0 || (isApart && (await compareWithNow(engine, node, head, sealed, signal)) > 0);
  if (telling > 0) return { isCompared, isPruned, outvoted: seen && contradicts(seen, head) ? seen.headVersion : undefined };
  for (const one of [seen, await fingerprintQueries(engine).nearestPinnedHead(head.ledgerVersion)]) {
    const contradiction = one && contradicts(one, head);
    if (!one || !contradiction) continue;
    throw new WrongChainError(
      `ledger version ${one.headVersion} was seen ${contradiction.before}, and ${node.url} now has version ${head.ledgerVersion} ` +
        `${contradiction.now}: on one ledger they rise together. The ledger was restarted or is another one. If the earlier version was a ` +
        `node's false answer, \`movedex doctor --forget-sample ${one.headVersion}\` deletes it`,
      { storedVersion: one.headVersion, foundVersion: head.ledgerVersion },
    );
  }
  return { isCompared, isPruned, outvoted: undefined };
}

/** @throws WrongChainError `MOVEDEX_WRONG_CHAIN` when the node is of another chain than the database, which may have none yet (null) */
export function assertChainId(stored: number | null, { url }: LedgerNode, { chainId: found }: LedgerHead): void {
  if (stored === null || stored === found) return;
  throw new WrongChainError(`this database is of chain ${stored}, and ${url} answers for chain ${found}`, { stored, found });
}

/** What a node said of its newest version; epochs and blocks where they were kept. */
type SeenHead = { readonly headVersion: bigint; readonly timestampUsec: bigint; readonly epoch?: bigint; readonly blockHeight?: bigint };

/** How two heads contradict each other: time, epochs and blocks never fall as versions rise. Who does not know one of them says 0. */
export function contradicts(seen: SeenHead, head: LedgerHead): { readonly before: string; readonly now: string } | undefined {
  const counts = [
    ["at ledger time", seen.timestampUsec, head.timestampUsec, isoTime],
    ["in epoch", seen.epoch ?? 0n, head.epoch, String],
    ["in block height", seen.blockHeight ?? 0n, head.blockHeight, String],
  ] as const;
  for (const [name, before, now, words] of counts) {
    const isContrary = head.ledgerVersion < seen.headVersion ? now > before : head.ledgerVersion > seen.headVersion && now < before;
    if (before !== 0n && now !== 0n && isContrary) return { before: `${name} ${words(before)}`, now: `${name} ${words(now)}` };
  }
  return undefined;
}

/**
 * Reads a few stored observations again: how many the node answered for, and how many of these tell this ledger from any
 * other. Modules of the framework do not, since another ledger may have begun with the same.
 */
async function compareObservations(
  engine: Engine,
  node: LedgerNode,
  head: LedgerHead,
  signal: AbortSignal,
): Promise<{ readonly compared: number; readonly telling: number }> {
  let [compared, telling] = [0, 0];
  const window = { readableFrom: head.oldestVersion, readableTo: head.ledgerVersion };
  const sample = await fingerprintQueries(engine).sampleFingerprint({ ...window, modules: SAMPLE_MODULES, accounts: SAMPLE_ACCOUNTS });
  for (const { version, address, module, sha256: expected } of sample.modules) {
    const found = await digestAt(node, address, module, version, signal);
    if (found === undefined) continue;
    compared += 1;
    if (!isFramework(address)) telling += 1;
    if (found !== null && equalBytes(found, expected)) continue;
    throw new WrongChainError(
      `module ${address}::${module} at ledger version ${version} was stored with SHA-256 ${formatHex(expected)}, and ${node.url} now ` +
        (found === null ? "says that there is no such module" : `gives ${formatHex(found)}`),
      { address, module, version },
    );
  }
  for (const { version, address, sequenceNumber } of sample.accounts) {
    const found = await recordAt(node, address, version, signal);
    if (found === undefined) continue;
    compared += 1;
    telling += 1;
    if (found?.sequenceNumber === sequenceNumber) continue;
    throw new WrongChainError(
      `account ${address} at ledger version ${version} was stored with sequence number ${sequenceNumber}, and ${node.url} now ` +
        (found === null ? "says that there is no such account" : `gives ${found.sequenceNumber}`),
      { address, version },
    );
  }
  return { compared, telling };
}

/**
 * Compares with the node's newest version, where it reads nothing of what is stored: sequence numbers never fall, and no account
 * goes away. Counts accounts under the same key and modules with the same bytes. @throws WrongChainError `MOVEDEX_WRONG_CHAIN`
 */
async function compareWithNow(
  engine: Engine,
  node: LedgerNode,
  head: LedgerHead,
  sealed: readonly bigint[],
  signal: AbortSignal,
): Promise<number> {
  let alike = 0;
  const window = { readableFrom: sealed[0] ?? 0n, readableTo: sealed.at(-1) ?? 0n };
  const sample = await fingerprintQueries(engine).sampleFingerprint({
    ...window,
    modules: 4 * SAMPLE_MODULES,
    accounts: 4 * SAMPLE_ACCOUNTS,
  });
  for (const { version, address, sequenceNumber, authenticationKey } of sample.accounts) {
    const found = await recordAt(node, address, head.ledgerVersion, signal);
    if (found === undefined) continue;
    const isLater = head.ledgerVersion > version;
    if (isLater ? found !== null && found.sequenceNumber >= sequenceNumber : (found?.sequenceNumber ?? 0n) <= sequenceNumber) {
      if (found !== null && equalBytes(found.authenticationKey, authenticationKey)) alike += 1;
      continue;
    }
    throw new WrongChainError(
      `account ${address} was stored with sequence number ${sequenceNumber} at ledger version ${version}, and at its newest version ${head.ledgerVersion} ${node.url} ` +
        (found === null ? "says that there is no such account" : `gives ${found.sequenceNumber}`),
      { address, version },
    );
  }
  for (const { address, module, sha256: expected } of alike > 0 ? [] : sample.modules) {
    if (isFramework(address)) continue;
    const found = await digestAt(node, address, module, head.ledgerVersion, signal);
    if (found && equalBytes(found, expected)) alike += 1;
  }
  return alike;
}

function isFramework(address: Address): boolean {
  return address.length <= "0xf".length;
}

/** A module's SHA-256 and an account's record; null if there is none, undefined if the version was pruned or the request failed. */
function digestAt(node: LedgerNode, address: Address, module: string, version: bigint, signal: AbortSignal) {
  const ask = async () => sha256((await node.module(address, module, { version }, signal)).value.bytecode);
  return unlessUnreadable(ask, "module_not_found");
}

function recordAt(node: LedgerNode, address: Address, version: bigint, signal: AbortSignal) {
  return unlessUnreadable(async () => (await node.account(address, { version }, signal)).value, "account_not_found");
}

async function unlessUnreadable<T>(ask: () => Promise<T>, absent: "module_not_found" | "account_not_found"): Promise<T | null | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof NodeError) || error.ends === "run") throw error;
    return error.kind === absent ? null : undefined;
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
