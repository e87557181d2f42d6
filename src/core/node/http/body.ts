import { promisify } from "node:util";
import {
  brotliDecompress,
  brotliDecompressSync,
  gunzip,
  gunzipSync,
  inflate,
  inflateSync,
  zstdDecompress,
  zstdDecompressSync,
} from "node:zlib";
import { AnswerFault } from "../protocol/node-error.ts";

/**
 * Sizes and times that bound every request to a node. `openNode` takes others; tests make them small. The largest real accounts are 15 MB
 * of JSON; the ABIs of 1,889 real modules are 848,022 values in 12.8 MB, 8 deep. A node walks all resources to list modules, so it may be
 * silent for long.
 */
export const nodeLimits = {
  /** Bytes of one answer as they come over the wire. */
  wireBytes: 32 * 1024 * 1024,
  /** Bytes of one answer once decompressed. */
  bodyBytes: 64 * 1024 * 1024,
  /** Values and depth of one answer in JSON, checked before it is parsed. */
  json: { values: 2_000_000, depth: 64 },
  connectTimeoutMs: 10_000,
  /** Silence before the headers, and between two pieces of the body. */
  silenceTimeoutMs: 30_000,
  /** One attempt, from sending to the last byte. */
  attemptTimeoutMs: 120_000,
  /** Attempts at one request, whatever made them fail. */
  attempts: 100,
  /** One request with all its attempts and waits. */
  requestTimeoutMs: 3_600_000,
  /** Pages of one account's modules, and modules on all of them. */
  pages: 20_000,
  modules: 100_000,
};

export type NodeLimits = Readonly<typeof nodeLimits>;

type Bound = { readonly maxOutputLength: number; readonly chunkSize?: number; readonly info?: boolean };
/** What Node gives with `info`. */
type Informed = { readonly buffer: Uint8Array; readonly engine: { _outBuffer?: unknown } };
type Decompressor = readonly [
  now: (packed: Uint8Array, bound: Bound) => Uint8Array,
  inThread: (packed: Uint8Array, bound: Bound) => Promise<Uint8Array>,
];

const gzip: Decompressor = [gunzipSync, promisify(gunzip)];
const decompressors = new Map<string, Decompressor>([
  ["gzip", gzip],
  ["x-gzip", gzip],
  ["deflate", [inflateSync, promisify(inflate)]],
  ["br", [brotliDecompressSync, promisify(brotliDecompress)]],
  ["zstd", [zstdDecompressSync, promisify(zstdDecompress)]],
]);

// The thread pool costs 0.1 ms of processor time for each body, three times as much as decompressing an account's modules. So small bodies
// are decompressed in place, as long as the result is small too.
const SMALL_BYTES = 64 * 1024;
const SMALL_PLAIN_BYTES = 1024 * 1024;

/** What a body is taken to grow to where it does not say so. */
const USUAL_RATIO = 4;
/** A buffer that is filled to its end is taken for one that was too small; and zlib takes none below this. */
const SPARE_BYTES = 64;

/**
 * The encodings that movedex undoes. On pages of a few kB brotli is little smaller than gzip and costs 10 % more processor time a
 * night. Weights have no blanks, as the node's parser needs (node-contract, section 1.4).
 */
export const ACCEPT_ENCODING = "gzip, zstd;q=0.9, br;q=0.8, deflate;q=0.5";

const LAYERS_MAX = 2;

/**
 * A body with its `Content-Encoding` undone. Faults: `too_large` when that would be more than `limit` bytes, of which no
 * more are ever made; `cut` for a body that ends early; `bad_answer` for one that is not in the encoding it names.
 */
export async function decompressBody(body: Uint8Array, contentEncoding: string | undefined, limit: number): Promise<Uint8Array> {
  if (contentEncoding === undefined || body.length === 0) return body;
  const layers = contentEncoding
    .toLowerCase()
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "" && name !== "identity");
  if (layers.length > LAYERS_MAX) throw new AnswerFault("bad_answer", `the body is compressed ${layers.length} times over`);
  let plain = body;
  for (const name of layers.reverse()) {
    const decompressor = decompressors.get(name);
    if (!decompressor) throw new AnswerFault("bad_answer", `the body is compressed as \`${name}\`, which was not asked for`);
    const [now, inThread] = decompressor;
    try {
      plain = decompressSmall(now, plain, name, limit) ?? (await inThread(plain, { maxOutputLength: limit }));
    } catch (error) {
      throw decompressionFault(error, name, limit);
    }
  }
  return plain;
}

function decompressSmall(now: Decompressor[0], packed: Uint8Array, name: string, limit: number): Uint8Array | undefined {
  if (packed.length > SMALL_BYTES) return undefined;
  // One buffer of the right size instead of several that are joined, which would be three times the work for the garbage collector.
  // A gzip body ends with its plain size, little-endian (RFC 1952, section 2.3.1), true or not.
  const told = name.endsWith("gzip") && packed.length > 4 ? Buffer.from(packed.subarray(-4)).readUInt32LE() : USUAL_RATIO * packed.length;
  const chunkSize = Math.min(SMALL_BYTES, Math.max(told, packed.length) + SPARE_BYTES);
  try {
    const made = now(packed, { maxOutputLength: Math.min(limit, SMALL_PLAIN_BYTES), chunkSize, info: true }) as unknown as Informed;
    // Node's engine and its native part hold each other, so that V8 frees them with the old generation only, and with them what they made:
    // all bodies of a night. Where a Node calls this field by another name they are kept longer.
    made.engine._outBuffer = undefined;
    return made.buffer;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE") return undefined;
    throw error;
  }
}

function decompressionFault(error: unknown, name: string, limit: number): AnswerFault {
  const code = (error as NodeJS.ErrnoException).code ?? "";
  if (code === "ERR_BUFFER_TOO_LARGE") return new AnswerFault("too_large", `the decompressed body is larger than ${limit} bytes`);
  const kind = code === "Z_BUF_ERROR" || /end of file|incomplete|truncated/i.test(String(error)) ? "cut" : "bad_answer";
  return new AnswerFault(kind, `the body cannot be decompressed as ${name}`, {}, error);
}
