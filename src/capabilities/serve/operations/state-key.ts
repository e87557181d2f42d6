import type { NodeGeneration } from "../../../core/abi/node-json/format.ts";
import { ADDRESS_BYTES, type Address, addressBytes } from "../../../core/move/address.ts";
import { isStructTag } from "../../../core/move/bcs/struct-tag.ts";
import { ifDecodable } from "../../../core/move/decode-error.ts";
import { Cursor, TABLE_SIZE_MAX } from "../../../core/move/module/cursor.ts";

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

function isAccessPath(key: Uint8Array): boolean {
  const path = sized(key, 1 + ADDRESS_BYTES);
  const kind = path?.[0];
  if (path === undefined || path.length <= 1 + ADDRESS_BYTES || kind === undefined || kind > PATH_RESOURCE_GROUP) return false;
  return kind === PATH_CODE ? sized(path, 1 + ADDRESS_BYTES) !== undefined : isStructTag(path.subarray(1));
}

/** What follows a length, if that is all that it counts. */
function sized(bytes: Uint8Array, at: number): Uint8Array | undefined {
  const cursor = new Cursor(bytes, at);
  const size = ifDecodable(() => cursor.uleb(TABLE_SIZE_MAX));
  return size === bytes.length - cursor.at ? bytes.subarray(cursor.at) : undefined;
}

export function ulebBytes(value: number): Buffer {
  const bytes: number[] = [];
  for (let rest = value; ; rest = Math.floor(rest / 0x80)) {
    if (rest < 0x80) return Buffer.from([...bytes, rest]);
    bytes.push((rest % 0x80) + 0x80);
  }
}
