import type { Transform } from "node:stream";
import { promisify } from "node:util";
import {
  brotliCompress,
  brotliCompressSync,
  constants,
  createBrotliCompress,
  createGzip,
  createZstdCompress,
  gzip,
  gzipSync,
  zstdCompress,
  zstdCompressSync,
} from "node:zlib";
import type { Encoding } from "./negotiation.ts";

// Middle levels of brotli and gzip: higher ones cost more time than the saved bytes are worth for a body compressed once.
const brotli = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };
const gzipped = { level: 5 };

/** Ways to compress a body: on the event loop, on the thread pool, and as it comes. */
type Compressor = {
  readonly now: (body: Uint8Array) => Buffer;
  readonly later: (body: Uint8Array) => Promise<Buffer>;
  readonly stream: () => Transform;
};

const [zstdLater, brotliLater, gzipLater] = [promisify(zstdCompress), promisify(brotliCompress), promisify(gzip)];

export const compressors: Readonly<Record<Encoding, Compressor>> = {
  zstd: { now: (body) => zstdCompressSync(body), later: (body) => zstdLater(body), stream: () => createZstdCompress() },
  br: {
    now: (body) => brotliCompressSync(body, brotli),
    later: (body) => brotliLater(body, brotli),
    stream: () => createBrotliCompress(brotli),
  },
  gzip: { now: (body) => gzipSync(body, gzipped), later: (body) => gzipLater(body, gzipped), stream: () => createGzip(gzipped) },
};

/** Smaller bodies are sent as they are: they fit into one packet either way. */
export const COMPRESS_FROM_BYTES = 1024;

/**
 * Smaller bodies are compressed on the event loop, which takes a millisecond or two; larger ones on the thread pool. There each has a
 * codec of its own, and a burst of requests would have a thousand of them at once.
 */
export const COMPRESS_INLINE_BYTES = 64 * 1024;
