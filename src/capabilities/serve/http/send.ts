import { hash } from "node:crypto";
import type { Readable } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import { type Answer, overloaded } from "./answer.ts";
import type { Limit } from "./bounds.ts";
import { cursorHeaders, ledgerHeaders, sourceHeaders, VARY } from "./headers.ts";
import { COMPRESS_FROM_BYTES, COMPRESS_INLINE_BYTES, compressors, type Encoding, negotiateEncoding } from "./negotiation.ts";

const cacheControl = {
  // A sealed version never changes, but the ledger headers do with each seal, and the ABI with `--node-generation`, which is
  // not in the URL: so a cache asks again after a minute, which costs it a 304.
  sealed: "public, max-age=60",
  revalidate: "no-cache",
  no_store: "no-store",
} as const;

// Many bodies and answers stay in memory for longer than one request: what is made of one is kept with it.
const digests = new WeakMap<Uint8Array, string>();
const headersOfAnswers = new WeakMap<Answer, Readonly<Record<string, string>>>();
type Packed = { readonly bodies: WeakMap<Uint8Array, Uint8Array | Promise<Uint8Array>>; readonly answers: WeakMap<Answer, Answer> };
const emptyPacked = (): Packed => ({ bodies: new WeakMap(), answers: new WeakMap() });
const packed: Readonly<Record<Encoding, Packed>> = { zstd: emptyPacked(), br: emptyPacked(), gzip: emptyPacked() };

/** An answer with its body in the encoding that the client takes, if that is worth it; 503 when too many wait for that. */
export async function pack(answer: Answer, { headers }: Pick<FastifyRequest, "headers">, heavyWork: Limit): Promise<Answer> {
  const { status, body } = answer;
  const encoding = status !== 200 || body.length < COMPRESS_FROM_BYTES ? undefined : negotiateEncoding(headers["accept-encoding"]);
  if (encoding === undefined) return answer;
  const { bodies, answers } = packed[encoding];
  const known = answers.get(answer);
  if (known !== undefined) return known;
  const { now, later } = compressors[encoding];
  const make = async (): Promise<Uint8Array> => {
    const made = bodies.get(body) ?? (body.length < COMPRESS_INLINE_BYTES ? now(body) : later(body));
    bodies.set(body, made);
    return made;
  };
  const made = await (body.length < COMPRESS_INLINE_BYTES ? make() : heavyWork(make));
  if (made === undefined) return overloaded();
  const ready = { ...answer, packed: { encoding, body: made } };
  answers.set(answer, ready);
  return ready;
}

/** Sends an answer, or `stream` in the place of its body; without a body to a client that has it. */
export function send(
  { headers: asked }: Pick<FastifyRequest, "headers">,
  reply: FastifyReply,
  answer: Answer,
  stream?: Readable,
): FastifyReply {
  const { status, body, packed, operation = reply.operation } = answer;
  const headers = headersOfAnswers.get(answer) ?? headersOf(answer);
  headersOfAnswers.set(answer, headers);
  reply.operation = operation;
  if (!isKnown(headers["etag"], asked["if-none-match"])) {
    reply.code(status).headers(headers);
    return reply.send(stream ?? packed?.body ?? body);
  }
  const { "content-type": _, "content-encoding": __, ...known } = headers;
  return reply.code(304).headers(known).send();
}

function headersOf({ status, contentType, body, head, cursor, observedAt, cacheRule, packed, headers }: Answer): Record<string, string> {
  return {
    "content-type": contentType,
    "cache-control": status === 200 ? cacheControl[cacheRule] : cacheControl.no_store,
    ...(status === 200 && cacheRule !== "no_store" ? { etag: etagOf(body, packed?.encoding), vary: VARY } : {}),
    ...(packed === undefined ? {} : { "content-encoding": packed.encoding }),
    ...(head === undefined ? {} : ledgerHeaders(head)),
    ...(cursor === undefined ? {} : cursorHeaders(cursor)),
    ...(observedAt === undefined ? {} : { [sourceHeaders.observedAt]: observedAt.join(", ") }),
    ...(observedAt === undefined || observedAt.length === 1 ? {} : { [sourceHeaders.inferred]: "true" }),
    [sourceHeaders.source]: "archive",
    "x-content-type-options": "nosniff",
    ...headers,
  };
}

/** An entity tag for exactly these bytes: each encoding has its own. */
function etagOf(body: Uint8Array, encoding: Encoding | undefined): string {
  const digest = digests.get(body) ?? hash("sha256", body, "base64url").slice(0, 22);
  digests.set(body, digest);
  return `"${digest}${encoding === undefined ? "" : `-${encoding}`}"`;
}

function isKnown(etag: string | undefined, known = ""): boolean {
  return etag !== undefined && known.split(",").some((item) => item.trim() === "*" || item.trim().replace(/^W\//, "") === etag);
}
