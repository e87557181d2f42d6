import type { ExitName } from "../../exit-codes.ts";

/** How a failed request is repeated: waits are drawn between `shortestMs` and a bound that doubles from `firstMs` up to `longestMs`. */
export type RetryPolicy = {
  /** Failures of this kind after which a request is given up, the first included. */
  readonly attempts: number;
  /** Time since the request's first failure of this kind after which it is given up, in milliseconds. */
  readonly withinMs: number;
  readonly shortestMs: number;
  readonly firstMs: number;
  readonly longestMs: number;
};

export type ErrorClass = {
  readonly meaning: string;
  /** Undefined: the request is not repeated. */
  readonly retry?: RetryPolicy;
  /** Whether it is final as long as the node has not answered once: then the address or the credentials are wrong. */
  readonly isFinalAtFirst?: true;
  /** What ends once the request is given up: the request alone (a gap), or the whole run. */
  readonly ends: "request" | "run";
  /** Whether every request to the node waits, and its rate goes down. */
  readonly pausesAll?: true;
  /** What the failure tells the breaker about the node: it is unreachable, or perhaps only this request fails. */
  readonly breaker?: "down" | "suspect";
  readonly exit?: ExitName;
  /** The exit of a run that had read something before. */
  readonly exitOnceRead?: ExitName;
};

const MINUTE = 60_000;
/** For what gateways say instead of 429. */
const LIMITED: RetryPolicy = { attempts: 20, withinMs: 15 * MINUTE, shortestMs: 1000, firstMs: 5000, longestMs: 300_000 };
const BRIEF: RetryPolicy = { attempts: 8, withinMs: 10 * MINUTE, shortestMs: 50, firstMs: 500, longestMs: 30_000 };

/** With credentials that it took before, some gateways say so that there were too many requests, or that they themselves failed. */
const REFUSED = { meaning: "the server refuses access", retry: LIMITED, isFinalAtFirst: true, ends: "run", pausesAll: true } as const;

/**
 * Every kind of failure at a node. This table alone decides what is repeated, final, or ends a run. Waits are those of
 * node-contract, sections 7.6 and 11.1; numbers of attempts suffice for a node with one bad answer in five.
 */
export const errorClasses = {
  pruned: { meaning: "the node has pruned the ledger version", ends: "request" },
  behind: {
    meaning: "the node has not reached the ledger version",
    retry: { attempts: 40, withinMs: MINUTE, shortestMs: 1000, firstMs: 1000, longestMs: 5000 },
    ends: "request",
  },
  inferred: { meaning: "the server inferred the answer from other versions and did not observe it", ends: "request" },
  not_held: { meaning: "the address is an archive's, which does not hold this", ends: "request" },
  account_not_found: { meaning: "the node does not know this account", ends: "request" },
  module_not_found: { meaning: "the node does not know this module", ends: "request" },
  unable: { meaning: "the node is not configured to answer this", ends: "request" },
  encoding_refused: { meaning: "the node refuses the encoding", ends: "run" },
  rate_limited: {
    meaning: "the node allows no more requests for now",
    retry: { attempts: 100, withinMs: 40 * MINUTE, shortestMs: 1000, firstMs: 5000, longestMs: 300_000 },
    ends: "run",
    pausesAll: true,
  },
  overloaded: {
    meaning: "the node is too busy or still starting",
    retry: { attempts: 100, withinMs: 15 * MINUTE, shortestMs: 250, firstMs: 1000, longestMs: MINUTE },
    ends: "run",
    pausesAll: true,
  },
  server_error: { meaning: "the node reported an internal error", retry: BRIEF, ends: "request", breaker: "suspect" },
  gateway: { meaning: "a proxy or load balancer answered instead of the node", retry: BRIEF, ends: "request", breaker: "suspect" },
  timeout: { meaning: "the node did not answer in time", retry: { ...BRIEF, attempts: 6 }, ends: "request", breaker: "suspect" },
  cut: { meaning: "the connection broke before the answer was whole", retry: BRIEF, ends: "request", breaker: "suspect" },
  bad_answer: { meaning: "the node's answer is not valid", retry: { ...BRIEF, attempts: 6 }, ends: "request" },
  unreachable: { meaning: "the node cannot be reached", retry: { ...BRIEF, attempts: 20 }, ends: "run", breaker: "down" },
  unknown_host: {
    meaning: "the host name in the node's address cannot be resolved (is it spelled right?)",
    retry: { ...BRIEF, attempts: 20 },
    isFinalAtFirst: true,
    ends: "run",
    breaker: "down",
  },
  node_down: { meaning: "the node has been down for too long", ends: "run" },
  too_large: { meaning: "the answer is larger than movedex accepts", ends: "request" },
  bad_request: { meaning: "the node refuses the request", ends: "request" },
  // A proxy says so while its node starts anew.
  unknown_path: {
    meaning: "the server has no such path (is the URL a ledger node's, with /v1?)",
    retry: BRIEF,
    isFinalAtFirst: true,
    ends: "request",
    breaker: "suspect",
  },
  unknown_error: { meaning: "the node refuses the request for an unknown reason", ends: "request" },
  credentials: REFUSED,
  forbidden: REFUSED,
  wrong_protocol: { meaning: "the server speaks another protocol at this address", ends: "run" },
  untrusted: { meaning: "the TLS connection to the server cannot be trusted", ends: "run" },
  redirected: {
    meaning: "the server redirects, and movedex follows no redirects",
    retry: LIMITED,
    isFinalAtFirst: true,
    ends: "run",
    pausesAll: true,
  },
  wrong_chain: { meaning: "the node answers for another chain", ends: "run", exit: "wrongChain" },
  budget_spent: { meaning: "the request budget is used up", ends: "run", exitOnceRead: "done" },
  closed: { meaning: "movedex closed the connection to the node", ends: "run" },
} as const satisfies Record<string, ErrorClass>;

