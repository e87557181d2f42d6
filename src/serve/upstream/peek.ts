import type { Readable } from "node:stream";

/** The beginning of a body; `isWhole` when there is no more. */
export type Peeked = { readonly bytes: Buffer; readonly isWhole: boolean };

/**
 * Reads a body until it ends or has more than `limit` bytes. Of a longer body, what was read is put back: the stream
 * still gives all of it. Rejects as the stream does.
 */
export function peek(body: Readable, limit: number): Promise<Peeked> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const settle = (isWhole: boolean): void => {
      body.off("readable", onReadable);
      body.off("end", onEnd);
      body.off("error", reject);
      body.off("close", onClose);
      const read = Buffer.concat(chunks);
      if (!isWhole) body.unshift(read);
      resolve({ bytes: read, isWhole });
    };
    const onReadable = (): void => {
      for (let chunk = body.read() as Buffer | null; chunk !== null; chunk = body.read() as Buffer | null) {
        chunks.push(chunk);
        bytes += chunk.length;
        if (bytes > limit) {
          settle(false);
          return;
        }
      }
    };
    const onEnd = (): void => settle(true);
    const onClose = (): void => reject(new Error("the body was closed before its end"));
    body.on("readable", onReadable);
    body.on("end", onEnd);
    body.on("error", reject);
    body.on("close", onClose);
  });
}
