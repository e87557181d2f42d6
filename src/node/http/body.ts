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

type Bound = { readonly maxOutputLength: number; readonly chunkSize?: number };
type Coder = {
  /** The plain size as the compressed bytes give it, true or not; undefined where they give none. */
  readonly toldSize?: (compressed: Uint8Array) => number | undefined;
  readonly now: (compressed: Uint8Array, bound: Bound) => Uint8Array;
  readonly later: (compressed: Uint8Array, bound: Bound) => Promise<Uint8Array>;
};

// Its last four bytes, little-endian (RFC 1952, section 2.3.1).
const gzip: Coder = {
  toldSize: (packed) =>
    packed.length < 4 ? undefined : new DataView(packed.buffer, packed.byteOffset + packed.length - 4, 4).getUint32(0, true),
  now: gunzipSync,
  later: promisify(gunzip),
};
const coders = new Map<string, Coder>([
  ["gzip", gzip],
  ["x-gzip", gzip],
  ["deflate", { now: inflateSync, later: promisify(inflate) }],
  ["br", { now: brotliDecompressSync, later: promisify(brotliDecompress) }],
  ["zstd", { now: zstdDecompressSync, later: promisify(zstdDecompress) }],
]);

// Handing a body to the thread pool costs 0.1 ms of processor time, five times as much as decompressing an account's modules.
// So small bodies are decompressed in place, as long as the result is small too: 128 KiB take 0.3 ms.
const SMALL_COMPRESSED = 64 * 1024;
const SMALL_PLAIN = 1024 * 1024;

/**
 * The encodings that movedex undoes. On pages of a few kB brotli is little smaller than gzip and costs 10 % more processor time a
 * night. Weights have no blanks, as the node's parser needs (node-contract, section 1.4).
 */
export const ACCEPT_ENCODING = "gzip, zstd;q=0.9, br;q=0.8, deflate;q=0.5";

/** What a body is taken to grow to where it does not say so. */
const USUAL_RATIO = 4;

/** A buffer that is filled to its end is taken for one that was too small; and zlib takes none below this. */
const SPARE_BYTES = 64;

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
    const coder = coders.get(name);
    if (!coder) throw new AnswerFault("bad_answer", `the body is compressed as \`${name}\`, which was not asked for`);
    try {
      plain = decompressSmall(coder, plain, limit) ?? (await coder.later(plain, { maxOutputLength: limit }));
    } catch (error) {
      throw decompressionFault(error, name, limit);
    }
  }
  return plain;
}

function decompressSmall(coder: Coder, compressed: Uint8Array, limit: number): Uint8Array | undefined {
  if (compressed.length > SMALL_COMPRESSED) return undefined;
  // The result is a view of this buffer and waits with it to be stored, so that what is too much of it is memory of the whole crawl.
  const size = Math.max(coder.toldSize?.(compressed) ?? USUAL_RATIO * compressed.length, compressed.length);
  try {
    return coder.now(compressed, {
      maxOutputLength: Math.min(limit, SMALL_PLAIN),
      chunkSize: Math.min(64 * 1024, size + SPARE_BYTES),
    });
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
