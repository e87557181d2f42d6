import type { AccountRecord } from "../../move/account-record.ts";
import { ADDRESS_BYTES } from "../../move/address.ts";
import type { Cursor } from "../../move/module/cursor.ts";
import { AnswerFault } from "../protocol/node-error.ts";
import { asObject, bytesField, readBcsBody, readBytes, readU64, u64Field } from "./json-shape.ts";

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
    const sequenceNumber = readU64(cursor);
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

/** A counter, and a guid: creation number and address. */
function skipEventHandle(cursor: Cursor): void {
  cursor.skip(8 + 8 + ADDRESS_BYTES);
}

function skipAddressOption(cursor: Cursor): void {
  if (cursor.uleb(1) === 1) cursor.skip(ADDRESS_BYTES);
}
