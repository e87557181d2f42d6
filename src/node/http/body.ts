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

type Bound = { readonly maxOutputLength: number };
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

// The thread pool costs 0.1 ms of processor time for each body, three times as much as decompressing an account's modules. The most that
// so few bytes can become, 64 MiB, takes 0.3 s.
const SMALL_BYTES = 64 * 1024;

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
      plain = await (plain.length <= SMALL_BYTES ? now : inThread)(plain, { maxOutputLength: limit });
    } catch (error) {
      throw decompressionFault(error, name, limit);
    }
  }
  return plain;
}

function decompressionFault(error: unknown, name: string, limit: number): AnswerFault {
  const code = (error as NodeJS.ErrnoException).code ?? "";
  if (code === "ERR_BUFFER_TOO_LARGE") return new AnswerFault("too_large", `the decompressed body is larger than ${limit} bytes`);
  const kind = code === "Z_BUF_ERROR" || /end of file|incomplete|truncated/i.test(String(error)) ? "cut" : "bad_answer";
  return new AnswerFault(kind, `the body cannot be decompressed as ${name}`, {}, error);
}
