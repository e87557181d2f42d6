import type { ObservedModule, Visit } from "../../archive/content/visit-model.ts";
import { equalBytes } from "../../base/bytes.ts";
import type { AccountRecord } from "../../move/account-record.ts";
import { type Address, addressBytes } from "../../move/address.ts";
import type { LedgerNode } from "../../node/open-node.ts";
import type { NodeErrorKind } from "../../node/protocol/error-classes.ts";
import type { LedgerHead } from "../../node/protocol/ledger-head.ts";
import { NodeError } from "../../node/protocol/node-error.ts";
import type { PlannedRead } from "../../work/workers/batches.ts";
import { CrawlError } from "./crawl-error.ts";
import { type Doubt, doubtOf } from "./doubts.ts";
import { type CompareAbi, normalizeModule } from "./normalize-module.ts";

/** What a visit needs besides the account: the node, which bytecodes are stored, and a signal that ends it. */
export type VisitContext = {
  readonly node: LedgerNode;
  readonly isKnown: (sha256: Uint8Array) => Promise<boolean>;
  readonly pageSize: number | undefined;
  readonly signal: AbortSignal;
  readonly compareAbi?: CompareAbi;
};

export type Listing = { readonly modules: readonly ObservedModule[]; readonly doubts: readonly Doubt[] };

/**
 * Reads one account at one version: its record, where the plan says so, and its modules to the last page. Both must be answered;
 * that a node does not know the account is an answer.
 * @throws NodeError when the node gave no answer; CrawlError when its answers contradict each other
 */
export async function visitAccount(
  context: VisitContext,
  { address, readsRecord }: PlannedRead,
  version: bigint,
): Promise<Visit & Pick<Listing, "doubts">> {
  const [account, { modules, doubts }] = await Promise.all([
    readsRecord ? readRecord(context, address, version) : undefined,
    readListing(context, address, version),
  ]);
  return { address, account, modules, doubts };
}

/**
 * Whether a visit found nothing: no modules, and no record or that of an account never used, which nodes give for any address.
 * Of a visit that left the record unread this is not known.
 */
export function holdsNothing({ address, account, modules }: Visit): boolean {
  if (modules.length > 0 || account === undefined) return false;
  return account === null || (account.sequenceNumber === 0n && equalBytes(account.authenticationKey, addressBytes(address)));
}

/** Reads an account's record; null when the node says there is none. */
export function readRecord({ node, signal }: VisitContext, address: Address, version: bigint): Promise<AccountRecord | null> {
  return unlessAbsent(["account_not_found"], async () => (await node.account(address, { version }, signal)).value);
}

/** Reads one module; null when the node says there is none. */
export function readModule(context: VisitContext, address: Address, name: string, version: bigint): Promise<ObservedModule | null> {
  return unlessAbsent(["module_not_found", "account_not_found"], async () => {
    const { value } = await context.node.module(address, name, { version }, context.signal);
    const doubt = doubtOf({ address, name }, value.bytecode);
    if (doubt !== undefined) throw CrawlError.doubtful(doubt, version);
    return (await normalizeModule({ ...value, name }, context.isKnown)) ?? null;
  });
}

async function unlessAbsent<T>(absent: readonly NodeErrorKind[], ask: () => Promise<T>): Promise<T | null> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof NodeError && absent.includes(error.kind)) return null;
    throw error;
  }
}

export async function readListing(context: VisitContext, address: Address, version: bigint): Promise<Listing> {
  const { node, pageSize, signal } = context;
  const modules = new Map<string, ObservedModule>();
  const doubts: Doubt[] = [];
  let head: LedgerHead | undefined;
  try {
    for await (const page of node.modulePages(address, { version, limit: pageSize }, signal)) {
      head = page.head;
      for (const module of page.value) {
        const observed = await normalizeModule(module, context.isKnown, context.compareAbi);
        if (observed === undefined) throw CrawlError.nameless(address, version);
        const doubt = doubtOf({ address, name: observed.name }, module.bytecode);
        if (doubt !== undefined) doubts.push(doubt);
        if (modules.has(observed.name)) throw CrawlError.repeated(address, version, observed.name);
        modules.set(observed.name, observed);
      }
    }
  } catch (error) {
    if (error instanceof NodeError && error.kind === "account_not_found" && modules.size === 0) return { modules: [], doubts };
    throw error;
  }
  // Each page is checked against the horizon when it begins: what was pruned while pages were read may be missing from them.
  if (head !== undefined && head.oldestVersion > version) throw CrawlError.overtaken(address, version, head.oldestVersion);
  return { modules: [...modules.values()], doubts };
}
