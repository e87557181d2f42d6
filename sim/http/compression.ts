import { brotliCompressSync, constants, deflateSync, gzipSync } from "node:zlib";
import type { Answer } from "./answer.ts";
import type { ContentEncoding } from "./negotiation.ts";

const CACHE_BYTES = 64 * 1024 * 1024;

/** Compresses bodies and keeps the results of those that can be told apart by key, up to 64 MiB, oldest out first. */
export class Compressor {
  readonly #kept = new Map<string, Uint8Array>();
  #bytes = 0;

  compress(answer: Answer, encoding: ContentEncoding): Uint8Array {
    const key = answer.cacheKey === undefined ? undefined : `${encoding}/${answer.cacheKey}`;
    const kept = key === undefined ? undefined : this.#kept.get(key);
    if (kept) return kept;
    const packed = pack(answer.body, encoding);
    if (key !== undefined) this.#keep(key, packed);
    return packed;
  }

  #keep(key: string, packed: Uint8Array): void {
    this.#kept.set(key, packed);
    this.#bytes += packed.length;
    for (const [oldest, bytes] of this.#kept) {
      if (this.#bytes <= CACHE_BYTES) return;
      this.#kept.delete(oldest);
      this.#bytes -= bytes.length;
    }
  }
}

/** Bytes in a content encoding: brotli at its fastest level, the others at their default, as a node does. */
function pack(body: Uint8Array, encoding: ContentEncoding): Uint8Array {
  if (encoding === "br") return brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } });
  return encoding === "gzip" ? gzipSync(body) : deflateSync(body);
}
