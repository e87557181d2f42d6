import { hash } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { isUnavailable } from "../../core/db/engine/errors.ts";
import {
  type Answer,
  apiError,
  archiveAway,
  type BodyFormat,
  frameworkError,
  overloaded,
  ParameterError,
  type Response,
} from "./http/answer.ts";
import { ByteCache } from "./http/bounds.ts";
import { cursorHeaders, ledgerHeaders, sourceHeaders, VARY } from "./http/headers.ts";
import {
  COMPRESS_FROM_BYTES,
  COMPRESS_INLINE_BYTES,
  compressors,
  type Encoding,
  negotiateEncoding,
  negotiateFormat,
} from "./http/negotiation.ts";
import type { ArchiveCache } from "./operations/archive-cache.ts";
import type { ArchiveSource } from "./operations/archive-source.ts";
import type { Query } from "./operations/parameters.ts";
import { OversizedError } from "./operations/served-code.ts";
import type { Call, Service } from "./operations/service.ts";
import type { Route } from "./routes.ts";

export type ApiRequest = Route & {
  readonly method: "GET" | "HEAD";
  /** Path and query as sent: `/v1/accounts/0x1/modules?limit=7`. */
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
  /** The open segments of the path, decoded. */
  readonly parts: readonly string[];
  readonly query: Query;
  /** Aborted when the client goes away. */
  readonly signal: AbortSignal;
};

/** Turns a request into a response. Never throws because of what a client sent. */
export type Responder = (request: ApiRequest) => Promise<Response>;

const cacheControl = {
  // A sealed version never changes, but the ledger headers do with each seal, and the ABI with `--node-generation`, which is
  // not in the URL: so a cache asks again after a minute, which costs it a 304.
  sealed: "public, max-age=60",
  revalidate: "no-cache",
  no_store: "no-store",
} as const;

/** Bytes that a cached response takes besides its body. */
const CACHED_OVERHEAD_BYTES = 2500;
/** Larger bodies are not cached under each way to ask for them: pages are cached already, and a few would fill the cache. */
const CACHED_BODY_BYTES = 512 * 1024;

/** Makes the responder of a service: calls the operation, adds headers, compresses, caches, answers conditional requests. */
export function makeResponder(source: ArchiveSource, surroundings: Omit<Service, "cache">): Responder {
  const responses = new ByteCache<Response>(surroundings.limits.answerCacheBytes);
  let [served, serial]: [ArchiveCache | undefined, number] = [undefined, -1];

  const respond = async (cache: ArchiveCache, request: ApiRequest): Promise<Response> => {
    const head = request.isApart ? undefined : await cache.head();
    if (cache !== served || cache.serial !== serial) {
      responses.clear();
      [served, serial] = [cache, cache.serial];
    }
    const asOf = serial;
    const encoding = negotiateEncoding(request.headers["accept-encoding"]);
    const format = formatOf(request);
    const key = `${format} ${encoding ?? ""} ${request.target}`;
    const cached = responses.get(key);
    if (cached !== undefined) {
      surroundings.metrics.count("kept_answers");
      return unlessKnown(request, cached);
    }
    const service = { ...surroundings, cache };
    const answer = await answerTo(service, request, { format, parts: request.parts, query: request.query, head });
    const response = await toResponse(service, request.name, answer, encoding);
    const isCached = response.status === 200 && answer.cacheRule !== "no_store" && response.body.length <= CACHED_BODY_BYTES;
    if (isCached && cache === served && asOf === serial)
      responses.set(key, response, response.body.length + key.length * 2 + CACHED_OVERHEAD_BYTES);
    return unlessKnown(request, response);
  };
  return async (request) => {
    try {
      return await source.use((cache) => respond(cache, request));
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      return withHeaders(request.name, archiveAway());
    }
  };
}

