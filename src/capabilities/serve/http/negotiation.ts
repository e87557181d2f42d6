import { promisify } from "node:util";
import { brotliCompress, brotliCompressSync, constants, gzip, gzipSync, zstdCompress, zstdCompressSync } from "node:zlib";

/** The two formats in which the ledger's data is answered. */
export type BodyFormat = "json" | "bcs";

const formats: Readonly<Record<string, BodyFormat>> = { "application/json": "json", "application/x-bcs": "bcs" };

/**
 * The format that an `Accept` header selects on a node: its first item that is exactly one of the two media types, without
 * parameters; else JSON. Source: aptos-core `api/src/accept_type.rs`, and a node's answers.
 */
export function negotiateFormat(accept: string | undefined): BodyFormat {
  // An item without parameters has the full weight, so the first such item is also the heaviest.
  const items = (accept ?? "").split(",").map((item) => item.trim().toLowerCase().replace(/;$/, ""));
  return formats[items.find((item) => Object.hasOwn(formats, item)) ?? ""] ?? "json";
}

/** A content encoding that this service can produce. */
export type Encoding = "zstd" | "br" | "gzip";

// The cheapest first: at these levels zstd makes a page of modules as small as brotli does, in a third of the time.
const encodings: readonly Encoding[] = ["zstd", "br", "gzip"];
/** Items of an `Accept-Encoding` header that are looked at. */
const MAX_ITEMS = 20;

/** The encoding that an `Accept-Encoding` header allows: the heaviest, then the cheapest; undefined for none. `*` alone is gzip. */
export function negotiateEncoding(acceptEncoding: string | undefined): Encoding | undefined {
  if (acceptEncoding === undefined || acceptEncoding === "identity") return undefined;
  const weights = new Map<string, number>();
  for (const item of acceptEncoding.split(",").slice(0, MAX_ITEMS)) {
    const name = (item.split(";", 1)[0] as string).trim().toLowerCase();
    if (!weights.has(name)) weights.set(name, Number(/;\s*q=([0-9]+(?:\.[0-9]+)?)/i.exec(item)?.[1] ?? 1));
  }
  const weightFor = (encoding: Encoding): number => weights.get(encoding) ?? (encoding === "gzip" ? (weights.get("*") ?? 0) : 0);
  const [best] = encodings.toSorted((a, b) => weightFor(b) - weightFor(a)) as [Encoding];
  const weight = weightFor(best);
  return weight > 0 && weight >= (weights.get("identity") ?? 0) ? best : undefined;
}

// Middle levels of brotli and gzip: higher ones cost more time than the saved bytes are worth for a body compressed once.
const brotli = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };
const gzipped = { level: 5 };

/** Ways to compress a body: on the event loop, and on the thread pool. */
type Compressor = {
  readonly now: (body: Uint8Array) => Buffer;
  readonly later: (body: Uint8Array) => Promise<Buffer>;
};

const [zstdLater, brotliLater, gzipLater] = [promisify(zstdCompress), promisify(brotliCompress), promisify(gzip)];

export const compressors: Readonly<Record<Encoding, Compressor>> = {
  zstd: { now: (body) => zstdCompressSync(body), later: (body) => zstdLater(body) },
  br: {
    now: (body) => brotliCompressSync(body, brotli),
    later: (body) => brotliLater(body, brotli),
  },
  gzip: { now: (body) => gzipSync(body, gzipped), later: (body) => gzipLater(body, gzipped) },
};

/** Smaller bodies are sent as they are: they fit into one packet either way. */
export const COMPRESS_FROM_BYTES = 1024;

/**
 * Smaller bodies are compressed on the event loop, which takes a millisecond or two; larger ones on the thread pool. There each has a
 * codec of its own, and a burst of requests would have a thousand of them at once.
 */
export const COMPRESS_INLINE_BYTES = 64 * 1024;
