import type { Call, Service } from "../service.ts";
import { readAddress, readLedgerVersion } from "./parameters.ts";

/** Whether the archive has an answer to a request at the version that it names, found without reading what stood there. */
export async function isHeld(
  { holdings, between }: Pick<Service, "holdings" | "between">,
  { parts, query }: Pick<Call, "parts" | "query">,
): Promise<boolean> {
  const version = readLedgerVersion(query);
  const [address] = parts;
  if (version === undefined || address === undefined) return false;
  const account = await holdings.archive.findAccount(readAddress(address));
  if (account === undefined) return false;
  if ((await holdings.archive.isSealed(version)) && (await holdings.archive.holds(account, version))) return true;
  if (between === "exact") return false;
  const { previous, next } = await holdings.archive.neighbours(account, version);
  return previous !== undefined && next !== undefined;
}
