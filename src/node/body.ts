import { promisify } from "node:util";
import { brotliDecompress, gunzip, inflate, zstdDecompress } from "node:zlib";
import { AnswerFault } from "./answer-fault.ts";

type Unpack = (packed: Uint8Array, options: { maxOutputLength: number }) => Promise<Uint8Array>;

const coders = new Map<string, Unpack>([
  ["gzip", promisify(gunzip)],
  ["x-gzip", promisify(gunzip)],
  ["deflate", promisify(inflate)],
  ["br", promisify(brotliDecompress)],
  ["zstd", promisify(zstdDecompress)],
]);

/** What movedex can unpack, best first: aptos-core's node has the last three, gateways any of them. */
export const ACCEPT_ENCODING = "zstd, br, gzip, deflate";

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
    const unpack = coders.get(name);
    if (!unpack) throw new AnswerFault("bad_answer", `the body is packed as \`${name}\`, which was not asked for`);
    try {
      plain = await unpack(plain, { maxOutputLength: limit });
    } catch (error) {
      throw unpackFault(error, name, limit);
    }
  }
  return plain;
}

function unpackFault(error: unknown, name: string, limit: number): AnswerFault {
  const code = (error as NodeJS.ErrnoException).code ?? "";
  if (code === "ERR_BUFFER_TOO_LARGE") return new AnswerFault("too_large", `the unpacked body is larger than ${limit} bytes`);
  const kind = code === "Z_BUF_ERROR" || /end of file|incomplete|truncated/i.test(String(error)) ? "cut" : "bad_answer";
  return new AnswerFault(kind, `the body cannot be unpacked as ${name}`, {}, error);
}
