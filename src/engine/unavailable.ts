import { StoreError, type StoreErrorCode } from "./errors.ts";

/** Failures that may be over the next time: the server is gone or starting, has no connection left, or was too slow. */
const passing: ReadonlySet<StoreErrorCode> = new Set([
  "MOVEDEX_STORE_CUT",
  "MOVEDEX_STORE_CANNOT_OPEN",
  "MOVEDEX_STORE_BUSY",
  "MOVEDEX_STORE_TIMEOUT",
]);

/** Whether a failure says that the database gives no answer at the moment, and nothing about what is in it. */
export function isUnavailable(error: unknown): error is StoreError {
  return error instanceof StoreError && passing.has(error.code as StoreErrorCode);
}
