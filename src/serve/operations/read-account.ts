import { equalBytes } from "../../base/bytes.ts";
import { formatHex } from "../../base/hex.ts";
import type { ServedRecord } from "../../store/read/serving.ts";
import { type Answer, jsonBody } from "../http/answer.ts";
import { contentTypes } from "../http/content-types.ts";
import { apiError } from "../http/error-answers.ts";
import type { Operation } from "../service.ts";
import { readAddress, readLedgerVersion } from "./parameters.ts";
import { type Question, readAt } from "./resolve-version.ts";
import { nothingSealed } from "./service-info.ts";

/** `GET /accounts/{address}`: the record as it was observed, made-up ones of accounts that were never used included. */
export const readAccount: Operation = async ({ holdings, between }, { parts, query, head, form }) => {
  const address = readAddress(parts[0] as string);
  const asked = readLedgerVersion(query);
  if (head === undefined) return nothingSealed();
  const question: Question<ServedRecord | undefined> = { read: holdings.archive.record, same: sameRecord };
  const reading = await readAt(holdings, head, between, address, asked, question);
  if ("refusal" in reading) return reading.refusal;
  const { value: record, version, observedAt, cacheRule } = reading;
  const seen = { head, observedAt, cacheRule };
  if (record === undefined) {
    return { ...apiError(404, "account_not_found", `Account not found by Address(${address}) and Ledger version(${version})`), ...seen };
  }
  return form === "json" ? { ...jsonRecord(record), ...seen } : bcsRecord(record, seen);
};

function jsonRecord({ sequenceNumber, authenticationKey }: ServedRecord): Pick<Answer, "status" | "contentType" | "body"> {
  const body = jsonBody({ sequence_number: sequenceNumber, authentication_key: `0x${formatHex(authenticationKey)}` });
  return { status: 200, contentType: contentTypes.json, body };
}

function bcsRecord({ resource }: ServedRecord, seen: Pick<Answer, "head" | "observedAt" | "cacheRule">): Answer {
  // The JSON form of a record is a part of it: the rest cannot be made up.
  if (resource === null) {
    return apiError(403, "bcs_not_supported", "The account was read as JSON, so this archive does not hold its BCS; ask for JSON");
  }
  return { status: 200, contentType: contentTypes.bcs, body: resource, ...seen };
}

function sameRecord(a: ServedRecord | undefined, b: ServedRecord | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  const sameResource = a.resource === null || b.resource === null ? a.resource === b.resource : equalBytes(a.resource, b.resource);
  return a.sequenceNumber === b.sequenceNumber && equalBytes(a.authenticationKey, b.authenticationKey) && sameResource;
}
