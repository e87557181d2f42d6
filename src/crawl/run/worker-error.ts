import { MovedexError } from "../../errors.ts";
import type { LedgerNode } from "../../node/open-node.ts";

/** A process whose node cannot help with what the others read. Code: `MOVEDEX_WORKER_NODE`. */
export class WorkerError extends MovedexError {
  /** Its node has pruned the version that is read, or is not yet there. */
  static pruned(version: bigint, node: Pick<LedgerNode, "url" | "lastHead">): WorkerError {
    const head = node.lastHead();
    const window = head === undefined ? "" : `: it reads versions ${head.oldestVersion} to ${head.ledgerVersion}`;
    const text = `${node.url} does not have ledger version ${version}, which other processes are reading${window}. This one has taken nothing more; the others go on. Give it another node.`;
    const facts = { url: node.url, version, oldest: head?.oldestVersion ?? null, newest: head?.ledgerVersion ?? null };
    return new WorkerError("MOVEDEX_WORKER_NODE", text, { facts, exit: "absent" });
  }
}
