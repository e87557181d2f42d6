import type { NodeGeneration } from "../../../core/abi/node-json/format.ts";
import { ADDRESS_BYTES, type Address, addressBytes } from "../../../core/move/address.ts";
import { isStructTag } from "../../../core/move/bcs/struct-tag.ts";

// The tags of state keys and paths. Source: aptos-core `types/src/state_store/state_key/inner.rs`, `types/src/access_path.rs`.
const ACCESS_PATH = 0x00;
const TABLE_ITEM = 0x01;
const TRADING_NATIVE = 0x02;
const RAW = 0xff;
const PATH_CODE = 0x00;
const PATH_RESOURCE_GROUP = 0x02;

/**
 * The key under which the ledger stores a module, as latin1 text that `<` orders as the bytes: 00, the account, the path's length, and the
 * path: 00, the account again, the name's length, the name.
 */
export function moduleKey(account: Address, name: string): string {
  const text = Buffer.from(name, "utf8");
  const path = Buffer.concat([Buffer.of(PATH_CODE), addressBytes(account), ulebBytes(text.length), text]);
  return Buffer.concat([Buffer.of(ACCESS_PATH), addressBytes(account), ulebBytes(path.length), path]).toString("latin1");
}

/** The cursor of a module: the hex of its key. */
export function moduleCursor(account: Address, name: string): string {
  return Buffer.from(moduleKey(account, name), "latin1").toString("hex");
}

/** Whether a key is of something that an account has. */
export function isKeyOf(account: Address, key: string): boolean {
  return key.startsWith(String.fromCharCode(ACCESS_PATH) + Buffer.from(addressBytes(account)).toString("latin1"));
}

/** Parses a cursor, hex of either case without `0x`, to a key as `moduleKey` writes it; or the words in which a node refuses it. */
export function parseCursor(text: string, generation: NodeGeneration): string | { readonly cause: string } {
  if (text.length % 2 !== 0 || !/^[0-9a-fA-F]*$/.test(text)) return { cause: "Failed to decode StateKey as hex string" };
  const key = Buffer.from(text, "hex");
  return isStateKey(key, generation) ? key.toString("latin1") : { cause: "Failed to decode StateKey from hex string" };
}

function isStateKey(key: Buffer, generation: NodeGeneration): boolean {
  switch (key[0]) {
    case ACCESS_PATH:
      return isAccessPath(key);
    case TABLE_ITEM:
      return key.length > ADDRESS_BYTES;
    case TRADING_NATIVE:
      return key.length > ADDRESS_BYTES && generation === "D";
    default:
      return key[0] === RAW;
  }
}

function isAccessPath(key: Buffer): boolean {
  const length = readUleb(key, 1 + ADDRESS_BYTES);
  if (length === undefined) return false;
  const path = key.subarray(length.end);
  const kind = path[0];
  if (path.length !== length.value || path.length <= 1 + ADDRESS_BYTES || kind === undefined || kind > PATH_RESOURCE_GROUP) return false;
  if (kind !== PATH_CODE) return isStructTag(path.subarray(1));
  const name = readUleb(path, 1 + ADDRESS_BYTES);
  return name !== undefined && name.end + name.value === path.length;
}

function readUleb(bytes: Uint8Array, offset: number): { readonly value: number; readonly end: number } | undefined {
  let value = 0;
  for (let index = 0; index < 4; index++) {
    const byte = bytes[offset + index];
    if (byte === undefined) return undefined;
    value += (byte & 0x7f) * 2 ** (7 * index);
    if (byte < 0x80) return { value, end: offset + index + 1 };
  }
  return undefined;
}

export function ulebBytes(value: number): Buffer {
  const bytes: number[] = [];
  for (let rest = value; ; rest = Math.floor(rest / 0x80)) {
    if (rest < 0x80) return Buffer.from([...bytes, rest]);
    bytes.push((rest % 0x80) + 0x80);
  }
}
