import { formatHex } from "../base/hex.ts";

declare const brand: unique symbol;

/**
 * A 32-byte account address as the node prints it: `0x`, lower-case hex, every leading zero cut (`0x1`, never AIP-40's
 * long form for others). Only `parseAddress` and `formatAddress` make one, so two addresses are equal exactly when
 * their texts are. Source: aptos-core `api/types/src/address.rs`.
 */
export type Address = string & { readonly [brand]: "Address" };

/** How many bytes an account address has. */
export const ADDRESS_BYTES = 32;

const DIGITS = /^[0-9a-fA-F]{1,64}$/;

/** Text to an address, or undefined: an optional lower-case `0x`, then 1 to 64 hex digits, as the node's paths take it. */
export function parseAddress(text: string): Address | undefined {
  const digits = text.startsWith("0x") ? text.slice(2) : text;
  return DIGITS.test(digits) ? trim(digits.toLowerCase()) : undefined;
}

/** 32 bytes to an address. */
export function formatAddress(bytes: Uint8Array): Address {
  if (bytes.length !== ADDRESS_BYTES) throw new RangeError(`an address has ${ADDRESS_BYTES} bytes, not ${bytes.length}`);
  return trim(formatHex(bytes));
}

/** The 32 bytes of an address. */
export function addressBytes(address: Address): Uint8Array {
  return new Uint8Array(Buffer.from(address.slice(2).padStart(64, "0"), "hex"));
}

/** `0x` and all 64 digits: the form in which texts sort as the bytes do, and that indexers print. */
export function formatLongAddress(address: Address): string {
  return `0x${address.slice(2).padStart(64, "0")}`;
}

/** Order of two addresses by their bytes. */
export function compareAddresses(a: Address, b: Address): number {
  // Without leading zeros the longer number is the larger; equal lengths compare as text.
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : a > b ? 1 : 0;
}

function trim(digits: string): Address {
  const trimmed = digits.replace(/^0+/, "");
  return `0x${trimmed === "" ? "0" : trimmed}` as Address;
}
