import { type StoredRecord, sameInJson, sameRecord } from "../../archive/snapshots/covering.ts";
import { formatHex } from "../../base/bytes.ts";
import { type Answer, apiError, contentTypes, jsonBody } from "../http/answer.ts";
import { readAddress, readLedgerVersion } from "./parameters.ts";
import { pointRead, resolveVersion } from "./resolve-version.ts";
import type { Operation } from "./service.ts";
import { nothingSealed } from "./service-info.ts";

/** `GET /accounts/{address}`: the record as it was observed, the default records that nodes give for unused addresses included. */
export const readAccount: Operation = async (service, { parts, query, head, format }) => {
  const address = readAddress(parts[0] as string);
  const asked = readLedgerVersion(query);
  if (head === undefined) return nothingSealed();
  const { record: at, nearestRecordProbes: nearestProbes } = service.cache.archive;
  const read = pointRead({ part: "record", at, nearestProbes, isSame: isSame(format === "json" ? sameInJson : sameRecord) });
  const resolved = await resolveVersion(service, head, address, asked, read);
  if ("error" in resolved) return resolved.error;
  const { value: record, version, observedAt, cacheRule } = resolved;
  const known = { head, observedAt, cacheRule };
  if (record === undefined) {
    return { ...apiError(404, "account_not_found", `Account not found by Address(${address}) and Ledger version(${version})`), ...known };
  }
  return format === "json" ? { ...jsonRecord(record), ...known } : bcsRecord(record, known);
};

function jsonRecord({ sequenceNumber, authenticationKey }: StoredRecord): Pick<Answer, "status" | "contentType" | "body"> {
  const body = jsonBody({ sequence_number: sequenceNumber, authentication_key: `0x${formatHex(authenticationKey)}` });
  return { status: 200, contentType: contentTypes.json, body };
}

function bcsRecord({ resource }: StoredRecord, known: Pick<Answer, "head" | "observedAt" | "cacheRule">): Answer {
  // A record in JSON has two of the resource's seven fields; the others cannot be made up.
  if (resource === null) {
    return apiError(403, "bcs_not_supported", "The account was read as JSON, so this archive does not hold its BCS; ask for JSON");
  }
  return { status: 200, contentType: contentTypes.bcs, body: resource, ...known };
}

/** Point reads of `trace` have the fields of the JSON only. */
function isSame(same: typeof sameRecord): (a: StoredRecord | undefined, b: StoredRecord | undefined) => boolean {
  return (a, b) => (a === undefined || b === undefined ? a === b : same(a, b));
}
