import type { AddressInfo, Socket } from "node:net";
import { Readable } from "node:stream";
import fastify, { type FastifyReply, type FastifyRequest } from "fastify";
import { printable } from "../../base/printable.ts";
import { ConfigError } from "../../errors.ts";
import type { ServeLimits } from "../serve-limits.ts";
import type { Answer, Responder, Response } from "./answer.ts";
import { Connections } from "./connections.ts";
import { Unsent } from "./delivery-budget.ts";
import { apiRefusal, overloaded } from "./error-answers.ts";
import type { Metrics } from "./metrics.ts";

/** A request that was answered, or whose client went away (`isCut`), for the request log. */
export type RequestRecord = {
  readonly method: string;
  readonly target: string;
  readonly status: number;
  readonly bytes: number;
  readonly ms: number;
  readonly operation: string;
  readonly client: string;
  readonly isCut: boolean;
};

/** How a server is started. */
export type ServerOptions = {
  readonly respond: Responder;
  readonly host: string;
  /** 0 for any free one. */
  readonly port: number;
  readonly limits: ServeLimits;
  readonly metrics: Metrics;
  readonly onRequest?: (record: RequestRecord) => void;
  /** A failure of ours while a request was answered; the client is told no more than that. */
  readonly onBug: (error: unknown) => void;
};

/** A server that listens. */
export type RunningServer = {
  /** `http://127.0.0.1:8080` */
  readonly origin: string;
  readonly gauges: () => Readonly<Record<string, number>>;
  /** Takes no more connections, lets answers under way end, cuts off what is left after `stopMs`. */
  readonly close: () => Promise<void>;
};

const NOTHING = new Uint8Array();
/** What a body of unknown size is taken to be at most, for the time that a client may take. */
const STREAM_BYTES = 8 * 1024 * 1024;

