import { LEDGER_VERSION_MAX, parseU64 } from "../../base/u64.ts";
import { AnswerFault } from "./node-error.ts";

/** The two ways in which a node writes its answers. */
export type Encoding = "bcs" | "json";

/** The `Accept` value of each encoding. The node compares the whole text. Source: aptos-core `api/src/accept_type.rs`. */
export const mediaTypes = { bcs: "application/x-bcs", json: "application/json" } as const satisfies Record<Encoding, string>;

/** Data from the node, with the node's head at that moment and the encoding it came in. */
export type Answer<T> = { readonly value: T; readonly head: LedgerHead; readonly encoding: Encoding };

/**
 * The newest state of a node when it answered, from the headers of any answer about ledger state, whichever version was
 * read. Each answer is a sample of one node, so it may go backwards from answer to answer.
 */
export type LedgerHead = NonNullable<ReturnType<typeof readLedgerHead>>;

/** Headers as they come from the socket: lower-case names. */
export type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** A header, or the first of several of its name. */
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
    /** Ledger time in microseconds since 1970. */
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
  const text = readHeader(headers, name);
  if (text === undefined) throw new AnswerFault("bad_answer", `the header ${name[0]} is missing`);
  const value = parseU64(text);
  if (value === undefined || value > largest) {
    throw new AnswerFault("bad_answer", `the header ${name[0]} is \`${text}\`, not a number up to ${largest}`);
  }
  return value;
}

/** Real nodes write `x-aptos-`, the published specification `x-node-`. An answer may carry both, or one twice, if they agree. */
function readHeader(headers: Headers, [aptosName, nodeName]: HeaderName): string | undefined {
  const [aptos, plain] = [headers[aptosName], headers[nodeName]];
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
