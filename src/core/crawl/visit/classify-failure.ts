import { printable } from "../../base/printable.ts";
import { sourceQueries } from "../../db/archive/nodes/sources.ts";
import type { Claim } from "../../db/archive/snapshots/claims.ts";
import type { Gap } from "../../db/archive/snapshots/gaps.ts";
import { MovedexError } from "../../errors.ts";
import type { Address } from "../../move/address.ts";
import { MODULE_SIZE_MAX } from "../../move/module/cursor.ts";
import { readSelfId } from "../../move/module/self-id.ts";
import { formatModuleId, isSameModule, type ModuleId } from "../../move/module-id.ts";
import { errorClass, type NodeErrorKind } from "../../node/protocol/error-classes.ts";
import { NodeError } from "../../node/protocol/node-error.ts";
import type { RunWork } from "../run/run-work.ts";
import { frameworkAccounts } from "../targets/targets.ts";

/** A module that cannot be what the node called it. Nothing else of its account is in doubt. */
export type Doubt = {
  /** `module_name`: its bytes name another module or account. `module_size`: it is larger than what any chain stores. */
  readonly kind: "module_name" | "module_size";
  readonly module: ModuleId;
  readonly expected: string;
  readonly found: string;
};

/** What speaks against a module's bytes; undefined for nothing. Bytes that give themselves no name may have any. */
export function doubtOf(module: ModuleId, bytecode: Uint8Array): Doubt | undefined {
  if (bytecode.length > MODULE_SIZE_MAX) {
    return { kind: "module_size", module, expected: `at most ${MODULE_SIZE_MAX} bytes`, found: `${bytecode.length} bytes` };
  }
  const self = readSelfId(bytecode);
  if (self === undefined || isSameModule(self, module)) return undefined;
  return { kind: "module_name", module, expected: formatModuleId(module), found: formatModuleId(self) };
}

/** Records modules that cannot be what the node called them, also where another attempt or node gives the right bytes. */
export async function recordDoubts({ engine, node, clock, log }: RunWork, doubts: readonly Doubt[], version: bigint): Promise<void> {
  for (const { kind, module, expected, found } of doubts) {
    const subject = formatModuleId(module);
    const why = kind === "module_name" ? `the bytes of ${printable(found, 200)}` : `${found} (a chain stores ${expected})`;
    log("warn", `${node.url} gave ${why} as ${printable(subject, 200)}`, { ledger_version: version });
    const finding = { kind, subject, fromVersion: version, toVersion: version, stored: expected, found, origin: node.url };
    await sourceQueries(engine).addFinding(finding, clock.now());
  }
}

/**
 * That there is no answer for this account, with `pruned` since the node no longer reads the pinned version; `mayHelp` says whether another
 * attempt in this run, or another node, might get one.
 */
export type Failure = { readonly kind: "pruned" | "gap"; readonly mayHelp: boolean; readonly gap: Gap };

/** Whether a run's budget of requests is spent, so that the next one continues. */
export const isSpent = (error: unknown): boolean => error instanceof NodeError && error.kind === "budget_spent";

/** What an error of a visit means. Those that end the whole run (`node/protocol/error-classes.ts`) are thrown on. */
export function classifyFailure(error: unknown, address: Address, attempts: number): Failure {
  if (!(error instanceof NodeError || error instanceof CrawlError) || error.ends === "run") throw error;
  const isPruned = error.kind === "pruned";
  const errorCode = error.facts["error_code"];
  const gap: Gap = {
    address,
    reason: error.kind,
    errorCode: typeof errorCode === "string" ? errorCode : null,
    httpStatus: error instanceof NodeError ? (error.status ?? null) : null,
    message: printable(error.message, 1000),
    attempts,
    isFinal: isPruned,
  };
  const mayHelp = isPruned || error instanceof CrawlError || errorClass(error.kind).retry !== undefined;
  return { kind: isPruned ? "pruned" : "gap", mayHelp, gap };
}

/** Failures of the whole node, or of the run: another version would meet the same. */
const ofAll: readonly NodeErrorKind[] = ["node_down", "unreachable", "unknown_host", "wrong_chain", "budget_spent", "closed"];

/** Whether a failure may be of what was asked for at one version, so that the node may answer at another. */
export function mayBeOfVersion(error: unknown): error is NodeError | CrawlError {
  return error instanceof CrawlError || (error instanceof NodeError && !ofAll.includes(error.kind));
}

/**
 * What kept a single answer from being read; asks the run to stop where its budget is spent.
 * Throws what is no failure of a node, and what ends the whole run.
 */
