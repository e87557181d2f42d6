import { LEDGER_VERSION_MAX, parseU64 } from "../../base/numbers.ts";
import { AnswerFault } from "./node-error.ts";

/** The two ways in which a node writes its answers. */
export type Encoding = "bcs" | "json";

/** The `Accept` value of each encoding. The node compares the whole text. Source: aptos-core `api/src/accept_type.rs`. */
export const mediaTypes = { bcs: "application/x-bcs", json: "application/json" } as const satisfies Record<Encoding, string>;

/** Data from the node, with the node's head at that moment and the encoding it came in. A page that is not the last has a cursor. */
export type Answer<T> = { readonly value: T; readonly head: LedgerHead; readonly encoding: Encoding; readonly cursor?: string | undefined };

/**
 * The newest state of a node when it answered, from the headers of any answer about ledger state, whichever version was
 * read. Each answer is a sample of one node, so it may go backwards from answer to answer.
 */
export type LedgerHead = NonNullable<ReturnType<typeof readLedgerHead>>;

/** A newest version and its ledger time, in microseconds since 1970. */
export type Head = Pick<LedgerHead, "ledgerVersion" | "timestampUsec">;

/** Headers as they come from the socket: lower-case names. */
export type Headers = Readonly<Record<string, string | string[] | undefined>>;

export function firstOf(value: Headers[string]): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}

const MAX_CHAIN_ID = 255n;

// Real nodes send hex. Whatever is sent goes into a URL unchanged, so it must need no encoding.
const CURSOR = /^[0-9A-Za-z._~-]{1,4096}$/;

type HeaderName = readonly [aptos: string, node: string];

// Made once, since every answer is searched for eight of them.
const names = {
  chainId: spellings("chain-id"),
  ledgerVersion: spellings("ledger-version"),
  oldestVersion: spellings("ledger-oldest-version"),
  timestampUsec: spellings("ledger-timestampusec"),
  epoch: spellings("epoch"),
  blockHeight: spellings("block-height"),
  oldestBlockHeight: spellings("oldest-block-height"),
  cursor: spellings("cursor"),
};

/**
 * The head from an answer's headers; undefined without any. Source: aptos-core `api/types/src/headers.rs`.
 * @throws AnswerFault `bad_answer` when some are missing, one is not a number, or the oldest is above the newest
 */
export function readLedgerHead(headers: Headers) {
  if (readHeader(headers, names.chainId) === undefined && readHeader(headers, names.ledgerVersion) === undefined) return undefined;
  const head = {
    chainId: Number(readNumber(headers, names.chainId, MAX_CHAIN_ID)),
    ledgerVersion: readNumber(headers, names.ledgerVersion, LEDGER_VERSION_MAX),
    /** The oldest version that the node still reads: the horizon. Never above `ledgerVersion`. */
    oldestVersion: readNumber(headers, names.oldestVersion, LEDGER_VERSION_MAX),
    timestampUsec: readNumber(headers, names.timestampUsec, LEDGER_VERSION_MAX),
    epoch: readNumber(headers, names.epoch, LEDGER_VERSION_MAX),
    blockHeight: readNumber(headers, names.blockHeight, LEDGER_VERSION_MAX),
    oldestBlockHeight: readNumber(headers, names.oldestBlockHeight, LEDGER_VERSION_MAX),
  };
  assertOrder("version", head.oldestVersion, head.ledgerVersion);
  assertOrder("block", head.oldestBlockHeight, head.blockHeight);
  return head;
}

/** The cursor of the next page, unchanged; undefined at the end of a listing, which nothing else marks. */
export function readCursor(headers: Headers): string | undefined {
  const cursor = readHeader(headers, names.cursor);
  if (cursor !== undefined && !CURSOR.test(cursor)) throw new AnswerFault("bad_answer", `the cursor is \`${cursor}\``);
  return cursor;
}

function assertOrder(what: string, oldest: bigint, newest: bigint): void {
  if (oldest > newest) throw new AnswerFault("bad_answer", `the headers give ${oldest} as the oldest ${what} and ${newest} as the newest`);
}

/**
 * Whether an archive in a node's place says that it did not observe this answer at that version, which must never be recorded as
 * observed. Older `movedex serve` only names the two versions around it.
 */
export function isInferred(headers: Headers): boolean {
  return headers["x-movedex-inferred"] !== undefined || String(headers["x-movedex-observed-at"] ?? "").includes(",");
}

function readNumber(headers: Headers, name: HeaderName, largest: bigint): bigint {
  const line = readHeader(headers, name);
  if (line === undefined) throw new AnswerFault("bad_answer", `the header ${name[0]} is missing`);
  // Some proxies make one line of two.
  const text = line.includes(",") ? line.replace(/^(\d+)(?:, ?\1)+$/, "$1") : line;
  const value = parseU64(text);
  if (value === undefined || value > largest) {
    throw new AnswerFault("bad_answer", `the header ${name[0]} is \`${text}\`, not a number up to ${largest}`);
  }
  return value;
}

/** Real nodes write `x-aptos-`, the published specification `x-node-`. An answer may carry both, or one twice, if they agree. */
function readHeader(headers: Headers, [aptosName, nodeName]: HeaderName): string | undefined {
  const aptos = headers[aptosName];
  const plain = headers[nodeName];
  if (plain === undefined && typeof aptos === "string") return aptos;
  const value = firstOf(aptos ?? plain);
  const isSame = (one: Headers[string]): boolean => (Array.isArray(one) ? one.every((each) => each === value) : one === value);
  if (value !== undefined && !(isSame(aptos ?? value) && isSame(plain ?? value))) {
    throw new AnswerFault("bad_answer", `the header ${aptosName} is there more than once, with different values`);
  }
  return value;
}

function spellings(name: string): HeaderName {
  return [`x-aptos-${name}`, `x-node-${name}`];
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
export type ObservedHead = { readonly head: Head; readonly nowMs: number; readonly atMs: number };

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
