import type { Address } from "../../move/address.ts";
import type { LedgerHead } from "../../node/answers/ledger-head.ts";
import type { LedgerNode } from "../../node/ledger-node.ts";
import { NodeError } from "../../node/node-error.ts";
import type { ObservedModule, Visit } from "../../store/snapshots/visit-model.ts";
import { CrawlError } from "./crawl-error.ts";
import { type CompareAbi, normalizeModule } from "./normalize-module.ts";

/** What a visit needs besides the account: the node, which bytecodes are stored, and a signal that ends it. */
export type VisitContext = {
  readonly node: LedgerNode;
  readonly isKnown: (sha256: Uint8Array) => Promise<boolean>;
  readonly pageSize: number | undefined;
  readonly signal: AbortSignal;
  readonly compareAbi?: CompareAbi;
};

/**
 * Reads one account at one ledger version: its record, and its modules page by page until no cursor comes back.
 *
 * Both are asked for at the same time, and both must be answered, since only a full listing shows that a module is absent.
 * An account that the node does not know has no record, and on older nodes no listing either: that is an answer, not a
 * failure.
 *
 * @throws NodeError when the node gave no answer; CrawlError when its answers contradict each other
 */
export async function visitAccount(context: VisitContext, address: Address, version: bigint): Promise<Visit> {
  const [account, modules] = await Promise.all([readRecord(context, address, version), readListing(context, address, version)]);
  return { address, account, modules };
}

/** Reads an account's record; null when the node says there is none. */
export async function readRecord(context: VisitContext, address: Address, version: bigint): Promise<Visit["account"]> {
  try {
    const answer = await context.node.account(address, { version }, context.signal);
    return answer.value;
  } catch (error) {
    if (error instanceof NodeError && error.kind === "account_not_found") return null;
    throw error;
  }
}

/** Reads one module; null when the node says there is none. */
export async function readModule(context: VisitContext, address: Address, name: string, version: bigint): Promise<ObservedModule | null> {
  try {
    const { value } = await context.node.module(address, name, { version }, context.signal);
    const observed = await normalizeModule({ ...value, name }, context.isKnown, () => fetchNodeAbi(context, address, name, version));
    return observed ?? null;
  } catch (error) {
    if (error instanceof NodeError && (error.kind === "module_not_found" || error.kind === "account_not_found")) return null;
    throw error;
  }
}

/** Reads the full listing of an account's modules, page by page. */
export async function readListing(context: VisitContext, address: Address, version: bigint): Promise<ObservedModule[]> {
  const { node, pageSize, signal } = context;
  const modules = new Map<string, ObservedModule>();
  let head: LedgerHead | undefined;
  try {
    for await (const page of node.modulePages(address, { version, ...(pageSize === undefined ? {} : { limit: pageSize }) }, signal)) {
      head = page.head;
      for (const module of page.value) {
        const fetchAbi = (name: string) => fetchNodeAbi(context, address, name, version);
        const observed = await normalizeModule(module, context.isKnown, fetchAbi, context.compareAbi);
        if (observed === undefined) throw CrawlError.nameless(address, version);
        if (modules.has(observed.name)) throw CrawlError.repeated(address, version, observed.name);
        modules.set(observed.name, observed);
      }
    }
  } catch (error) {
    if (error instanceof NodeError && error.kind === "account_not_found" && modules.size === 0) return [];
    throw error;
  }
  // Each page is checked against the horizon when it begins: what was pruned while pages were read may be missing from them.
  if (head !== undefined && head.oldestVersion > version) throw CrawlError.overtaken(address, version, head.oldestVersion);
  return [...modules.values()];
}

async function fetchNodeAbi(context: VisitContext, address: Address, name: string, version: bigint): Promise<unknown> {
  const answer = await context.node.module(address, name, { version, encoding: "json" }, context.signal);
  return answer.value.abi;
}
