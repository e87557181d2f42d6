import type { Transform } from "node:stream";
import { promisify } from "node:util";
import { brotliCompress, constants, createBrotliCompress, createGzip, createZstdCompress, gzip, zstdCompress } from "node:zlib";
import type { Encoding } from "./negotiation.ts";

// Middle levels of brotli and gzip: higher ones cost more time than the saved bytes are worth for a body compressed once.
const brotli = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };
const gzipped = { level: 5 };

/** Ways to compress a body: as a whole, on the thread pool, and as it comes. */
type Compressor = { readonly whole: (body: Uint8Array) => Promise<Buffer>; readonly stream: () => Transform };

const [zstdWhole, brotliWhole, gzipWhole] = [promisify(zstdCompress), promisify(brotliCompress), promisify(gzip)];

export const compressors: Readonly<Record<Encoding, Compressor>> = {
  zstd: { whole: (body) => zstdWhole(body), stream: () => createZstdCompress() },
  br: { whole: (body) => brotliWhole(body, brotli), stream: () => createBrotliCompress(brotli) },
  gzip: { whole: (body) => gzipWhole(body, gzipped), stream: () => createGzip(gzipped) },
};

/** Smaller bodies are sent as they are: they fit into one packet either way. */
export const COMPRESS_FROM_BYTES = 1024;

/** Smaller bodies take a millisecond or two, so they need no place among the heavy work. */
export const COMPRESS_LIGHT_BYTES = 64 * 1024;
