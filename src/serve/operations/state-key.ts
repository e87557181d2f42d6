import { type Address, addressBytes } from "../../move/address.ts";

// The tags of a state key and of a path. Source: aptos-core `types/src/state_store/state_key/inner.rs`, `types/src/access_path.rs`.
const ACCESS_PATH = 0x00;
const PATH_CODE = 0x00;

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

/** Parses a cursor, hex of either case without `0x`, to a key as `moduleKey` writes it; undefined for other text. Any bytes are a place. */
export function parseCursor(text: string): string | undefined {
  return text.length % 2 === 0 && /^[0-9a-fA-F]*$/.test(text) ? Buffer.from(text, "hex").toString("latin1") : undefined;
}

export function ulebBytes(value: number): Buffer {
  const bytes: number[] = [];
  for (let rest = value; ; rest = Math.floor(rest / 0x80)) {
    if (rest < 0x80) return Buffer.from([...bytes, rest]);
    bytes.push((rest % 0x80) + 0x80);
  }
}
