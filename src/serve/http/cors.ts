import type { FastifyReply, FastifyRequest } from "fastify";
import { contentTypes, frameworkError } from "./answer.ts";
import { headerPrefixes, ledgerHeaderNames, sourceHeaders } from "./ledger-headers.ts";

/**
 * The headers that pages of another origin may read. Named one by one, since browsers take `*` literally for requests
 * with credentials, and the official SDK sends all of its requests so.
 */
const exposedHeaders = [
  ...headerPrefixes.flatMap((prefix) => ledgerHeaderNames.map((name) => prefix + name)),
  ...Object.values(sourceHeaders),
  "x-aptos-archival-endpoint",
  "etag",
  "retry-after",
].join(", ");

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

function answerPreflight({ headers }: FastifyRequest, reply: FastifyReply): void {
  reply.operation = "preflight";
  reply.headers({ "x-movedex-source": "archive", "x-content-type-options": "nosniff", "cache-control": "no-store" });
  const wanted = headers["access-control-request-method"];
  if (wanted !== "GET" && wanted !== "HEAD") {
    const { status, contentType, body } = frameworkError(403, "CORS request forbidden");
    reply.code(status).headers({ "content-type": contentType }).send(body);
    return;
  }
  const asked = headers["access-control-request-headers"];
  reply
    .code(200)
    .headers({
      "content-type": contentTypes.html,
      "access-control-allow-methods": "GET,HEAD",
      "access-control-max-age": "86400",
      ...(typeof asked === "string" && HEADER_NAMES.test(asked) ? { "access-control-allow-headers": asked } : {}),
    })
    .send(Buffer.alloc(0));
}
