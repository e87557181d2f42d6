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

type Compressor = {
  readonly sync: (body: Uint8Array) => Buffer;
  readonly async: (body: Uint8Array) => Promise<Buffer>;
  readonly stream: () => Transform;
};

const [zstdAsync, brotliAsync, gzipAsync] = [promisify(zstdCompress), promisify(brotliCompress), promisify(gzip)];
const compressors: Readonly<Record<Encoding, Compressor>> = {
  zstd: { sync: (body) => zstdCompressSync(body), async: (body) => zstdAsync(body), stream: () => createZstdCompress() },
  br: {
    sync: (body) => brotliCompressSync(body, brotli),
    async: (body) => brotliAsync(body, brotli),
    stream: () => createBrotliCompress(brotli),
  },
  gzip: { sync: (body) => gzipSync(body, gzipped), async: (body) => gzipAsync(body, gzipped), stream: () => createGzip(gzipped) },
};

/** Smaller bodies are sent as they are: they fit into one packet either way. */
export const COMPRESS_FROM_BYTES = 1024;

/** Smaller bodies are compressed on the event loop, which takes a millisecond or two; larger ones on the thread pool. */
export const COMPRESS_INLINE_BYTES = 64 * 1024;

/** Compresses a small body on the event loop. */
export function compressNow(body: Uint8Array, encoding: Encoding): Buffer {
  return compressors[encoding].sync(body);
}

/** Compresses a body of any size on the thread pool. */
export function compressLater(body: Uint8Array, encoding: Encoding): Promise<Buffer> {
  return compressors[encoding].async(body);
}

/** Compresses a body as it comes, on the thread pool. */
export function compressStream(encoding: Encoding): Transform {
  return compressors[encoding].stream();
}
