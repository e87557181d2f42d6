import type { IncomingHttpHeaders } from "node:http";
import { isUnavailable } from "../../core/db/engine/errors.ts";
import { type Answer, apiError, archiveAway, frameworkError, ParameterError } from "./http/answer.ts";
import { byteCache } from "./http/bounds.ts";
import { negotiateFormat } from "./http/negotiation.ts";
import { pack } from "./http/send.ts";
import type { ArchiveCache } from "./operations/archive-cache.ts";
import type { ArchiveSource } from "./operations/archive-source.ts";
import type { Query } from "./operations/parameters.ts";
import { OversizedError } from "./operations/served-archive.ts";
import type { Service } from "./operations/service.ts";
import type { Route } from "./routes.ts";

export type ApiRequest = Route & {
  /** Path and query as sent: `/v1/accounts/0x1/modules?limit=7`. */
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
  /** The open segments of the path, decoded. */
  readonly parts: readonly string[];
  readonly query: Query;
  /** Aborted when the client goes away. */
  readonly signal: AbortSignal;
};

/** Turns a request into an answer. Never throws because of what a client sent. */
export type Responder = (request: ApiRequest) => Promise<Answer>;

/** Bytes that a cached answer takes besides its body. */
const CACHED_OVERHEAD_BYTES = 2500;
/** Larger bodies are not cached under each way to ask for them: pages are cached already, and a few would fill the cache. */
const CACHED_BODY_BYTES = 512 * 1024;

/** Makes the responder of a service: calls the operation, caches, compresses. */
export function makeResponder(source: ArchiveSource, surroundings: Omit<Service, "cache">): Responder {
  const answers = byteCache<Answer>(surroundings.limits.answerCacheBytes);

  const answerTo = async (cache: ArchiveCache, request: ApiRequest): Promise<Answer> => {
    const { target, headers, parts, query, operation, isApart } = request;
    const head = isApart ? undefined : await cache.head();
    const format = negotiateFormat(headers.accept);
    const key = `${cache.number} ${cache.serial()} ${format} ${target}`;
    const cached = answers.get(key);
    if (cached !== undefined) {
      surroundings.metrics.count("kept_answers");
      return cached;
    }
    try {
      const answer = await operation({ ...surroundings, cache }, { format, parts, query, head });
      const { status, cacheRule, body } = answer;
      const isKept = status === 200 && cacheRule !== "no_store" && body.length <= CACHED_BODY_BYTES;
      // Twice its size: its compressed forms are kept with it.
      if (isKept) answers.set(key, answer, 2 * (body.length + key.length) + CACHED_OVERHEAD_BYTES);
      return answer;
    } catch (error) {
      if (error instanceof OversizedError) return apiError(500, "internal_error", error.message, head);
      if (error instanceof ParameterError) return frameworkError(400, error.message);
      throw error;
    }
  };
  return async (request) => {
    try {
      const answer = await source.use((cache) => answerTo(cache, request));
      return await pack(answer, request, surroundings.heavyWork);
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      return archiveAway();
    }
  };
}
