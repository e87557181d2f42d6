import { brotliDecompressSync, gunzipSync, inflateSync, zstdDecompressSync } from "node:zlib";
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
  /** One attempt, from sending to the last byte: it ends at the first piece that comes later. */
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

type Decompress = (packed: Uint8Array, bound: { maxOutputLength: number; chunkSize: number; info: true }) => unknown;
/** What Node gives with `info`. */
type Informed = { readonly buffer: Uint8Array; readonly engine: { _outBuffer?: unknown } };

const decompressors: ReadonlyMap<string, Decompress> = new Map<string, Decompress>([
  ["gzip", gunzipSync],
  ["x-gzip", gunzipSync],
  ["deflate", inflateSync],
  ["br", brotliDecompressSync],
  ["zstd", zstdDecompressSync],
]);

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
export function decompressBody(body: Uint8Array, contentEncoding: string | undefined, limit: number): Uint8Array {
  if (contentEncoding === undefined || body.length === 0) return body;
  const layers = contentEncoding
    .toLowerCase()
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "" && name !== "identity");
  if (layers.length > LAYERS_MAX) throw new AnswerFault("bad_answer", `the body is compressed ${layers.length} times over`);
  return layers.reduceRight((packed, name) => decompress(packed, name, limit), body);
}

/** What a body is taken to grow to where it does not say so, and the largest buffer that is made for it at once. */
const USUAL_RATIO = 4;
const CHUNK_MAX = 64 * 1024;
/** A buffer that is filled to its end is taken for one that was too small; and zlib takes none below this. */
const SPARE_BYTES = 64;

/** In place, since the thread pool costs 0.1 ms for each body: three times as much as decompressing an account's modules. */
function decompress(packed: Uint8Array, name: string, limit: number): Uint8Array {
  const run = decompressors.get(name);
  if (!run) throw new AnswerFault("bad_answer", `the body is compressed as \`${name}\`, which was not asked for`);
  // One buffer of the right size instead of several that are joined, which would be three times the work for the garbage collector.
  // A gzip body ends with its plain size, little-endian (RFC 1952, section 2.3.1), true or not.
  const plain = name.endsWith("gzip") && packed.length > 4 ? Buffer.from(packed.subarray(-4)).readUInt32LE() : USUAL_RATIO * packed.length;
  const chunkSize = Math.min(CHUNK_MAX, Math.max(plain, packed.length) + SPARE_BYTES);
  try {
    const made = run(packed, { maxOutputLength: limit, chunkSize, info: true }) as Informed;
    // Node's engine and its native part hold each other, so that V8 frees them with the old generation only, and with them what they made:
    // all bodies of a night. Where a Node calls this field by another name they are kept longer.
    made.engine._outBuffer = undefined;
    return made.buffer;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? "";
    if (code === "ERR_BUFFER_TOO_LARGE") throw new AnswerFault("too_large", `the decompressed body is larger than ${limit} bytes`);
    const kind = code === "Z_BUF_ERROR" || /end of file|incomplete|truncated/i.test(String(error)) ? "cut" : "bad_answer";
    throw new AnswerFault(kind, `the body cannot be decompressed as ${name}`, {}, error);
  }
}
