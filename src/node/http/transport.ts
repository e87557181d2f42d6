import { Pool } from "undici";
import { printable } from "../../base/printable.ts";
import { AnswerFault } from "../answers/answer-fault.ts";
import type { NodeErrorKind } from "../answers/error-classes.ts";
import type { Headers } from "../answers/ledger-head.ts";
import type { NodeLimits } from "../node-limits.ts";
import type { BaseUrl } from "./base-url.ts";
import { unpackBody } from "./body.ts";
import { StickyCookies } from "./sticky-cookies.ts";

/** One answer of the server, whatever its status; the body is unpacked. */
export type RawAnswer = { readonly status: number; readonly headers: Headers; readonly body: Uint8Array };

/** Sends one GET and gives its whole answer; AnswerFault when there is none. */
export type Transport = {
  readonly get: (path: string, headers: Record<string, string>, signal: AbortSignal | undefined) => Promise<RawAnswer>;
  /** Bytes of bodies as they came over the wire. */
  readonly bytesReceived: () => number;
  readonly close: () => Promise<void>;
};

const kindsByCode: Record<string, NodeErrorKind> = {
  UND_ERR_CONNECT_TIMEOUT: "unreachable",
  ECONNREFUSED: "unreachable",
  ENOTFOUND: "unreachable",
  EAI_AGAIN: "unreachable",
  EHOSTUNREACH: "unreachable",
  ENETUNREACH: "unreachable",
  ENETDOWN: "unreachable",
  EADDRNOTAVAIL: "unreachable",
  ETIMEDOUT: "unreachable",
  UND_ERR_HEADERS_TIMEOUT: "timeout",
  UND_ERR_BODY_TIMEOUT: "timeout",
  UND_ERR_SOCKET: "cut",
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: "cut",
  ECONNRESET: "cut",
  EPIPE: "cut",
  UND_ERR_RES_EXCEEDED_MAX_SIZE: "too_large",
  UND_ERR_HEADERS_OVERFLOW: "too_large",
  UND_ERR_INVALID_ARG: "bad_request",
  UND_ERR_DESTROYED: "closed",
  UND_ERR_CLOSED: "closed",
};

// Node's own names for a certificate chain that does not hold, and OpenSSL's handshake failures.
const CERTIFICATE = /^(CERT_|ERR_TLS_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|HOSTNAME_MISMATCH|ERR_SSL_)/;

/** Opens connections to one origin: HTTP/1.1, one request at a time on each, no redirects, bounded in size and time. */
export function openTransport(url: BaseUrl, connections: number, limits: NodeLimits): Transport {
  const pool = new Pool(url.origin, {
    connections,
    pipelining: 1,
    allowH2: false,
    connect: { timeout: limits.connectTimeoutMs },
    headersTimeout: limits.silenceTimeoutMs,
    bodyTimeout: limits.silenceTimeoutMs,
    keepAliveTimeout: 30_000,
    maxResponseSize: limits.packedBytes,
  });
  let received = 0;
  const cookies = new StickyCookies();

  async function get(path: string, headers: Record<string, string>, signal: AbortSignal | undefined): Promise<RawAnswer> {
    const attempt = new AbortController();
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      attempt.abort();
    }, limits.attemptTimeoutMs);
    const onAbort = (): void => attempt.abort();
    if (signal?.aborted) onAbort();
    signal?.addEventListener("abort", onAbort);
    try {
      const cookie = cookies.header;
      const sent = cookie === undefined ? headers : { ...headers, cookie };
      const answer = await pool.request({ method: "GET", path, headers: sent, signal: attempt.signal });
      cookies.hear(answer.headers["set-cookie"]);
      const packed = await answer.body.bytes();
      received += packed.length;
      const encoding = answer.headers["content-encoding"];
      const body = await unpackBody(packed, Array.isArray(encoding) ? encoding.join() : encoding, limits.bodyBytes);
      return { status: answer.statusCode, headers: answer.headers, body };
    } catch (error) {
      if (error instanceof AnswerFault) throw error;
      if (late) throw new AnswerFault("timeout", `the answer was not whole after ${limits.attemptTimeoutMs} ms`);
      throw transportFault(error);
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
    }
  }

  return { get, bytesReceived: () => received, close: () => pool.destroy() };
}

/** What a failure of the connection means. */
export function transportFault(error: unknown): AnswerFault {
  const { code = "", message = "" } = error as NodeJS.ErrnoException;
  const kind = kindsByCode[code] ?? (CERTIFICATE.test(code) ? "untrusted" : code.startsWith("HPE_") ? "bad_answer" : "cut");
  const words = kind === "untrusted" ? tlsWords(error as TlsError) : message || code || String(error);
  return new AnswerFault(kind, printable(words), {}, error);
}

/** OpenSSL's own errors have a short reason beside a message with lines and places of its source. */
type TlsError = NodeJS.ErrnoException & { readonly reason?: string };

function tlsWords({ code = "", message, reason }: TlsError): string {
  if (code === "ERR_SSL_WRONG_VERSION_NUMBER") return "what listens there speaks no TLS. For plain HTTP write http:// in the address";
  if (code.startsWith("ERR_SSL_")) return reason ?? code;
  const found = message.split(";")[0] || code;
  return `${found} (${code}). For an authority of your own let NODE_EXTRA_CA_CERTS name its certificate`;
}