/** Opens the socket and answers on it: the one place where this service meets HTTP. @throws ConfigError when it cannot listen there */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { respond, host, port, limits, metrics, onRequest, onBug } = options;
  const app = fastify({
    // Every request has the same route: paths are ours to read, and none is too long or too crooked for the framework's router.
    rewriteUrl: () => "/",
    exposeHeadRoutes: false,
    return503OnClosing: false,
    forceCloseConnections: "idle",
    requestTimeout: limits.headersMs,
    keepAliveTimeout: limits.idleMs,
    http: {
      maxHeaderSize: limits.headerBytes,
      headersTimeout: limits.headersMs,
      connectionsCheckingInterval: Math.min(1000, limits.headersMs),
    },
    clientErrorHandler: refuseBrokenRequest,
  });
  const connections = new Connections(app.server, limits.connections, () => metrics.shed());
  const unsent = new Unsent(limits, () => metrics.shed());
  let underWay = 0;

  const answer = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { raw } = reply;
    // What a connection had sent ahead still comes out of the parser after it was ended.
    if (request.raw.socket.destroyed) return reply.hijack();
    const target = request.originalUrl;
    const { method, headers } = request;
    const begun = performance.now();
    let response: Response | undefined;
    let release: (() => void) | undefined;
    underWay += 1;
    raw.once("close", () => {
      underWay -= 1;
      release?.();
      if (response?.body instanceof Readable) response.body.destroy();
      const bytes = response?.body instanceof Uint8Array && method !== "HEAD" ? response.body.length : 0;
      metrics.answered(response?.operation ?? "none", raw.statusCode, bytes);
      onRequest?.({
        method,
        target,
        status: raw.statusCode,
        bytes,
        ms: performance.now() - begun,
        operation: response?.operation ?? "none",
        client: request.ip,
        isCut: !raw.writableFinished,
      });
    });
    // A body is not read; what is left of it must not be taken for the next request.
    if (headers["transfer-encoding"] !== undefined || (headers["content-length"] ?? "0") !== "0") reply.header("connection", "close");
    if (underWay > limits.requestsAtOnce) {
      metrics.shed();
      return sendRefusal(reply, overloaded());
    }
    const turn = connections.turn(request.raw.socket);
    if (turn !== undefined) await turn;
    if (request.raw.socket.destroyed) return sendRefusal(reply, overloaded());
    response = await respond({ method, target, headers, onGone: (callback) => raw.once("close", callback) });
    const isStream = response.body instanceof Readable;
    const body = isStream ? NOTHING.slice() : (response.body as Uint8Array);
    release = unsent.begin(body, performance.now(), () => raw.destroy(), isStream ? STREAM_BYTES : body.length);
    if (release === undefined) {
      metrics.shed();
      return sendRefusal(reply, overloaded());
    }
    if (raw.destroyed) release();
    return response.body instanceof Uint8Array
      ? sendWhole(reply, response, response.body)
      : reply.code(response.status).headers(response.headers).send(response.body);
  };

  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", (_request, _payload, done) => done(null));
  app.all("/", answer);
  app.setNotFoundHandler(answer);
  app.setErrorHandler((error, _request, reply) => {
    onBug(error);
    return sendRefusal(reply, apiRefusal(500, "internal_error", "internal error"));
  });
  const sweeper = setInterval(() => unsent.cutLate(performance.now()), 1000).unref();

  try {
    await app.listen({ host, port, backlog: 4096 });
  } catch (error) {
    clearInterval(sweeper);
    const { code = "unknown error" } = error as NodeJS.ErrnoException;
    throw new ConfigError(
      `could not listen on ${printable(host, 100)} port ${port}: ${code}. Give another --port (0 is any free one) or --host.`,
      {
        facts: { host, port, reason: code },
        cause: error,
      },
    );
  }
  const { address, family, port: bound } = app.server.address() as AddressInfo;
  return {
    origin: `http://${family === "IPv6" ? `[${address}]` : address}:${bound}`,
    gauges: () => {
      const { rss, heapUsed, external } = process.memoryUsage();
      return {
        connections: connections.open,
        requests_under_way: underWay,
        unsent_bytes: unsent.bytes,
        memory_bytes: rss,
        heap_bytes: heapUsed,
        external_bytes: external,
      };
    },
    close: async () => {
      const late = setTimeout(() => app.server.closeAllConnections(), limits.stopMs);
      await app.close();
      clearTimeout(late);
      clearInterval(sweeper);
    },
  };
}

/** Headers as the list that goes out, for those that many answers share. */
const headerLists = new WeakMap<Response["headers"], readonly string[]>();

/**
 * Sends a body that is at hand past the framework, which would look at each of its thirty headers again: kept answers go out
 * half as fast again that way.
 */
function sendWhole(reply: FastifyReply, { status, headers }: Response, body: Uint8Array): FastifyReply {
  let list = headerLists.get(headers);
  if (list === undefined) {
    list = Object.entries(headers).flat();
    headerLists.set(headers, list);
  }
  const connection = reply.getHeader("connection");
  const length = status === 304 ? [] : ["content-length", `${body.length}`];
  reply.hijack();
  reply.raw.writeHead(status, [...list, ...length, ...(connection === undefined ? [] : ["connection", `${connection}`])]);
  reply.raw.end(body);
  return reply;
}

function sendRefusal(reply: FastifyReply, { status, contentType, body, headers }: Answer): FastifyReply {
  return reply
    .code(status)
    .headers({ "content-type": contentType, "cache-control": "no-store", ...headers })
    .send(body);
}

const brokenStatus: Readonly<Record<string, readonly [number, string]>> = {
  HPE_HEADER_OVERFLOW: [431, "request header fields too large"],
  ERR_HTTP_REQUEST_TIMEOUT: [408, "request timeout"],
};

/** What is no HTTP gets one line of it and the end of the connection. */
function refuseBrokenRequest(error: NodeJS.ErrnoException, socket: Socket): void {
  const [status, message] = brokenStatus[error.code ?? ""] ?? [400, "bad request"];
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const body = JSON.stringify({ message, error_code: "web_framework_error", vm_error_code: null });
  socket.end(
    `HTTP/1.1 ${status} ${message}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
    () => socket.destroy(),
  );
}
