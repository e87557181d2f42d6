import { equalBytes } from "../../base/bytes.ts";
import { sha256 } from "../../base/sha256.ts";
import type { Bytecodes } from "../../db/archive/content/bytecodes.ts";
import type { ObservedModule } from "../../db/archive/content/observed-module.ts";
import type { Visit } from "../../db/archive/snapshots/visits.ts";
import { type AccountRecord, type Address, addressBytes } from "../../move/address.ts";
import { ifDecodable } from "../../move/decode-error.ts";
import { readBytecodeVersion, readSelfId } from "../../move/module/self-id.ts";
import type { NodeModule } from "../../node/answers/module-answer.ts";
import type { Asking } from "../../node/http/requester.ts";
import type { NodeErrorKind } from "../../node/protocol/error-classes.ts";
import type { LedgerHead } from "../../node/protocol/ledger-head.ts";
import { NodeError } from "../../node/protocol/node-error.ts";
import type { RunWork } from "../run/run-work.ts";
import { frameworkAccounts } from "../targets/targets.ts";
import { CrawlError, type Doubt, doubtOf } from "./classify-failure.ts";

/** What a visit needs besides the account: the node, which bytecodes are stored, and a signal that ends it. */
export type VisitWork = Pick<RunWork, "node" | "pageSize"> & {
  readonly bytecodes: Pick<Bytecodes, "knowsBytecode">;
  readonly stop: Pick<RunWork["stop"], "signal">;
  /** Called for each page of a listing. */
  readonly onPage?: () => Promise<void>;
  readonly asking?: Asking;
};

/** An account to visit, and whether its record is to be read as well as its modules. */
export type PlannedRead = { readonly address: Address; readonly readsRecord: boolean };

export type Visited = Visit & Pick<Listing, "doubts">;

export type Listing = { readonly modules: readonly ObservedModule[]; readonly doubts: readonly Doubt[] };

/**
 * Reads one account at one version: its record, where the plan says so, and its modules to the last page. Both must be answered;
 * that a node does not know the account is an answer.
 * @throws NodeError when the node gave no answer; CrawlError when its answers contradict each other
 */
export async function visitAccount(work: VisitWork, { address, readsRecord }: PlannedRead, version: bigint): Promise<Visited> {
  const [account, { modules, doubts }] = await Promise.all([
    readsRecord ? readRecord(work, address, version) : undefined,
    readListing(work, address, version),
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
export function readRecord({ node, stop, asking }: VisitWork, address: Address, version: bigint): Promise<AccountRecord | null> {
  return unlessAbsent(["account_not_found"], async () => (await node.account(address, { version, ...asking }, stop.signal)).value);
}

/** Reads one module; null when the node says there is none. */
export function fetchModule(work: VisitWork, address: Address, name: string, version: bigint): Promise<ObservedModule | null> {
  return unlessAbsent(["module_not_found", "account_not_found"], async () => {
    const { value } = await work.node.module(address, name, { version }, work.stop.signal);
    const doubt = doubtOf({ address, name }, value.bytecode);
    if (doubt !== undefined) throw CrawlError.doubtful(doubt, version);
    return (await observe(work, { ...value, name })) ?? null;
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

export async function readListing(work: VisitWork, address: Address, version: bigint): Promise<Listing> {
  const { node, pageSize, stop, asking } = work;
  const modules = new Map<string, ObservedModule>();
  const doubts: Doubt[] = [];
  let head: LedgerHead | undefined;
  try {
    for await (const page of node.modulePages(address, { version, limit: pageSize, ...asking }, stop.signal)) {
      head = page.head;
      await work.onPage?.();
      for (const module of page.value) {
        const found = observe(work, module);
        // Awaiting nothing would cost each module of a quiet night a turn.
        const observed = found instanceof Promise ? await found : found;
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

/** Makes sure that a node which listed nothing at a version lists modules there at all. @throws as `askListing` */
export async function requireIndex(work: Pick<VisitWork, "node" | "stop">, version: bigint): Promise<void> {
  if (!work.node.hasListed(version)) await askListing(work, version);
}

/**
 * Asks, by one request, whether a node lists modules at a version: of an account that has some, or of the framework, which has some at
 * every version of every chain. @throws CrawlError `MOVEDEX_CRAWL_UNINDEXED` where it lists none; NodeError where the node does not say
 */
export async function askListing(
  { node, stop }: Pick<VisitWork, "node" | "stop">,
  version: bigint,
  { address = frameworkAccounts[0] as Address, isLast }: { readonly address?: Address | undefined; readonly isLast?: boolean } = {},
): Promise<void> {
  try {
    const pages = node.modulePages(address, { version, limit: 1, isLast }, stop.signal);
    const { value: first } = await pages.next();
    if (first !== undefined && first.value.length > 0) return;
  } catch (error) {
    if (!(error instanceof NodeError)) throw error;
    // An archive that answers in a node's place may hold other accounts alone.
    if (error.kind === "not_held" || error.kind === "inferred") return;
    if (error.kind !== "account_not_found") throw error;
  }
  throw CrawlError.unindexed(node.url, version, address);
}

/** Loaded where a node answers in JSON: BCS has no ABI. */
let decoder: Promise<typeof import("../../abi/decode.ts")> | undefined;

/**
 * One module of a listing: its name, digest and, when they are new, its bytes. A node's ABI is kept for bytes that
 * cannot be decoded. @returns undefined when neither the JSON nor the bytes tell a name
 */
function observe({ bytecodes }: Pick<VisitWork, "bytecodes">, module: NodeModule) {
  const { bytecode: code } = module;
  const name = module.name ?? readSelfId(code)?.name;
  if (name === undefined) return undefined;
  const observed: ObservedModule = { name, sha256: sha256(code) };
  const isKnown = bytecodes.knowsBytecode(observed.sha256);
  return isKnown === true ? observed : withContent(module, observed, isKnown);
}

async function withContent(
  { bytecode: code, abi }: NodeModule,
  { name, sha256: digest }: ObservedModule,
  isKnown: boolean | Promise<boolean>,
): Promise<ObservedModule> {
  if (await isKnown) return { name, sha256: digest };
  const content = { code, bytecodeVersion: readBytecodeVersion(code) ?? null };
  if (abi === undefined) return { name, sha256: digest, content };
  decoder ??= import("../../abi/decode.ts");
  const { decodeModule } = await decoder;
  const decoded = ifDecodable(() => decodeModule(code));
  if (decoded !== undefined || abi === null) return { name, sha256: digest, content };
  const { parseNodeAbi } = await import("../../abi/node-json/parse.ts");
  const nodeAbi = ifDecodable(() => parseNodeAbi(abi));
  return { name, sha256: digest, content: nodeAbi === undefined ? content : { ...content, nodeAbi } };
}
