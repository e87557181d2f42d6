import { createHash } from "node:crypto";
import { closeSync, fsyncSync, openSync, writeFileSync } from "node:fs";
import { systemReason } from "../base/files/system-reason.ts";
import { pathError } from "./manifest.ts";

/** Text is buffered up to about this many characters. */
const PIECE = 65_536;

/** Creates a new file; one of that name must not exist. @throws ExchangeError `MOVEDEX_EXPORT_WRITE` */
export function createHashedFile(path: string) {
  const descriptor = attempt(path, () => openSync(path, "wx"));
  const hash = createHash("sha256");
  let bytes = 0;
  let text = "";
  let isOpen = true;
  const put = (data: Uint8Array): void => {
    hash.update(data);
    attempt(path, () => writeFileSync(descriptor, data));
    bytes += data.length;
  };
  const flush = (): void => {
    if (text !== "") put(Buffer.from(text, "utf8"));
    text = "";
  };
  const release = (): void => {
    if (isOpen) closeSync(descriptor);
    isOpen = false;
  };
  return {
    write: (data: Uint8Array | string): void => {
      if (typeof data === "string") {
        text += data;
        if (text.length >= PIECE) flush();
        return;
      }
      flush();
      put(data);
    },
    /** Flushes everything to the disk. `sha256` is 64 hex digits. */
    close: (): { readonly bytes: number; readonly sha256: string } => {
      flush();
      attempt(path, () => fsyncSync(descriptor));
      release();
      return { bytes, sha256: hash.digest("hex") };
    },
    /** Closes a file that was not finished. */
    [Symbol.dispose]: release,
  };
}

export type HashedFile = ReturnType<typeof createHashedFile>;

/** Runs an operation on a file. @throws ExchangeError `MOVEDEX_EXPORT_WRITE` with the path if it fails */
export function attempt<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    const { code: reason = String(error) } = error as NodeJS.ErrnoException;
    const text = `could not write \`${path}\`: ${systemReason(error)}. What was exported before is untouched; mend the cause and run the same command again.`;
    throw pathError(path, "MOVEDEX_EXPORT_WRITE", text, { reason }, error);
  }
}
