import { parseU64 } from "../../base/u64.ts";
import { AnswerFault } from "./answer-fault.ts";

/**
 * The node's head at the moment it answered, from the headers of any answer about ledger state. It describes the node's
 * newest state even when an older version was read, is a sample of one node, and may go backwards from answer to answer.
 */
export type LedgerHead = {
  readonly chainId: number;
  readonly ledgerVersion: bigint;
  /** The oldest version that the node still reads: the horizon. */
  readonly oldestVersion: bigint;
  /** Ledger time in microseconds since 1970. */
  readonly timestampUsec: bigint;
  readonly epoch: bigint;
  readonly blockHeight: bigint;
  readonly oldestBlockHeight: bigint;
};

/** Headers as they come from the socket: lower-case names. */
export type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** The largest ledger version that movedex takes: what a signed 64-bit column can hold. */
export const MAX_VERSION = 0x7fff_ffff_ffff_ffffn;

const MAX_CHAIN_ID = 255n;

// The node's cursor is hex; whatever it is, it goes into a URL as it came.
const CURSOR = /^[0-9A-Za-z._~-]{1,4096}$/;

type HeaderName = readonly [aptos: string, node: string];

// Made once: eight of them are looked up in every answer.
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
 * The head from an answer's headers; undefined when the answer carries none of them; a fault when only some, or one
 * is no number. Source: aptos-core `api/types/src/headers.rs`.
 */
export function readLedgerHead(headers: Headers): LedgerHead | undefined {
  if (readHeader(headers, names.chainId) === undefined && readHeader(headers, names.ledgerVersion) === undefined) return undefined;
  return {
    chainId: Number(readNumber(headers, names.chainId, MAX_CHAIN_ID)),
    ledgerVersion: readNumber(headers, names.ledgerVersion, MAX_VERSION),
    oldestVersion: readNumber(headers, names.oldestVersion, MAX_VERSION),
    timestampUsec: readNumber(headers, names.timestampUsec, MAX_VERSION),
    epoch: readNumber(headers, names.epoch, MAX_VERSION),
    blockHeight: readNumber(headers, names.blockHeight, MAX_VERSION),
    oldestBlockHeight: readNumber(headers, names.oldestBlockHeight, MAX_VERSION),
  };
}

/** The cursor of the next page, as it came; undefined when there is none, which is the end of a listing. */
export function readCursor(headers: Headers): string | undefined {
  const cursor = readHeader(headers, names.cursor);
  if (cursor !== undefined && !CURSOR.test(cursor)) throw new AnswerFault("bad_answer", `the cursor is \`${cursor}\``);
  return cursor;
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

/** Real nodes spell `x-aptos-`, the published specification `x-node-`; both may be there if they agree. */
function readHeader(headers: Headers, [aptosName, nodeName]: HeaderName): string | undefined {
  const aptos = headers[aptosName];
  const plain = headers[nodeName];
  const value = aptos ?? plain;
  if (Array.isArray(value) || (aptos !== undefined && plain !== undefined && aptos !== plain)) {
    throw new AnswerFault("bad_answer", `the header ${aptosName} is there more than once`);
  }
  return value;
}

function spellings(name: string): HeaderName {
  return [`x-aptos-${name}`, `x-node-${name}`];
}
