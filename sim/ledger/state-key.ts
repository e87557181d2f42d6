import { ADDRESS_BYTES, type Address, addressBytes, formatAddress } from "../../src/core/move/address.ts";
import { isStructTag } from "../../src/core/move/bcs/struct-tag.ts";

/** What a well-formed cursor points at. Anything but code is a position among resources or beyond, which holds no module. */
export type StateKey =
  | { readonly kind: "code"; readonly account: Address; readonly bytes: Buffer }
  | { readonly kind: "resource"; readonly account: Address; readonly bytes: Buffer }
  | { readonly kind: "elsewhere"; readonly bytes: Buffer };

const ACCESS_PATH = 0;
const TABLE_ITEM = 1;
const TRADING_NATIVE = 2;
const RAW = 255;
const CODE = 0;
const RESOURCE_GROUP = 2;

/**
 * The state key of an account's module, whose hex is the cursor: 00, the account, the path's length, 00, the module's address,
 * the length of its name, its name. Source: aptos-core `types/src/state_store/state_key/inner.rs`, `types/src/access_path.rs`.
 */
export function moduleStateKey(account: Address, name: string): Buffer {
  const address = addressBytes(account);
  const text = Buffer.from(name, "utf8");
  const path = Buffer.concat([Buffer.of(CODE), address, uleb(text.length), text]);
  return Buffer.concat([Buffer.of(ACCESS_PATH), address, uleb(path.length), path]);
}

/**
 * The bytes that order the modules within an account, as latin-1 text so that `<` compares bytes: the two lengths of
 * the state key and the name; what is left out is the same for every module of an account.
 */
export function moduleOrder(name: string): string {
  const text = Buffer.from(name, "utf8");
  const nameLength = uleb(text.length);
  return Buffer.concat([uleb(1 + ADDRESS_BYTES + nameLength.length + text.length), nameLength, text]).toString("latin1");
}

/**
 * A cursor's text to the key it names, or the node's cause for refusing it. Hex of either case, without `0x`.
 * `tradingNative` says whether the node knows state keys with tag 2 (generation D).
 */
export function parseCursor(text: string, options: { tradingNative: boolean }): StateKey | { readonly cause: string } {
  if (!/^(?:[0-9a-fA-F]{2})*$/.test(text)) return { cause: "Failed to decode StateKey as hex string" };
  const bytes = Buffer.from(text, "hex");
  const tag = bytes[0];
  const key = tag === ACCESS_PATH ? parseAccessPath(bytes) : undefined;
  if (key) return key;
  const wellFormed =
    (tag === TABLE_ITEM && bytes.length >= 1 + ADDRESS_BYTES) ||
    (tag === TRADING_NATIVE && options.tradingNative && bytes.length >= 1 + ADDRESS_BYTES) ||
    tag === RAW;
  return wellFormed ? { kind: "elsewhere", bytes } : { cause: "Failed to decode StateKey from hex string" };
}

function parseAccessPath(bytes: Buffer): StateKey | undefined {
  if (bytes.length < 1 + ADDRESS_BYTES) return undefined;
  const account = formatAddress(bytes.subarray(1, 1 + ADDRESS_BYTES));
  const length = readUleb(bytes, 1 + ADDRESS_BYTES);
  if (!length) return undefined;
  const path = bytes.subarray(length.end);
  if (path.length !== length.value || path.length < 1 + ADDRESS_BYTES + 1) return undefined;
  const kind = path[0] as number;
  if (kind !== CODE) return kind <= RESOURCE_GROUP && isStructTag(path.subarray(1)) ? { kind: "resource", account, bytes } : undefined;
  const name = readUleb(path, 1 + ADDRESS_BYTES);
  return name && name.end + name.value === path.length ? { kind: "code", account, bytes } : undefined;
}

function readUleb(bytes: Uint8Array, offset: number): { value: number; end: number } | undefined {
  let value = 0;
  for (let index = 0; index < 4; index++) {
    const byte = bytes[offset + index];
    if (byte === undefined) return undefined;
    value += (byte & 0x7f) * 2 ** (7 * index);
    if (byte < 0x80) return { value, end: offset + index + 1 };
  }
  return undefined;
}

/** A number below 2^32 as ULEB128. */
export function uleb(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  while (rest >= 0x80) {
    bytes.push((rest % 0x80) + 0x80);
    rest = Math.floor(rest / 0x80);
  }
  bytes.push(rest);
  return Buffer.from(bytes);
}
