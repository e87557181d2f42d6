import { parseU64 } from "../base/u64.ts";
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

/**
 * One header by its name after `x-aptos-` (real nodes) or `x-node-` (the published specification). Undefined when it is
 * missing under both; a fault when it is there twice with different values.
 * Source: aptos-core `api/types/src/headers.rs`.
 */
export function readNodeHeader(headers: Headers, name: string): string | undefined {
  const aptos = headers[`x-aptos-${name}`];
  const plain = headers[`x-node-${name}`];
  const value = aptos ?? plain;
  if (Array.isArray(value) || (aptos !== undefined && plain !== undefined && aptos !== plain)) {
    throw new AnswerFault("bad_answer", `the header ${name} is there more than once`);
  }
  return value;
}

/** The head from an answer's headers; undefined when the answer carries none of them; a fault when only some, or one is no number. */
export function readLedgerHead(headers: Headers): LedgerHead | undefined {
  if (readNodeHeader(headers, "chain-id") === undefined && readNodeHeader(headers, "ledger-version") === undefined) return undefined;
  const chainId = readNumber(headers, "chain-id", MAX_CHAIN_ID);
  return {
    chainId: Number(chainId),
    ledgerVersion: readNumber(headers, "ledger-version", MAX_VERSION),
    oldestVersion: readNumber(headers, "ledger-oldest-version", MAX_VERSION),
    timestampUsec: readNumber(headers, "ledger-timestampusec", MAX_VERSION),
    epoch: readNumber(headers, "epoch", MAX_VERSION),
    blockHeight: readNumber(headers, "block-height", MAX_VERSION),
    oldestBlockHeight: readNumber(headers, "oldest-block-height", MAX_VERSION),
  };
}

function readNumber(headers: Headers, name: string, largest: bigint): bigint {
  const text = readNodeHeader(headers, name);
  if (text === undefined) throw new AnswerFault("bad_answer", `the header ${name} is missing`);
  const value = parseU64(text);
  if (value === undefined || value > largest) {
    throw new AnswerFault("bad_answer", `the header ${name} is \`${text}\`, not a number up to ${largest}`);
  }
  return value;
}
