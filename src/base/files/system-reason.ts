import { getSystemErrorMessage } from "node:util";

/**
 * What went wrong with a file, in the system's words and with its code: `no space left on device (ENOSPC)`.
 * Node's own errors have a code alone.
 */
export function systemReason(error: unknown): string {
  const { code, errno } = error as NodeJS.ErrnoException;
  return errno === undefined || errno >= 0 ? (code ?? String(error)) : `${getSystemErrorMessage(errno)} (${code})`;
}
