import type { NodeGeneration } from "../../abi/node-json/format.ts";
import { ADDRESS_BYTES, type Address, addressBytes, formatAddress } from "../../move/address.ts";
import { isStructTag } from "../../move/bcs/struct-tag.ts";

// The tags of state keys and paths. Source: aptos-core `types/src/state_store/state_key/inner.rs`, `types/src/access_path.rs`.
const ACCESS_PATH = 0x00;
const TABLE_ITEM = 0x01;
const TRADING_NATIVE = 0x02;
const RAW = 0xff;
const PATH_CODE = 0x00;
const PATH_RESOURCE_GROUP = 0x02;

/**
 * The cursor of a module: the hex of the state key under which the ledger stores it. That is 00, the account, the path's
 * length, and the path: 00, the account again, the name's length, the name.
 */
export function moduleCursor(account: Address, name: string): string {
  const text = Buffer.from(name, "utf8");
  const path = Buffer.concat([Buffer.of(PATH_CODE), addressBytes(account), ulebBytes(text.length), text]);
  return Buffer.concat([Buffer.of(ACCESS_PATH), addressBytes(account), ulebBytes(path.length), path]).toString("hex");
}

/**
 * The sort key of a module within its account: text that `<` orders as the bytes of the state keys. These begin with two
 * lengths, so shorter names come first, except above 93 bytes, where the length takes two bytes, the lower one first.
 */
export function moduleOrder(name: string): string {
  const text = Buffer.from(name, "utf8");
  const nameLength = ulebBytes(text.length);
  const path = ulebBytes(1 + ADDRESS_BYTES + nameLength.length + text.length);
  return Buffer.concat([path, nameLength, text]).toString("latin1");
}

/** Where a page begins: at an account's first module whose `moduleOrder` is not below `order`, or past all modules. */
export type Start = { readonly account: Address; readonly order: string } | "past every module";

/** Parses a cursor, hex of either case without `0x`; or the words in which a node of the generation refuses it. */
export function parseCursor(text: string, generation: NodeGeneration): Start | { readonly cause: string } {
  if (text.length % 2 !== 0 || !/^[0-9a-fA-F]*$/.test(text)) return { cause: "Failed to decode StateKey as hex string" };
  const key = Buffer.from(text, "hex");
  const start = key[0] === TRADING_NATIVE && generation !== "D" ? undefined : readStart(key);
  return start ?? { cause: "Failed to decode StateKey from hex string" };
}

function readStart(key: Buffer): Start | undefined {
  switch (key[0]) {
    case ACCESS_PATH:
      return readAccessPath(key);
    case TABLE_ITEM:
    case TRADING_NATIVE:
      return key.length > ADDRESS_BYTES ? "past every module" : undefined;
    case RAW:
      return "past every module";
    default:
      return undefined;
  }
}

function readAccessPath(key: Buffer): Start | undefined {
  if (key.length <= 1 + ADDRESS_BYTES) return undefined;
  const account = formatAddress(key.subarray(1, 1 + ADDRESS_BYTES));
  const length = readUleb(key, 1 + ADDRESS_BYTES);
  if (length === undefined) return undefined;
  const path = key.subarray(length.end);
  if (path.length !== length.value || path.length <= 1 + ADDRESS_BYTES) return undefined;
  const kind = path[0] as number;
  if (kind > PATH_RESOURCE_GROUP) return undefined;
  const lead = key.subarray(1 + ADDRESS_BYTES, length.end).toString("latin1");
  if (kind !== PATH_CODE) {
    if (!isStructTag(path.subarray(1))) return undefined;
    // A resource sorts after every module whose path is not longer than its own, and before the others.
    return { account, order: `${lead}\u00ff\u00ff` };
  }
  const module = path.subarray(1, 1 + ADDRESS_BYTES);
  const name = readUleb(path, 1 + ADDRESS_BYTES);
  if (name === undefined || name.end + name.value !== path.length) return undefined;
  const rest = path.subarray(1 + ADDRESS_BYTES).toString("latin1");
  // Code is stored under its own account; a path that names another sorts before or after all modules of the same length.
  const side = Buffer.compare(module, key.subarray(1, 1 + ADDRESS_BYTES));
  return { account, order: side === 0 ? lead + rest : side < 0 ? lead : `${lead}\u00ff\u00ff` };
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
