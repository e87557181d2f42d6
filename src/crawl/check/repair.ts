import { pinQueries } from "../../archive/snapshots/pins.ts";
import { type DamagedCode, repairQueries } from "../../archive/verify/repair.ts";
import { equalBytes } from "../../base/bytes.ts";
import { formatHex } from "../../base/hex.ts";
import { sha256 } from "../../base/sha256.ts";
import type { LedgerNode } from "../../node/open-node.ts";
import type { LedgerHead } from "../../node/protocol/ledger-head.ts";
import type { RunWork } from "../run/run-work.ts";
import { failedAnswer } from "../visit/classify-failure.ts";
import { assertSameChain } from "./same-chain.ts";

export type RepairWork = Pick<RunWork, "engine" | "node" | "stop">;

/** Bytecodes that were read again, and those that could not be, by SHA-256 in hex with the reason. */
export type Repair = { readonly restored: readonly string[]; readonly lost: ReadonlyMap<string, string> };

/**
 * Reads damaged bytecodes again, at versions at which modules had them and that the node can still read. Only bytes with the stored
 * SHA-256 are taken. @throws WrongChainError; NodeError when the node cannot be asked at all
 */
export async function repairCode({ engine, node, stop }: RepairWork): Promise<Repair> {
  const damaged = await repairQueries(engine).damagedCode();
  if (damaged.length === 0) return { restored: [], lost: new Map() };
  const { head } = await node.index(stop.signal);
  await assertSameChain(engine, node, head, stop.signal);
  const newest = (await pinQueries(engine).sealedVersions()).at(-1) ?? head.ledgerVersion;
  const restored: string[] = [];
  const lost = new Map<string, string>();
  for (const one of damaged) {
    const name = formatHex(one.sha256);
    const found = stop.reason === undefined ? await readAgain(node, one, { head, newest, stop }) : "stopped";
    if (typeof found === "string") lost.set(name, found);
    else {
      await repairQueries(engine).restoreCode(one.id, found);
      restored.push(name);
    }
  }
  return { restored, lost };
}

/** What the node has; `newest` is the newest sealed version. */
type Where = { readonly head: LedgerHead; readonly newest: bigint; readonly stop: RunWork["stop"] };

/** The bytes, or why the node does not have them. */
async function readAgain(
  node: LedgerNode,
  { sha256: wanted, stood }: DamagedCode,
  { head, newest, stop }: Where,
): Promise<Uint8Array | string> {
  let reason = "no snapshot shows it";
  // What still stands may also be there at the node's newest version, when the snapshots are pruned.
  const places = stood.flatMap((one) =>
    (one.to === null ? [newest, head.ledgerVersion] : [one.to]).map((version) => ({ ...one, version })),
  );
  for (const { address, name, version } of places) {
    if (version < head.oldestVersion || version > head.ledgerVersion) {
      reason = `the node cannot read ledger version ${version}`;
      continue;
    }
    try {
      const { value } = await node.module(address, name, { version }, stop.signal);
      if (equalBytes(sha256(value.bytecode), wanted)) return value.bytecode;
      reason = `the node gives other bytes for ${address}::${name} at ledger version ${version}`;
    } catch (error) {
      const kind = failedAnswer(error, stop);
      if (kind === "stopped" || kind === "budget_spent") return "stopped";
      reason = `the node answers ${kind} for ${address}::${name} at ledger version ${version}`;
    }
  }
  return reason;
}
