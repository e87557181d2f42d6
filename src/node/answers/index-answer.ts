import { parseU64 } from "../../base/u64.ts";
import type { Cursor } from "../../move/module/cursor.ts";
import type { LedgerHead } from "../protocol/ledger-head.ts";
import { AnswerFault } from "../protocol/node-error.ts";
import { asObject, readBcsBody, readText, u64Field } from "./shapes.ts";

/** What a node's index says about the node itself. What it says about the ledger is in the answer's head. */
export type NodeIndex = {
  readonly chainId: number;
  readonly nodeRole: string;
  /** The commit the node was built from; null when it does not say (BCS). */
  readonly gitHash: string | null;
};

const ROLES = ["validator", "full_node"];

/** The index from JSON. Source: aptos-core `api/types/src/index.rs`. */
export function indexFromJson(json: unknown): NodeIndex {
  const index = asObject(json, "the index");
  const { chain_id, node_role, git_hash } = index;
  if (typeof chain_id !== "number" || !Number.isInteger(chain_id) || chain_id < 0 || chain_id > 255) {
    throw new AnswerFault("bad_answer", "`chain_id` is not a number from 0 to 255");
  }
  u64Field(index, "ledger_version");
  u64Field(index, "oldest_ledger_version");
  return {
    chainId: chain_id,
    nodeRole: typeof node_role === "string" ? node_role : "",
    gitHash: typeof git_hash === "string" && git_hash !== "" ? git_hash : null,
  };
}

/** The index from BCS: the chain id, four decimal strings, the role, two decimal strings. Source: the same file. */
export function indexFromBcs(body: Uint8Array): NodeIndex {
  return readBcsBody(body, (cursor) => {
    const chainId = cursor.u8();
    for (let count = 0; count < 4; count++) readDecimal(cursor);
    const nodeRole = ROLES[cursor.uleb(ROLES.length - 1)] as string;
    for (let count = 0; count < 2; count++) readDecimal(cursor);
    return { chainId, nodeRole, gitHash: null };
  });
}

function readDecimal(cursor: Cursor): bigint {
  const value = parseU64(readText(cursor));
  if (value === undefined) throw new AnswerFault("bad_answer", "a number of the index is not a decimal u64");
  return value;
}

/** No ledger of this kind makes more versions than this in a second; the busiest benchmarks are a third of it. */
const VERSIONS_PER_SECOND = 100_000n;
/** Versions that two nodes of one address may be apart at one ledger time. */
const SLACK_USEC = 60_000_000n;
/** How far ahead of its own clock's progress a ledger's time may come, as when a balancer changes to a node that lagged. */
const DAY_USEC = 86_400_000_000n;
/** How far a node's clock may be ahead of this machine's. */
const SKEW_USEC = 600_000_000n;

/** A head and when it was observed: the wall clock and the monotonic one, in milliseconds. */
export type ObservedHead = {
  readonly head: Pick<LedgerHead, "ledgerVersion" | "timestampUsec">;
  readonly nowMs: number;
  readonly atMs: number;
};

/**
 * Whether a head can be what became of an earlier one. Going back is always possible, since a node may lag behind another;
 * forwards, versions need ledger time to be made in, and ledger time passes as it does here, or has caught up with the wall clock.
 */
export function canFollow(earlier: ObservedHead, later: ObservedHead): boolean {
  const rise = later.head.timestampUsec - earlier.head.timestampUsec;
  const elapsedUsec = BigInt(Math.max(0, Math.round((later.atMs - earlier.atMs) * 1000)));
  const nowUsec = BigInt(Math.round(later.nowMs * 1000));
  if (rise > elapsedUsec + DAY_USEC && later.head.timestampUsec > nowUsec + SKEW_USEC) return false;
  return hasTimeToFollow(earlier, later);
}

/** Whether the ledger time between two heads is enough for the versions between them, whatever the clocks of machines say. */
export function hasTimeToFollow({ head: earlier }: Pick<ObservedHead, "head">, { head: later }: Pick<ObservedHead, "head">): boolean {
  const rise = later.timestampUsec - earlier.timestampUsec;
  const made = later.ledgerVersion - earlier.ledgerVersion;
  return made * 1_000_000n <= VERSIONS_PER_SECOND * ((rise > 0n ? rise : 0n) + SLACK_USEC);
}

/** Whether a ledger that began in 1970 could have so many versions by its own time. Without a time in the head, the wall clock counts. */
export function isPossible({ head, nowMs }: ObservedHead): boolean {
  const usec = head.timestampUsec === 0n ? BigInt(Math.round(nowMs * 1000)) : head.timestampUsec;
  return head.ledgerVersion * 1_000_000n <= VERSIONS_PER_SECOND * (usec + SLACK_USEC);
}
