import { equalBytes } from "../../base/bytes.ts";
import { sha256 } from "../../base/sha256.ts";
import type { Address } from "../../move/address.ts";
import type { LedgerNode } from "../../node/open-node.ts";
import { WrongChainError } from "./first-answer.ts";

const SAMPLE_ACCOUNTS = 3;
/** Modules of each that are compared: of an account with many a part tells two ledgers apart as well. */
const SAMPLE_MODULES = 10;

/**
 * Makes sure that an archive node is of the node's ledger: the same chain id, and the same records and modules of a few accounts
 * at both ends of what both can read. @throws WrongChainError when they differ, or share no version
 */
export async function assertArchiveAgrees(
  node: LedgerNode,
  archive: LedgerNode,
  scope: readonly Address[],
  signal: AbortSignal,
): Promise<void> {
  const [here, there] = [(await node.index(signal)).head, (await archive.index(signal)).head];
  if (here.chainId !== there.chainId) {
    const found = `${node.url} answers for chain ${here.chainId}, and its archive ${archive.url} for chain ${there.chainId}`;
    throw new WrongChainError(found, { node: here.chainId, archive: there.chainId });
  }
  const oldest = here.oldestVersion > there.oldestVersion ? here.oldestVersion : there.oldestVersion;
  const newest = here.ledgerVersion < there.ledgerVersion ? here.ledgerVersion : there.ledgerVersion;
  if (oldest > newest) {
    const found = `${node.url} has versions from ${here.oldestVersion}, and its archive ${archive.url} up to ${there.ledgerVersion}`;
    throw new WrongChainError(`${found}: no version is in both, so they cannot be compared`, {});
  }
  // The horizon may rise while this asks.
  const low = oldest + (newest - oldest) / 100n;
  for (const version of new Set([newest, low])) {
    for (const address of scope.slice(0, SAMPLE_ACCOUNTS)) {
      const [ours, theirs] = [await faceOf(node, address, version, signal), await faceOf(archive, address, version, signal)];
      if (equalBytes(ours, theirs)) continue;
      const found = `${node.url} and its archive ${archive.url} differ about account ${address} at ledger version ${version}`;
      throw new WrongChainError(found, { address, version });
    }
  }
}

/** One digest of an account's record and the first of its modules, the same from every node of one ledger. */
async function faceOf(node: LedgerNode, address: Address, version: bigint, signal: AbortSignal): Promise<Uint8Array> {
  const { value } = await node.account(address, { version }, signal);
  const parts = [new TextEncoder().encode(`${value.sequenceNumber}`), value.authenticationKey];
  for await (const page of node.modulePages(address, { version, limit: SAMPLE_MODULES }, signal)) {
    for (const { bytecode } of page.value.slice(0, SAMPLE_MODULES)) parts.push(sha256(bytecode));
    break;
  }
  return sha256(Buffer.concat(parts));
}
