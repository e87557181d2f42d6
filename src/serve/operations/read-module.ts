import { contentTypes } from "../http/content-types.ts";
import { apiError } from "../http/error-answers.ts";
import { readAddress, readLedgerVersion, readModuleName } from "./parameters.ts";
import { pointRead } from "./point-read.ts";
import { resolveVersion } from "./resolve-version.ts";
import type { Operation } from "./service.ts";
import { nothingSealed } from "./service-info.ts";

/** `GET /accounts/{address}/module/{module_name}`. */
export const readModule: Operation = async (service, { parts, query, head, format }) => {
  const address = readAddress(parts[0] as string);
  const name = readModuleName(parts[1] as string, service.generation);
  const asked = readLedgerVersion(query);
  if (head === undefined) return nothingSealed();
  const { archive, modules } = service.cache;
  const read = pointRead({
    part: "modules",
    at: (account, version) => archive.bytecode(account, version, name),
    probesBeside: (account, version) => archive.moduleProbesBeside(account, version, name),
    isSame: Object.is,
  });
  const resolved = await resolveVersion(service, head, address, asked, read);
  if ("error" in resolved) return resolved.error;
  const { value: bytecode, version, observedAt, cacheRule } = resolved;
  const known = { head, observedAt, cacheRule };
  if (bytecode === undefined) {
    const message = `Module not found by Address(${address}), Module name(${name}) and Ledger version(${version})`;
    return { ...apiError(404, "module_not_found", message), ...known };
  }
  const body = await (format === "json" ? modules.json(bytecode) : modules.bcs(bytecode));
  return { status: 200, contentType: contentTypes[format], body, ...known };
};
