import { promisify } from "node:util";
import { brotliCompress, brotliCompressSync, constants, gzip, gzipSync, zstdCompress, zstdCompressSync } from "node:zlib";
import type { Packing } from "./negotiation.ts";

// Brotli's and gzip's middle levels: above them an answer that is packed once costs more than it ever saves.
const brotli = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };
const gzipped = { level: 5 };

type Packer = { readonly now: (body: Uint8Array) => Buffer; readonly later: (body: Uint8Array) => Promise<Buffer> };

const [zstdLater, brotliLater, gzipLater] = [promisify(zstdCompress), promisify(brotliCompress), promisify(gzip)];
const packers: Readonly<Record<Packing, Packer>> = {
  zstd: { now: (body) => zstdCompressSync(body), later: (body) => zstdLater(body) },
  br: { now: (body) => brotliCompressSync(body, brotli), later: (body) => brotliLater(body, brotli) },
  gzip: { now: (body) => gzipSync(body, gzipped), later: (body) => gzipLater(body, gzipped) },
};

/** Bodies below this stay as they are: a packet carries them either way. */
export const PACKED_FROM_BYTES = 1024;

/** Bodies below this are packed at once, which takes a millisecond or two; larger ones off the event loop. */
export const PACKED_AT_ONCE_BYTES = 64 * 1024;

/** A small body, packed. */
export function packNow(body: Uint8Array, packing: Packing): Buffer {
  return packers[packing].now(body);
}

/** A body of any size, packed off the event loop. */
export function packLater(body: Uint8Array, packing: Packing): Promise<Buffer> {
  return packers[packing].later(body);
}
