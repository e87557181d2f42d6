import { LEDGER_VERSION_MAX } from "../../base/u64.ts";
import { StoreError } from "../../engine/errors.ts";

/** A ledger version that can be stored. @throws StoreError `MOVEDEX_STORE_VERSION` when it is negative or above 2^63 - 1 */
export function storableVersion(version: bigint): bigint {
  if (version >= 0n && version <= LEDGER_VERSION_MAX) return version;
  throw new StoreError(
    "MOVEDEX_STORE_VERSION",
    `ledger version ${version} cannot be stored: it has to be from 0 to ${LEDGER_VERSION_MAX}`,
    { facts: { version } },
  );
}
