import type { AccountRecord } from "../move/account-record.ts";
import type { Address } from "../move/address.ts";
import type { NodeIndex } from "./answers/index-answer.ts";
import type { NodeModule } from "./answers/module-answer.ts";
import type { Pace } from "./pace/pace.ts";
import type { Encoding } from "./protocol/encodings.ts";
import type { Answer, LedgerHead } from "./protocol/ledger-head.ts";

/** The ledger version to read; the newest when none is given. Versions above 2^63 - 1 are refused. */
type AtVersion = { readonly version?: bigint };

/** Counters of all requests so far, and the pace allowed now. */
export type NodeStats = {
  /** Requests sent, each attempt counted. */
  readonly requests: number;
  readonly retries: number;
  /** Bytes of answers as they came over the wire, without headers. */
  readonly bytesReceived: number;
  /** The rate allowed now; null for no limit. */
  readonly allowedPerSecond: number | null;
  /** What is left of a pause that the node asked for, in milliseconds. */
  readonly pausedMs: number;
};

/** How processes that ask one node keep a pace together. */
export type CommonPace = Pick<Pace, "share" | "wish" | "grant" | "onPause" | "pauseFor">;

/**
 * A ledger node behind its REST interface. Every call throws NodeError when the node gives no answer after all retries, and
 * the signal's reason once that is aborted. All calls share one rate, one pause and one budget.
 */
export type LedgerNode = {
  /** `GET /`: the node's chain, role and build. What it says about the ledger is in the head. */
  readonly index: (signal?: AbortSignal) => Promise<Answer<NodeIndex>>;
  /** `GET /accounts/{address}`. NodeError `account_not_found` from nodes that say so. */
  readonly account: (address: Address, at?: AtVersion, signal?: AbortSignal) => Promise<Answer<AccountRecord>>;
  /** `GET /accounts/{address}/module/{name}`; in JSON, where that is asked for, with the node's ABI. NodeError `module_not_found`. */
  readonly module: (
    address: Address,
    name: string,
    at?: AtVersion & { readonly encoding?: Encoding },
    signal?: AbortSignal,
  ) => Promise<Answer<NodeModule>>;
  /**
   * `GET /accounts/{address}/modules`, page by page in the node's order at one version; whole only when the generator ends.
   * `limit` is modules per page, fewer when a page turns out too large or slow.
   */
  readonly modulePages: (
    address: Address,
    at: { readonly version: bigint; readonly limit?: number },
    signal?: AbortSignal,
  ) => AsyncGenerator<Answer<readonly NodeModule[]>, void, undefined>;
  readonly stats: () => NodeStats;
  readonly pace: CommonPace;
  /** The head of the latest answer that carried one. */
  readonly lastHead: () => LedgerHead | undefined;
  /** Calls back with the head of every answer from now on, errors included. One listener at a time. */
  readonly onHead: (listener: (head: LedgerHead) => void) => void;
  /** The node's base URL, without secrets. */
  readonly url: string;
  /** The proxy that requests went through, without credentials; undefined while they went to the node itself. */
  readonly proxy: () => string | undefined;
  readonly close: () => Promise<void>;
};