async function answerTo(service: Service, { operation }: ApiRequest, call: Call): Promise<Answer> {
  try {
    return await operation(service, call);
  } catch (error) {
    if (error instanceof OversizedError) return apiError(500, "internal_error", error.message, call.head);
    if (error instanceof ParameterError) return frameworkError(400, error.message);
    throw error;
  }
}

/** Adds headers to an answer; `body` is its body in an encoding. */
export function withHeaders(operation: string, answer: Answer, body = answer.body, encoding?: Encoding): Response {
  return { status: answer.status, headers: headersOf(answer, encoding), body, operation };
}

/** Adds headers to an answer and compresses its body, if that is worth it. */
export async function toResponse(
  { heavyWork }: Pick<Service, "heavyWork">,
  operation: string,
  answer: Answer,
  encoding: Encoding | undefined,
): Promise<Response> {
  const { status, body } = answer;
  if (encoding === undefined || status !== 200 || body.length < COMPRESS_FROM_BYTES) return withHeaders(operation, answer);
  if (body.length < COMPRESS_INLINE_BYTES) return withHeaders(operation, answer, compressors[encoding].now(body), encoding);
  const encoded = await heavyWork.run(() => compressOnce(body, encoding));
  return encoded === undefined ? withHeaders(operation, overloaded()) : withHeaders(operation, answer, encoded, encoding);
}

function headersOf(answer: Answer, encoding: Encoding | undefined): Record<string, string> {
  const { status, body, head, cursor, observedAt, cacheRule } = answer;
  return {
    "content-type": answer.contentType,
    "cache-control": status === 200 ? cacheControl[cacheRule] : cacheControl.no_store,
    ...(status === 200 && cacheRule !== "no_store" ? { etag: etagOf(body, encoding), vary: VARY } : {}),
    ...(encoding === undefined ? {} : { "content-encoding": encoding }),
    ...(head === undefined ? {} : ledgerHeaders(head)),
    ...(cursor === undefined ? {} : cursorHeaders(cursor)),
    ...(observedAt === undefined ? {} : { [sourceHeaders.observedAt]: observedAt.join(", ") }),
    ...(observedAt === undefined || observedAt.length === 1 ? {} : { [sourceHeaders.inferred]: "true" }),
    [sourceHeaders.source]: "archive",
    "x-content-type-options": "nosniff",
    ...answer.headers,
  };
}

// Many bodies stay in memory for longer than one answer: what is made of one is kept with it.
const digests = new WeakMap<Uint8Array, string>();
const compressed = { zstd: new WeakMap(), br: new WeakMap(), gzip: new WeakMap() } satisfies Record<
  Encoding,
  WeakMap<Uint8Array, Promise<Uint8Array>>
>;

function compressOnce(body: Uint8Array, encoding: Encoding): Promise<Uint8Array> {
  const known = compressed[encoding].get(body) ?? compressors[encoding].later(body);
  compressed[encoding].set(body, known);
  return known;
}

/** An entity tag for exactly these bytes: each encoding has its own. */
function etagOf(body: Uint8Array, encoding: Encoding | undefined): string {
  const digest = digests.get(body) ?? hash("sha256", body, "base64url").slice(0, 22);
  digests.set(body, digest);
  return `"${digest}${encoding === undefined ? "" : `-${encoding}`}"`;
}

/** 304 without a body if the client already has this body. */
export function unlessKnown(request: Pick<ApiRequest, "headers">, response: Response): Response {
  const known = request.headers["if-none-match"];
  const { etag } = response.headers;
  if (known === undefined || etag === undefined || response.status !== 200) return response;
  const isKnown = known.split(",").some((item) => item.trim() === "*" || item.trim().replace(/^W\//, "") === etag);
  if (!isKnown) return response;
  const { "content-type": _, "content-encoding": __, ...headers } = response.headers;
  return { ...response, status: 304, headers, body: new Uint8Array() };
}

export function formatOf(request: Pick<ApiRequest, "headers">): BodyFormat {
  return negotiateFormat(request.headers.accept);
}