export type NodeErrorKind = keyof typeof errorClasses;

export function errorClass(kind: NodeErrorKind): ErrorClass {
  return errorClasses[kind];
}

/** What an error answer is recognised by: it has every property that the row names. */
type ErrorPattern = {
  readonly kind: NodeErrorKind;
  readonly errorCode?: string;
  /** One status, or the first and the last of a range. */
  readonly status?: number | readonly [number, number];
  /** The node's message, for answers whose code says no more than "internal error". */
  readonly text?: RegExp;
  readonly html?: true;
};

const SERVER = [500, 599] as const;

/**
 * First match wins. Sources: aptos-core `api/types/src/error.rs`, `api/src/response.rs`; node contract, sections 7.4 and 11, for texts
 * and gateways.
 */
const patterns: readonly ErrorPattern[] = [
  { kind: "rate_limited", status: 429 },
  // No node asks who asks: what stands before it does, whatever words it has from the node.
  { kind: "credentials", status: 401 },
  { kind: "credentials", status: 407 },
  // nginx, Go's servers, Apache.
  {
    kind: "wrong_protocol",
    status: 400,
    text: /plain HTTP request was sent to HTTPS|HTTP request to an HTTPS server|speaking plain HTTP to an SSL/,
  },
  { kind: "rate_limited", errorCode: "rate_limited" },
  { kind: "pruned", errorCode: "version_pruned" },
  { kind: "pruned", errorCode: "block_pruned" },
  { kind: "pruned", status: 410 },
  { kind: "pruned", errorCode: "internal_error", text: /is pruned, min available version is \d+/ },
  // What `movedex serve` says of a version within its range; a node gives no reason.
  { kind: "not_held", errorCode: "version_not_found", text: /^Ledger version not found by Ledger version\(\d+\): / },
  { kind: "behind", errorCode: "version_not_found" },
  { kind: "behind", errorCode: "internal_error", text: /ledger version too new/ },
  { kind: "unable", errorCode: "internal_error", text: /Indexer reader doesn't exist|statekeys index is not enabled/ },
  { kind: "account_not_found", errorCode: "account_not_found" },
  { kind: "module_not_found", errorCode: "module_not_found" },
  { kind: "encoding_refused", errorCode: "api_disabled" },
  { kind: "encoding_refused", errorCode: "bcs_not_supported" },
  { kind: "overloaded", errorCode: "overloaded" },
  { kind: "overloaded", errorCode: "node_not_bootstrapped" },
  { kind: "overloaded", errorCode: "health_check_failed" },
  { kind: "overloaded", status: 503 },
  { kind: "bad_request", errorCode: "invalid_input" },
  { kind: "unknown_path", errorCode: "web_framework_error", status: 404 },
  { kind: "bad_request", errorCode: "web_framework_error", status: [400, 499] },
  { kind: "server_error", errorCode: "internal_error" },
  { kind: "forbidden", errorCode: "", status: 403 },
  { kind: "unknown_path", errorCode: "", status: 404 },
  { kind: "timeout", status: 408 },
  { kind: "gateway", html: true, status: SERVER },
  { kind: "gateway", html: true, status: [200, 299] },
  { kind: "gateway", status: 502 },
  { kind: "gateway", status: 504 },
  { kind: "gateway", status: [520, 530] },
  { kind: "server_error", status: SERVER },
  // Nothing asked whether something had changed.
  { kind: "bad_answer", status: 304 },
  { kind: "redirected", status: [300, 399] },
  { kind: "bad_request", errorCode: "", status: [400, 499] },
  { kind: "unknown_error", status: [400, 499] },
];

/**
 * The kind of an answer that is not data. `errorCode` is empty when the body has none. A 2xx answer that matches no row is
 * `server_error` with an error code, and `bad_answer` without.
 */
export function recogniseError(answer: { status: number; errorCode: string; message: string; html: boolean }): NodeErrorKind {
  for (const pattern of patterns) {
    if (pattern.errorCode !== undefined && pattern.errorCode !== answer.errorCode) continue;
    if (pattern.html && !answer.html) continue;
    if (pattern.text && !pattern.text.test(answer.message)) continue;
    if (pattern.status !== undefined) {
      const [first, last] = typeof pattern.status === "number" ? [pattern.status, pattern.status] : pattern.status;
      if (answer.status < first || answer.status > last) continue;
    }
    return pattern.kind;
  }
  return answer.errorCode === "" ? "bad_answer" : "server_error";
}
