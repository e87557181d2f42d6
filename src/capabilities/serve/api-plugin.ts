import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from "fastify";
import { frameworkError, harmless } from "./http/answer.ts";
import { otherMethods } from "./http/app.ts";
import { allowAnyOrigin } from "./http/cors.ts";
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
