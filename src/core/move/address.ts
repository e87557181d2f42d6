import { formatHex, parseHex } from "../base/bytes.ts";
import { compare } from "../base/lists.ts";

declare const brand: unique symbol;

/**
 * A 32-byte address as the node prints it: `0x` and lower-case hex without leading zeros. Only `parseAddress` and `formatAddress`
 * make one, so equal addresses are equal texts. Source: aptos-core `api/types/src/address.rs`.
 */
export type Address = string & { readonly [brand]: "Address" };

export const ADDRESS_BYTES = 32;

const DIGITS = /^[0-9a-fA-F]{1,64}$/;

/** Parses an optional lower-case `0x` and 1 to 64 hex digits, which is what the node's paths accept; undefined otherwise. */
export function parseAddress(text: string): Address | undefined {
  const digits = text.startsWith("0x") ? text.slice(2) : text;
  if (!DIGITS.test(digits)) return undefined;
  const address = trim(digits.toLowerCase());
  // The text itself where it is one: parts of it put together keep three texts in memory.
  return address === text ? (text as Address) : address;
}

/** An address that a person or a list gives: `0x` and 1 to 64 digits, or all 64 digits. A shorter word without `0x` may be anything. */
export function parseGivenAddress(text: string): Address | undefined {
  return text.startsWith("0x") || text.length === 2 * ADDRESS_BYTES ? parseAddress(text) : undefined;
}

/** The address of 32 bytes. @throws RangeError for any other length */
export function formatAddress(bytes: Uint8Array): Address {
  if (bytes.length !== ADDRESS_BYTES) throw new RangeError(`an address has ${ADDRESS_BYTES} bytes, not ${bytes.length}`);
  // Most addresses that modules name are short ones, so the zeros in front are skipped as bytes.
  let zeros = 0;
  while (bytes[zeros] === 0) zeros++;
  return trim(formatHex(bytes.subarray(zeros)));
}

export function addressBytes(address: Address): Uint8Array {
  return parseHex(formatLongAddress(address)) as Uint8Array;
}

/** `0x` and all 64 digits: the form that sorts like the bytes and that indexers print. */
export function formatLongAddress(address: Address): string {
  return `0x${address.slice(2).padStart(64, "0")}`;
}

/** Order of two addresses by their bytes. */
export function compareAddresses(a: Address, b: Address): number {
  // Without leading zeros the longer number is the larger one; numbers of equal length compare as text.
  return a.length - b.length || compare(a, b);
}

function trim(digits: string): Address {
  let zeros = 0;
  while (digits.charCodeAt(zeros) === 0x30) zeros++;
  return `0x${digits.slice(zeros) || "0"}` as Address;
}

/**
 * An account's record at a ledger version. A node may give one for an address that was never used: sequence number 0 and
 * the address itself as key. So a record proves nothing about existence (node-contract, section 8.1).
 */
export type AccountRecord = {
  readonly sequenceNumber: bigint;
  /** 32 bytes. */
  readonly authenticationKey: Uint8Array;
  /** The `0x1::account::Account` resource as the chain stores it; null when the node answered in JSON. */
  readonly resource: Uint8Array | null;
};
