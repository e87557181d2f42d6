import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from "fastify";
import { contentTypes, frameworkError, harmless } from "./http/answer.ts";
import { otherMethods } from "./http/app.ts";
import { toldHeaders } from "./http/headers.ts";
import { openSegments, splitTarget, whenClosed } from "./http/request-parts.ts";
import { send } from "./http/send.ts";
import { decodeSegment, parseQuery } from "./operations/parameters.ts";
import type { ApiRequest, Responder } from "./responder.ts";
import type { Route } from "./routes.ts";

const notAllowed = frameworkError(405, "method not allowed", { allow: "GET, HEAD" });

/** Routes as a fastify plugin: GET and HEAD are answered, other methods refused in the node's words. */
export function routesPlugin(routes: readonly Route[], answering: Responder): FastifyPluginAsync {
  return async (app) => {
    for (const route of routes) {
      const url = route.path.replace(/\{(\w+)\}/g, ":$1");
      const config = { operation: route.name, isAlwaysAnswered: route.asks === undefined };
      const handler = async (request: FastifyRequest, reply: FastifyReply) =>
        send(request, reply, await answering(read(route, request, reply)));
      const refuse = (request: FastifyRequest, reply: FastifyReply) => send(request, reply, notAllowed);
      app.route({ method: ["GET", "HEAD"], url, config, preHandler: requireSegments, handler });
      app.route({ method: [...otherMethods], url, config, preHandler: requireSegments, handler: refuse });
    }
  };
}

/** The ledger node's API, to be registered below `/v1`: its routes, open to pages of any origin, and nothing that a browser would run. */
export function apiPlugin(routes: readonly Route[], answering: Responder): FastifyPluginAsync {
  return async (app, options) => {
    app.addHook("onRequest", allowAnyOrigin);
    app.addHook("onSend", (_request, reply, payload, done) => {
      reply.headers(harmless);
      done(null, payload);
    });
    app.setNotFoundHandler((request, reply) => send(request, reply, frameworkError(404, "not found")));
    await routesPlugin(routes, answering)(app, options);
  };
}

function read(route: Route, request: FastifyRequest, reply: FastifyReply): ApiRequest {
  return {
    ...route,
    target: request.originalUrl,
    headers: request.headers,
    parts: openSegments(request).map(decodeSegment),
    query: parseQuery(splitTarget(request).search),
    get signal() {
      return whenClosed(reply);
    },
  };
}

/** The router accepts an empty last segment; a node has no such path. For an inner segment, answer with the node's error. */
function requireSegments(request: FastifyRequest, reply: FastifyReply, done: () => void): void {
  if (openSegments(request).includes("") && splitTarget(request).path.endsWith("/")) {
    reply.operation = "none";
    reply.callNotFound();
  } else done();
}

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
function allowAnyOrigin(request: FastifyRequest, reply: FastifyReply, done: () => void): void {
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
