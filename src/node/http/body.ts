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
import { AnswerFault } from "../answers/answer-fault.ts";

type Bound = { readonly maxOutputLength: number; readonly chunkSize?: number };
type Coder = {
  readonly now: (packed: Uint8Array, bound: Bound) => Uint8Array;
  readonly later: (packed: Uint8Array, bound: Bound) => Promise<Uint8Array>;
};

const gzip: Coder = { now: gunzipSync, later: promisify(gunzip) };
const coders = new Map<string, Coder>([
  ["gzip", gzip],
  ["x-gzip", gzip],
  ["deflate", { now: inflateSync, later: promisify(inflate) }],
  ["br", { now: brotliDecompressSync, later: promisify(brotliDecompress) }],
  ["zstd", { now: zstdDecompressSync, later: promisify(zstdDecompress) }],
]);

// A trip to the thread pool costs 0.1 ms of processor, five times what unpacking an account's modules does. Small bodies are
// unpacked at once, as long as they stay small: an eighth of a megabyte takes a third of a millisecond.
const SMALL_PACKED = 64 * 1024;
const SMALL_PLAIN = 1024 * 1024;

/**
 * What movedex can unpack. gzip first: over pages of a few kB, brotli packs little better and costs the client a tenth more
 * processor for the whole night. Weights are spelled as the node's own parser wants them, without blanks (node-contract, section 1.4).
 */
export const ACCEPT_ENCODING = "gzip, zstd;q=0.9, br;q=0.8, deflate;q=0.5";

const MOST_LAYERS = 2;

/**
 * A body as it was before its `Content-Encoding`. Never makes more than `limit` bytes of it: `too_large` beyond. A body that
 * ends too early is `cut`, one that is not what it says is `bad_answer`.
 */
export async function unpackBody(body: Uint8Array, contentEncoding: string | undefined, limit: number): Promise<Uint8Array> {
  if (contentEncoding === undefined || body.length === 0) return body;
  const layers = contentEncoding
    .toLowerCase()
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "" && name !== "identity");
  if (layers.length > MOST_LAYERS) throw new AnswerFault("bad_answer", `the body is packed ${layers.length} times`);
  let plain = body;
  for (const name of layers.reverse()) {
    const coder = coders.get(name);
    if (!coder) throw new AnswerFault("bad_answer", `the body is packed as \`${name}\`, which was not asked for`);
    try {
      plain = unpackSmall(coder, plain, limit) ?? (await coder.later(plain, { maxOutputLength: limit }));
    } catch (error) {
      throw unpackFault(error, name, limit);
    }
  }
  return plain;
}

function unpackSmall(coder: Coder, packed: Uint8Array, limit: number): Uint8Array | undefined {
  if (packed.length > SMALL_PACKED) return undefined;
  try {
    return coder.now(packed, { maxOutputLength: Math.min(limit, SMALL_PLAIN), chunkSize: Math.min(64 * 1024, 256 + 4 * packed.length) });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE") return undefined;
    throw error;
  }
}

function unpackFault(error: unknown, name: string, limit: number): AnswerFault {
  const code = (error as NodeJS.ErrnoException).code ?? "";
  if (code === "ERR_BUFFER_TOO_LARGE") return new AnswerFault("too_large", `the unpacked body is larger than ${limit} bytes`);
  const kind = code === "Z_BUF_ERROR" || /end of file|incomplete|truncated/i.test(String(error)) ? "cut" : "bad_answer";
  return new AnswerFault(kind, `the body cannot be unpacked as ${name}`, {}, error);
}
