import { type Dispatcher, errors } from "undici";
import { printable } from "../../base/printable.ts";
import type { NodeErrorKind } from "../protocol/error-classes.ts";
import type { Headers } from "../protocol/ledger-head.ts";
import { AnswerFault, PROXY_CREDENTIALS, PROXY_REFUSES, SPEAKS_TLS } from "../protocol/node-error.ts";
import type { BaseUrl } from "./base-url.ts";
import { decompressBody, type NodeLimits } from "./body.ts";
import { openConnections, type ProxySettings } from "./connections.ts";

/** More cookies, and longer ones, than a load balancer needs are not kept. */
const COOKIES_MAX = 8;
const LENGTH_MAX = 4096;

/** Name and value as a header may carry them (RFC 6265, section 4.1.1), and the attributes. An empty value deletes a cookie. */
const COOKIE = /^\s*([!#$%&'*+\-.^_`|~0-9A-Za-z]+)\s*=\s*([!#-+\--:<-[\]-~]*)\s*(?:;(.*))?$/s;

/**
 * Keeps a load balancer's cookies (`AWSALB` …), so that a night sees one node (node-contract, section 11.3). They go to the
 * origin that set them, last for the run, and are neither stored nor logged.
 */
export class StickyCookies {
  readonly #cookies = new Map<string, string>();
  /** The `cookie` header of the next request; undefined while there are no cookies. */
  header: string | undefined;

  keep(setCookie: string | readonly string[] = []): void {
    for (const text of [setCookie].flat().slice(0, COOKIES_MAX)) {
      const [, name, value, attributes = ""] = (text.length <= LENGTH_MAX && COOKIE.exec(text)) || [];
      if (name === undefined) continue;
      if (!value || /(?:^|;)\s*max-age\s*=\s*(?:-|0+\s*(?:;|$))/i.test(attributes)) this.#cookies.delete(name);
      else if (this.#cookies.has(name) || this.#cookies.size < COOKIES_MAX) this.#cookies.set(name, value);
    }
    this.header = this.#cookies.size === 0 ? undefined : [...this.#cookies].map((pair) => pair.join("=")).join("; ");
  }
}

/** One answer of the server, whatever its status, with its body decompressed. */
export type RawAnswer = { readonly status: number; readonly headers: Headers; readonly body: Uint8Array };

export type Transport = ReturnType<typeof openTransport>;

/** Opens connections to one origin, with every answer bounded in size and time. @throws ConfigError for a proxy address that is none */
export function openTransport(url: BaseUrl, connections: number, limits: NodeLimits, proxies?: ProxySettings) {
  const { connectTimeoutMs, silenceTimeoutMs: silenceMs, wireBytes: bodyBytes } = limits;
  const { dispatcher, proxy } = openConnections(url, { connections, connectTimeoutMs, silenceMs, bodyBytes }, proxies);
  const cookies = new StickyCookies();
  let hasAnswered = false;
  let received = 0;
  // One listener a signal for all requests under way. A listener that was removed still points to the next one, so with one for each
  // request V8 took every answer for alive until it collected the old generation.
  const underWay: Exchange[] = [];
  const isHeard = (signal: AbortSignal): boolean => underWay.some((exchange) => exchange.signal === signal);
  const onAbort = (): void => {
    for (const exchange of underWay) if (exchange.signal?.aborted) exchange.abort(new errors.RequestAbortedError());
  };

  /** Sends one GET and gives its whole answer. Throws AnswerFault when there is none. */
  async function get(path: string, headers: Record<string, string>, signal: AbortSignal | undefined): Promise<RawAnswer> {
    if (signal?.aborted) throw new errors.RequestAbortedError();
    if (signal !== undefined && !isHeard(signal)) signal.addEventListener("abort", onAbort);
    const exchange = new Exchange(limits.attemptTimeoutMs, signal);
    underWay.push(exchange);
    try {
      const { header: cookie } = cookies;
      const sent = cookie === undefined ? headers : { ...headers, cookie };
      dispatcher.dispatch({ origin: url.origin, path, method: "GET", headers: sent }, exchange);
      await exchange.answer;
      const { status, headers: fields, pieces } = exchange;
      hasAnswered = true;
      cookies.keep(fields["set-cookie"]);
      const packed = pieces.length === 1 ? (pieces[0] as Uint8Array) : Buffer.concat(pieces);
      received += packed.length;
      const encoding = fields["content-encoding"];
      const body = encoding === undefined ? packed : decompressBody(packed, String(encoding), limits.bodyBytes);
      // A piece is a view of all that the socket read at once, which it would keep in memory. A proxy that added headers may say 203.
      return { status: status === 203 ? 200 : status, headers: fields, body: body === packed ? new Uint8Array(packed) : body };
    } catch (error) {
      const mute = exchange.status > 0 ? undefined : !hasAnswered && url.origin.startsWith("http:") ? "first" : "later";
      throw error instanceof AnswerFault ? error : transportFault(error, mute);
    } finally {
      underWay.splice(underWay.indexOf(exchange), 1);
      if (signal !== undefined && !isHeard(signal)) signal.removeEventListener("abort", onAbort);
    }
  }

  return {
    get,
    /** Bytes of answers as they came over the wire. */
    bytesReceived: (): number => received,
    proxy,
    close: (): Promise<void> => dispatcher.destroy(),
  };
}

/** Answers below 200 that may come before the real one: a proxy may send a few, and each costs time. */
const INTERIM_MAX = 16;

/**
 * A GET under way, and what of its answer has come. What `Dispatcher.request` does for one that is read as a whole, without the stream, the
 * abort signal and the asynchronous resource that it makes for each: these cost more than all that is done with a short answer.
 */
class Exchange {
  readonly signal: AbortSignal | undefined;
  readonly #limitMs: number;
  readonly #untilMs: number;
  readonly #whole = Promise.withResolvers<void>();
  /** Resolves when the answer is whole. Rejects with undici's error, or with what the request was aborted with. */
  readonly answer: Promise<void> = this.#whole.promise;
  readonly pieces: Uint8Array[] = [];
  status = 0;
  headers: Headers = {};
  #sent: Dispatcher.DispatchController | undefined;
  #aborted: Error | undefined;
  #interim = 0;

  constructor(limitMs: number, signal: AbortSignal | undefined) {
    this.signal = signal;
    this.#limitMs = limitMs;
    this.#untilMs = performance.now() + limitMs;
  }

  abort(reason: Error): void {
    this.#aborted = reason;
    this.#sent?.abort(reason);
    // One that waits for a connection is let go at once, and is aborted when its turn comes.
    this.#whole.reject(reason);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#sent = controller;
    if (this.#aborted !== undefined) controller.abort(this.#aborted);
  }

  onResponseStart(_controller: Dispatcher.DispatchController, code: number, fields: Headers): void {
    this.#endLate();
    if (code >= 200) {
      this.status = code;
      this.headers = fields;
      return;
    }
    this.#interim += 1;
    if (this.#interim > INTERIM_MAX)
      this.abort(new AnswerFault("bad_answer", `more than ${INTERIM_MAX} answers of status ${code} came before the real one`));
  }

  onResponseData(_controller: Dispatcher.DispatchController, piece: Uint8Array): void {
    this.pieces.push(piece);
    this.#endLate();
  }

  onResponseEnd(): void {
    this.#whole.resolve();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#whole.reject(error);
  }

  /** Silence is ended by undici's own limits, so that it is enough to look when something comes. */
  #endLate(): void {
    if (performance.now() > this.#untilMs) this.abort(new AnswerFault("timeout", `the answer was not whole after ${this.#limitMs} ms`));
  }
}

const MISMATCH = "UND_ERR_RES_CONTENT_LENGTH_MISMATCH";

const kindsByCode: Readonly<Record<string, NodeErrorKind>> = {
  UND_ERR_CONNECT_TIMEOUT: "unreachable",
  UND_ERR_PRX_CONN: "unreachable",
  // What is aborted by us never comes here: this is a proxy that refuses to make a tunnel.
  UND_ERR_ABORTED: "unreachable",
  ECONNREFUSED: "unreachable",
  EAI_AGAIN: "unreachable",
  EHOSTUNREACH: "unreachable",
  ENETUNREACH: "unreachable",
  ENETDOWN: "unreachable",
  EADDRNOTAVAIL: "unreachable",
  ETIMEDOUT: "unreachable",
  ENOTFOUND: "unknown_host",
  UND_ERR_HEADERS_TIMEOUT: "timeout",
  UND_ERR_BODY_TIMEOUT: "timeout",
  UND_ERR_SOCKET: "cut",
  [MISMATCH]: "cut",
  ECONNRESET: "cut",
  EPIPE: "cut",
  UND_ERR_RES_EXCEEDED_MAX_SIZE: "too_large",
  UND_ERR_HEADERS_OVERFLOW: "too_large",
  UND_ERR_INVALID_ARG: "bad_request",
  UND_ERR_PRX_TLS: "untrusted",
  UND_ERR_DESTROYED: "closed",
  UND_ERR_CLOSED: "closed",
};

// Node's own names for a certificate chain that does not hold, and OpenSSL's handshake failures.
const CERTIFICATE = /^(CERT_|ERR_TLS_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|HOSTNAME_MISMATCH|ERR_SSL_)/;

/** `mute`: the headers of an answer had not come; `first`: nor had any before, of what was asked by plain HTTP. */
function transportFault(error: unknown, mute?: "first" | "later"): AnswerFault {
  const { code = "", message = "", data = "", socket } = error as WireError;
  if (PROXY_REFUSES.test(message)) return new AnswerFault("credentials", PROXY_CREDENTIALS);
  const spoken = otherProtocol(data);
  if (spoken !== undefined) return new AnswerFault("wrong_protocol", spoken, {}, error);
  // undici calls so whatever its parser refuses in headers after one length, such as a second one, even of the same value.
  if (mute && code === MISMATCH)
    return new AnswerFault("bad_answer", "its headers are not valid HTTP/1.1 (is content-length there twice?)");
  const kind = kindsByCode[code] ?? (CERTIFICATE.test(code) ? "untrusted" : code.startsWith("HPE_") ? "bad_answer" : "cut");
  const words = kind === "untrusted" ? tlsText(error as TlsError) : message || code || String(error);
  const hint = mute === "first" && kind === "cut" && !socket?.bytesRead ? " (does the node speak https?)" : "";
  return new AnswerFault(kind, printable(words) + hint, {}, error);
}

/** undici's, with what it could not read, or the end of the socket. */
type WireError = NodeJS.ErrnoException & { readonly data?: string; readonly socket?: { readonly bytesRead?: number } };

/** What speaks in the first bytes of what is no HTTP/1.1, in words. */
function otherProtocol(data: string): string | undefined {
  const [first, second, , fourth] = Array.from(data.slice(0, 4), (letter) => letter.charCodeAt(0));
  // A record of TLS: an alert or a handshake (RFC 8446, section 5.1).
  if ((first === 0x15 || first === 0x16) && second === 3) return SPEAKS_TLS;
  // A frame of SETTINGS (RFC 9113, section 6.5).
  return first === 0 && fourth === 4 ? "it speaks HTTP/2 only, and movedex HTTP/1.1. Name another port, or a proxy before it" : undefined;
}

/** OpenSSL's own errors have a short reason beside a message with lines and places of its source. */
type TlsError = NodeJS.ErrnoException & { readonly reason?: string };

function tlsText({ code = "", message, reason }: TlsError): string {
  if (code === "ERR_SSL_WRONG_VERSION_NUMBER") return "what listens there speaks no TLS. For plain HTTP write http:// in the address";
  if (code === "ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL") return "the server speaks HTTP/2 only there, and movedex HTTP/1.1";
  if (code.startsWith("ERR_SSL_")) return reason ?? code;
  const found = message.split(";")[0] || code;
  return `${found} (${code}). For an authority of your own let NODE_EXTRA_CA_CERTS name its certificate`;
}