export function failedAnswer(error: unknown, stop: RunWork["stop"]): NodeErrorKind | "stopped" {
  if (stop.signal.aborted) return "stopped";
  if (!(error instanceof NodeError)) throw error;
  if (isSpent(error)) stop.request("budget");
  else if (error.ends === "run") throw error;
  return error.kind;
}

/** The class of a gap, by the error's code: another one is a contradiction. `pruned` where the version is no longer readable. */
const kinds = {
  MOVEDEX_CRAWL_OVERTAKEN: "pruned",
  MOVEDEX_CRAWL_MISNAMED: "misnamed",
  MOVEDEX_CRAWL_OVERSIZED: "oversized",
  MOVEDEX_CRAWL_REPEATED: "contradiction",
  MOVEDEX_CRAWL_NAMELESS: "contradiction",
  MOVEDEX_CRAWL_EMPTIED: "emptied",
  MOVEDEX_CRAWL_UNINDEXED: "unindexed",
} as const;

/** Answers of a node that contradict each other, or that cannot be stored. Each makes a gap of one account, unless it ends the run. */
export class CrawlError extends MovedexError {
  readonly kind: (typeof kinds)[keyof typeof kinds];
  readonly ends: NodeError["ends"];

  constructor(code: keyof typeof kinds, message: string, facts: MovedexError["facts"]) {
    super(code, message, { facts });
    this.kind = kinds[code];
    this.ends = this.kind === "unindexed" ? "run" : "request";
  }

  /** The horizon passed the pin while the account was read, so its listing may lack modules. */
  static overtaken(address: Address, version: bigint, oldest: bigint): CrawlError {
    const text = `the node pruned up to ${oldest} while it listed the modules of ${address} at ledger version ${version}. The list may be incomplete and was not kept.`;
    return new CrawlError("MOVEDEX_CRAWL_OVERTAKEN", text, { address, version, oldest });
  }

  static repeated(address: Address, version: bigint, name: string): CrawlError {
    const text = `the node listed module \`${printable(name, 80)}\` of ${address} at ledger version ${version} more than once; the listing was not kept.`;
    return new CrawlError("MOVEDEX_CRAWL_REPEATED", text, { address, version, module: name });
  }

  /** A module that cannot be what the node called it. On a ledger a module is stored under the name in its bytes, and below a size. */
  static doubtful({ kind, module, expected, found }: Doubt, version: bigint): CrawlError {
    const listed = printable(formatModuleId(module), 200);
    const [code, what] =
      kind === "module_name"
        ? (["MOVEDEX_CRAWL_MISNAMED", `the bytes of ${printable(found, 200)} as ${listed}`] as const)
        : (["MOVEDEX_CRAWL_OVERSIZED", `${found} as ${listed}, where a chain stores ${expected},`] as const);
    const text = `the node returned ${what} at ledger version ${version}: its storage or its cache is corrupt. Use another node.`;
    return new CrawlError(code, text, { address: module.address, version, module: module.name, found });
  }

  /** A chain keeps what was published: a part of the node's index is missing. */
  static emptied({ address, modulesBefore }: Pick<Claim, "address" | "modulesBefore">, version: bigint): CrawlError {
    const text = `the node lists no module of ${address} at ledger version ${version}; in the snapshot before it had ${modulesBefore}. A chain drops none: the node's index may be missing. Repair it, or use another node; \`movedex targets remove\` takes the account off the list.`;
    return new CrawlError("MOVEDEX_CRAWL_EMPTIED", text, { address, version, modules: modulesBefore });
  }

  /** What of an account stands at both ends of an interval, a module or its record, and is not there between them. */
  static missing({ address, module }: { readonly address: Address; readonly module?: string | undefined }, version: bigint): CrawlError {
    const what = module === undefined ? "record" : `module \`${printable(module, 80)}\``;
    const text = `the node has no ${what} of ${address} at ledger version ${version}, where it stands before and after. A chain drops none: use another node.`;
    return new CrawlError("MOVEDEX_CRAWL_EMPTIED", text, { address, version });
  }

  /** Nothing that such a node lists is an answer, of any account. */
  static unindexed(url: string, version: bigint, address: Address = frameworkAccounts[0] as Address): CrawlError {
    const text = `${url} lists no module at ledger version ${version}, not even of ${address}: its index is missing or not built. Repair it, or use another node.`;
    return new CrawlError("MOVEDEX_CRAWL_UNINDEXED", text, { url, version });
  }

  static nameless(address: Address, version: bigint): CrawlError {
    const text = `the node returned a module of ${address} at ledger version ${version} without an ABI, and its bytes are not readable; its name is unknown. A node that answers in BCS names every module: try --encoding bcs.`;
    return new CrawlError("MOVEDEX_CRAWL_NAMELESS", text, { address, version });
  }
}
