import { contentTypes } from "../http/content-types.ts";
import { apiError } from "../http/error-answers.ts";
import type { Operation } from "../service.ts";
import { readAddress, readLedgerVersion, readModuleName } from "./parameters.ts";
import { readAt } from "./resolve-version.ts";
import { nothingSealed } from "./service-info.ts";

/** `GET /accounts/{address}/module/{module_name}`. */
export const readModule: Operation = async ({ holdings, between }, { parts, query, head, form }) => {
  const address = readAddress(parts[0] as string);
  const name = readModuleName(parts[1] as string);
  const asked = readLedgerVersion(query);
  if (head === undefined) return nothingSealed();
  const { archive, records } = holdings;
  const reading = await readAt(holdings, head, between, address, asked, {
    read: (account, version) => archive.bytecode(account, version, name),
    same: Object.is,
  });
  if ("refusal" in reading) return reading.refusal;
  const { value: bytecode, version, observedAt, cacheRule } = reading;
  const seen = { head, observedAt, cacheRule };
  if (bytecode === undefined) {
    const message = `Module not found by Address(${address}), Module name(${name}) and Ledger version(${version})`;
    return { ...apiError(404, "module_not_found", message), ...seen };
  }
  return form === "json"
    ? { status: 200, contentType: contentTypes.json, body: await records.json(bytecode), ...seen }
    : { status: 200, contentType: contentTypes.bcs, body: await records.bcs(bytecode), ...seen };
};
