import { getSystemErrorMessage } from "node:util";

/** What went wrong with a file, in the system's words and with its code: `no space left on device (ENOSPC)`. */
export function systemReason(error: unknown): string {
  const { code, errno } = error as NodeJS.ErrnoException;
  return errno === undefined ? (code ?? String(error)) : `${getSystemErrorMessage(errno)} (${code})`;
}
