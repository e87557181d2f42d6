import { parseHex } from "../../base/bytes.ts";
import { findJsonExcess, type JsonBounds } from "../../base/json.ts";
import { parseU64 } from "../../base/numbers.ts";
import { type AccountRecord, ADDRESS_BYTES } from "../../move/address.ts";
import { DecodeError } from "../../move/decode-error.ts";
import { Cursor } from "../../move/module/cursor.ts";
import { AnswerFault } from "../protocol/node-error.ts";

export type JsonObject = Readonly<Record<string, unknown>>;

/**
 * The bytes of a body as JSON. Faults: `cut` for a body that ends early, `bad_answer` for other text that is not JSON and for
 * JSON nested too deep, `too_large` for JSON of more values than the bounds allow.
 */
export function parseJsonBody(body: Uint8Array, bounds: JsonBounds): unknown {
  const excess = findJsonExcess(body, bounds);
  // A smaller page may help against too many values, and nothing against too deep ones.
  if (excess === "values") throw new AnswerFault("too_large", `the JSON holds more than ${bounds.values} values`);
  if (excess === "depth") throw new AnswerFault("bad_answer", `the JSON is nested more than ${bounds.depth} deep`);
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString("utf8");
  try {
    return JSON.parse(text);
  } catch (error) {
    const cut = /Unexpected end|Unterminated/.test(String(error));
    throw new AnswerFault(cut ? "cut" : "bad_answer", cut ? "the JSON ends too early" : "the body is not JSON", {}, error);
  }
}

/** A value that must be an object; `what` names it in the fault. */
export function asObject(value: unknown, what: string): JsonObject {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new AnswerFault("bad_answer", `${what} is not a JSON object`);
  return value as JsonObject;
}

/** A field that must be a u64 written as a decimal string. */
export function u64Field(object: JsonObject, name: string): bigint {
  const text = object[name];
  const value = typeof text === "string" ? parseU64(text) : undefined;
  if (value === undefined) throw new AnswerFault("bad_answer", `\`${name}\` is not a u64 in a string`);
  return value;
}

/** A field that must be bytes written as `0x` and hex. */
export function bytesField(object: JsonObject, name: string): Uint8Array {
  const text = object[name];
  const value = typeof text === "string" && text.startsWith("0x") ? parseHex(text) : undefined;
  if (!value) throw new AnswerFault("bad_answer", `\`${name}\` is not bytes in hex`);
  return value;
}

const LONGEST = 0x7fff_ffff;

/** Reads a whole BCS body with `read`. A body that ends too early, or has bytes after the value, is `bad_answer`. */
export function readBcsBody<T>(body: Uint8Array, read: (cursor: Cursor) => T): T {
  const cursor = new Cursor(body);
  try {
    const value = read(cursor);
    if (cursor.more) throw new AnswerFault("bad_answer", `${cursor.end - cursor.at} bytes after the BCS value`);
    return value;
  } catch (error) {
    if (error instanceof DecodeError)
      throw new AnswerFault("bad_answer", `the body is not the BCS it should be: ${error.message}`, {}, error);
    throw error;
  }
}

/** Bytes after their length, as a view of the body. */
export function readBytes(cursor: Cursor): Uint8Array {
  const length = cursor.uleb(LONGEST);
  const at = cursor.skip(length);
  return cursor.bytes.subarray(at, at + length);
}

/** UTF-8 text after its length in bytes. Bytes that are not UTF-8 become U+FFFD. */
export function readText(cursor: Cursor): string {
  const bytes = readBytes(cursor);
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
}

/** An account from JSON. Source: aptos-core `api/types/src/account.rs`. */
export function accountFromJson(json: unknown): AccountRecord {
  const account = asObject(json, "the account");
  return {
    sequenceNumber: u64Field(account, "sequence_number"),
    authenticationKey: checkKey(bytesField(account, "authentication_key")),
    resource: null,
  };
}

/** An account from the bytes of its resource. Source: aptos-core `types/src/account_config/resources/core_account.rs`. */
export function accountFromBcs(body: Uint8Array): AccountRecord {
  return readBcsBody(body, (cursor) => {
    const authenticationKey = checkKey(readBytes(cursor));
    const sequenceNumber = cursor.fixedU64();
    cursor.skip(8); // guid_creation_num
    skipEventHandle(cursor);
    skipEventHandle(cursor);
    skipAddressOption(cursor);
    skipAddressOption(cursor);
    return { sequenceNumber, authenticationKey, resource: body };
  });
}

function checkKey(key: Uint8Array): Uint8Array {
  if (key.length !== 32) throw new AnswerFault("bad_answer", `the authentication key has ${key.length} bytes, not 32`);
  return key;
}

function skipEventHandle(cursor: Cursor): void {
  cursor.skip(8 + 8 + ADDRESS_BYTES);
}

function skipAddressOption(cursor: Cursor): void {
  if (cursor.uleb(1) === 1) cursor.skip(ADDRESS_BYTES);
}

/** What a node's index says about the node itself. What it says about the ledger is in the answer's head. */
export type NodeIndex = {
  readonly chainId: number;
  readonly nodeRole: string;
  /** The commit the node was built from; null when it does not say (BCS). */
  readonly gitHash: string | null;
};

const ROLES = ["validator", "full_node"];

/** The index from JSON. Source: aptos-core `api/types/src/index.rs`. */
export function indexFromJson(json: unknown): NodeIndex {
  const index = asObject(json, "the index");
  const { chain_id, node_role, git_hash } = index;
  if (typeof chain_id !== "number" || !Number.isInteger(chain_id) || chain_id < 0 || chain_id > 255) {
    throw new AnswerFault("bad_answer", "`chain_id` is not a number from 0 to 255");
  }
  u64Field(index, "ledger_version");
  u64Field(index, "oldest_ledger_version");
  return {
    chainId: chain_id,
    nodeRole: typeof node_role === "string" ? node_role : "",
    gitHash: typeof git_hash === "string" && git_hash !== "" ? git_hash : null,
  };
}

/** The index from BCS: the chain id, four decimal strings, the role, two decimal strings. Source: the same file. */
export function indexFromBcs(body: Uint8Array): NodeIndex {
  return readBcsBody(body, (cursor) => {
    const chainId = cursor.u8();
    for (let count = 0; count < 4; count++) readDecimal(cursor);
    const nodeRole = ROLES[cursor.uleb(ROLES.length - 1)] as string;
    for (let count = 0; count < 2; count++) readDecimal(cursor);
    return { chainId, nodeRole, gitHash: null };
  });
}

function readDecimal(cursor: Cursor): bigint {
  const value = parseU64(readText(cursor));
  if (value === undefined) throw new AnswerFault("bad_answer", "a number of the index is not a decimal u64");
  return value;
}
