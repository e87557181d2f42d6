import type { FastifyReply, FastifyRequest } from "fastify";
import { contentTypes, frameworkError } from "./answer.ts";
import { toldHeaders } from "./headers.ts";
import { send } from "./send.ts";

/**
 * The headers that pages of another origin may read. Named one by one, since browsers take `*` literally for requests
 * with credentials, and the official SDK sends all of its requests so.
 */
const exposedHeaders = [...toldHeaders, "etag", "retry-after"].join(", ");

const ORIGIN = /^[!-~]{1,300}$/;
const HEADER_NAMES = /^[A-Za-z0-9!#$%&'*+.^_`|~, -]{1,1000}$/;

/**
 * Hook of the API's routes: any origin may read the answers, and preflights are answered, as a node does (node-contract, section
 * 1.5). Unlike a node it exposes the headers, the cursor among them.
 */
export function allowAnyOrigin(request: FastifyRequest, reply: FastifyReply, done: () => void): void {
  const { method, headers } = request;
  const { origin } = headers;
  reply.header("vary", "Origin");
  const isShared = origin !== undefined && ORIGIN.test(origin);
  if (isShared)
    reply.headers({
      "access-control-allow-origin": origin,
      "access-control-allow-credentials": "true",
      "access-control-expose-headers": exposedHeaders,
    });
  if (isShared && method === "OPTIONS") answerPreflight(request, reply);
  else done();
}

function answerPreflight(request: FastifyRequest, reply: FastifyReply): void {
  const { "access-control-request-method": wanted, "access-control-request-headers": asked } = request.headers;
  reply.operation = "preflight";
  const isGiven = wanted === "GET" || wanted === "HEAD";
  const names = typeof asked === "string" && HEADER_NAMES.test(asked) ? { "access-control-allow-headers": asked } : {};
  const headers = { "access-control-allow-methods": "GET,HEAD", "access-control-max-age": "86400", ...names };
  const allowed = { status: 200, contentType: contentTypes.html, body: Buffer.alloc(0), cacheRule: "no_store", headers } as const;
  send(request, reply, isGiven ? allowed : frameworkError(403, "CORS request forbidden"));
}
