import { METHODS, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { Readable } from "node:stream";
import rateLimit from "@fastify/rate-limit";
import fastify, { type FastifyError, type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import type { Clock } from "../../../core/base/time.ts";
import { ConfigError } from "../../../core/errors.ts";
import { type Answer, apiError, frameworkError, overloaded, refuseBrokenRequest } from "./answer.ts";
import { type ServeLimits, unsentBodies } from "./bounds.ts";
import type { Metrics } from "./metrics.ts";
import { routerUrl } from "./request-parts.ts";
import { send } from "./send.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** A short name of the route for metrics and logs. */
    operation?: string;
    /** Answered even when too many other requests are under way: what tells the operator how the service is. */
    isAlwaysAnswered?: boolean;
  }
  interface FastifyReply {
    /** What answered, for metrics and logs: the route's name, or another when something else answered in its place. */
    operation: string;
    /** Bytes of the body, when it is sent as a whole. */
    bodyBytes: number;
  }
}

/** A request that was answered, or whose client closed the connection first (`isCut`), for the request log. */
export type RequestRecord = Readonly<
  Record<"method" | "target" | "operation" | "client", string> & Record<"status" | "bytes" | "ms", number> & { isCut: boolean }
>;

/** What an application needs from its surroundings. */
export type AppOptions = {
  readonly limits: ServeLimits;
  readonly metrics: Metrics;
  readonly clock: Pick<Clock, "monotonic">;
  readonly onRequest?: ((record: RequestRecord) => void) | undefined;
  /** Whose `X-Forwarded-For` is believed: addresses and subnets, or fastify's own function. */
  readonly trustProxy?: string | ((address: string, hop: number) => boolean) | undefined;
  /** Requests per second that one client may send, by its address; unlimited when it is not given. */
  readonly clientRate?: number | undefined;
  /** What a browser is told where nothing has the path; without it everybody is told as a node says it. */
  readonly noPage?: ((request: FastifyRequest) => Promise<Answer>) | undefined;
  /** A failure of ours while a request was answered; the client is told no more than that it failed. */
  readonly onBug: (error: unknown) => void;
};

/** Every method but those that read. A request with one of these is refused on any path. */
export const otherMethods: readonly string[] = METHODS.filter((method) => !["GET", "HEAD", "CONNECT"].includes(method));

/**
 * Makes the fastify application with what every request passes: bounds, metrics, log, and errors in the node's form. Routes set
 * `config.operation` and reply with a Buffer, a stream or nothing.
 */
