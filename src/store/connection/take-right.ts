import { isPostgresAddress } from "../../base/postgresql-address.ts";
import { type LockPurpose, takeLock } from "./lock.ts";

/**
 * Takes a right that one process at a time has to a database: by a lock beside a file, by a lease on a server. Gives what frees it.
 *
 * @throws StoreError `MOVEDEX_STORE_LOCKED` when another process has it
 */
export async function takeRight(path: string, now: () => number, purpose: LockPurpose): Promise<() => Promise<void>> {
  if (isPostgresAddress(path)) return (await import("./open-server.ts")).takeServerRight(path, purpose, now);
  const lock = takeLock(path, now(), purpose);
  return async () => lock.release();
}