export async function createApp({ limits, metrics, clock, onRequest, onBug, trustProxy, clientRate, noPage }: AppOptions) {
  const app = makeFastify(limits, trustProxy);
  for (const method of otherMethods) app.addHttpMethod(method, { hasBody: false, overrideExisting: true });
  const { server } = app;
  server.maxConnections = limits.connections;
  for (const event of ["drop", "dropRequest"]) server.on(event, () => metrics.count("shed"));
  let open = 0;
  server.on("connection", (socket: Socket) => {
    open += 1;
    socket.once("close", () => {
      open -= 1;
    });
  });
  /** The newest request of each connection: the next one waits for its answer. */
  const newest = new WeakMap<Socket, Promise<void>>();
  let underWay = 0;
  /** Requests whose answer is being made: a client that takes a whole answer slowly keeps no place. */
  const inWork = new Set<ServerResponse>();
  const unsent = unsentBodies(limits.unsentBytes);
  const report = (request: FastifyRequest, { operation, bodyBytes, raw }: FastifyReply, ms: number): void => {
    const { method, originalUrl: target } = request;
    const [status, bytes] = [raw.statusCode, method === "HEAD" ? 0 : bodyBytes];
    metrics.answered(operation, status, bytes);
    onRequest?.({ method, target, status, bytes, ms, operation, client: clientOf(request), isCut: !raw.writableFinished });
  };

  app.decorateReply("operation", "none");
  app.decorateReply("bodyBytes", 0);

  app.addHook("onRequest", async (request, reply) => {
    const { raw } = reply;
    const { socket, headers } = request.raw;
    const { operation = "none", isAlwaysAnswered = false } = request.routeOptions.config;
    const begun = clock.monotonic();
    reply.operation = operation;
    raw.once("close", () => report(request, reply, clock.monotonic() - begun));
    // A body is never read; what is left of it must not be taken for the next request.
    if (headers["transfer-encoding"] !== undefined || (headers["content-length"] ?? "0") !== "0") reply.header("connection", "close");
    // Node hands out all requests that a connection has sent ahead. One at a time is in work, so that a client that pipelines
    // has no more places than others.
    const before = newest.get(socket);
    newest.set(socket, new Promise((resolve) => void raw.once("close", resolve)));
    await before;
    // The parser still hands out requests that a connection had sent before it was closed.
    if (socket.destroyed) return reply.hijack();
    if (inWork.size >= limits.requestsAtOnce && !isAlwaysAnswered) {
      metrics.count("shed");
      return send(request, reply, overloaded());
    }
    underWay += 1;
    inWork.add(raw);
    raw.once("close", () => {
      underWay -= 1;
      inWork.delete(raw);
    });
    return undefined;
  });

  app.addHook("onSend", (_request, reply, payload, done) => {
    const { raw } = reply;
    const cut = (response = raw): void => {
      metrics.count("shed");
      response.destroy();
    };
    if (Buffer.isBuffer(payload)) {
      reply.bodyBytes = payload.length;
      for (const late of unsent(payload, raw)) cut(late);
    }
    // A stream may stand still because what makes it does.
    if (!(payload instanceof Readable)) {
      inWork.delete(raw);
      raw.setTimeout(limits.stalledMs, () => cut());
    }
    const late = setTimeout(() => cut(), limits.answerMs).unref();
    raw.once("close", () => {
      clearTimeout(late);
      if (payload instanceof Readable) payload.destroy();
    });
    done(null, payload);
  });

  app.setNotFoundHandler(async (request, reply) => {
    const isPage = noPage !== undefined && request.method === "GET" && /\btext\/html\b/.test(request.headers.accept ?? "");
    return send(request, reply, isPage ? await noPage(request) : frameworkError(404, "not found"));
  });
  app.setErrorHandler((error: FastifyError, request, reply) => {
    // The header `retry-after` is set by the library that counts requests.
    if (error.statusCode === 429) {
      metrics.count("shed");
      return send(request, reply, apiError(429, "rate_limited", error.message));
    }
    onBug(error);
    return send(request, reply, apiError(500, "internal_error", "internal error"));
  });

  if (clientRate !== undefined) {
    await app.register(rateLimit, {
      max: Math.ceil(clientRate * WINDOW_SECONDS),
      timeWindow: WINDOW_SECONDS * 1000,
      cache: MAX_CLIENTS,
      ...(trustProxy === undefined ? {} : { keyGenerator: clientOf }),
      allowList: ({ routeOptions }) => routeOptions.config.isAlwaysAnswered === true,
      errorResponseBuilder: (_request, { max, after }) => {
        const message = `This address has sent more than ${max} requests in ${WINDOW_SECONDS} seconds; retry in ${after}`;
        return Object.assign(new Error(message), { statusCode: 429 });
      },
    });
  }

  return {
    app,
    /** How many requests have no answer yet. */
    underWay: (): number => underWay,
    /** The current values of what it bounds. */
    gauges: (): Readonly<Record<string, number>> => {
      const { rss: memory_bytes, heapUsed: heap_bytes, external: external_bytes } = process.memoryUsage();
      return { connections: open, requests_under_way: underWay, memory_bytes, heap_bytes, external_bytes };
    },
  };
}

/** The address that a request came from, as far as it is known. */
export function clientOf({ ip }: FastifyRequest): string {
  return (ip as string | undefined) ?? "unix";
}

/** The window in which a client's requests are counted: long enough for a page that loads a hundred things at once. */
const WINDOW_SECONDS = 10;
/** Clients counted at once; the least recent are forgotten. */
const MAX_CLIENTS = 20_000;

/** Fastify with Node's own limits. @throws ConfigError for a proxy that is neither an address nor a subnet */
function makeFastify(limits: ServeLimits, trustProxy: AppOptions["trustProxy"]): FastifyInstance {
  try {
    return fastify({
      rewriteUrl: ({ url = "" }) => routerUrl(url),
      // The whole request line is bounded already, and a node has no bound of its own for a segment.
      routerOptions: { maxParamLength: limits.headerBytes },
      exposeHeadRoutes: false,
      ...(trustProxy === undefined ? {} : { trustProxy }),
      return503OnClosing: false,
      forceCloseConnections: "idle",
      requestTimeout: limits.headersMs,
      keepAliveTimeout: limits.idleMs,
      maxRequestsPerSocket: limits.requestsOfConnection,
      http: {
        maxHeaderSize: limits.headerBytes,
        headersTimeout: limits.headersMs,
        connectionsCheckingInterval: Math.min(1000, limits.headersMs),
      },
      clientErrorHandler: refuseBrokenRequest,
    });
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new ConfigError("--trust-proxy wants addresses or subnets, such as 127.0.0.1,10.0.0.0/8", { cause: error });
  }
}
