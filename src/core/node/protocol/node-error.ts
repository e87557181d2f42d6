import { printable } from "../../base/printable.ts";
import { type Facts, MovedexError } from "../../errors.ts";
import { errorClass, type NodeErrorKind, type RetryPolicy } from "./error-classes.ts";

/** The proxy, not the node, wants to know who asks. */
export const PROXY_CREDENTIALS =
  "status 407: the proxy wants a user name and a password (HTTP_PROXY or HTTPS_PROXY=http://user:password@host)";

/** What undici says of it: in a tunnel, and on the way to a plain server. */
export const PROXY_REFUSES = /^Proxy (?:response|Authentication Required) \(407\)/;

export const SPEAKS_TLS = "it speaks TLS. Write https:// in the address";

/** What is known about one failed attempt. Texts are as the node sent them: not yet safe to print. */
export type FaultFacts = {
  readonly status?: number;
  readonly errorCode?: string;
  readonly vmErrorCode?: number | undefined;
  /** How long the node asks its clients to wait, in milliseconds. */
  readonly retryAfterMs?: number | undefined;
  readonly oldestVersion?: bigint | undefined;
};

/** One attempt that gave no usable answer. It stays inside this room: the requester tries again or turns it into a NodeError. */
export class AnswerFault extends Error {
  readonly kind: NodeErrorKind;
  readonly known: FaultFacts;

  constructor(kind: NodeErrorKind, found: string, known: FaultFacts = {}, cause?: unknown) {
    super(found, cause === undefined ? undefined : { cause });
    this.kind = kind;
    this.known = known;
  }
}

/**
 * A request that was given up. `kind` is a row of `error-classes.ts`, `code` is `MOVEDEX_NODE_` and the kind; `ends` tells a gap
 * from the end of the run. Facts: kind, url (without secrets), attempts, and where known status, error_code, vm_error_code,
 * message, oldest_version.
 */
export class NodeError extends MovedexError {
  readonly kind: NodeErrorKind;
  readonly ends: "request" | "run";
  readonly status: number | undefined;

  constructor(
    fault: AnswerFault,
    request: { url: string; attempts: number; redact: (text: string) => string; credentialSource?: string | undefined },
  ) {
    const { kind, known } = fault;
    const found = printable(request.redact(fault.message), 500);
    const row = errorClass(kind);
    const isOfAccess = known.status === 401 || known.status === 403;
    const source = isOfAccess && request.credentialSource !== undefined ? ` (${request.credentialSource})` : "";
    const tries = request.attempts > 1 ? ` (the request was sent ${request.attempts} times)` : "";
    super(`MOVEDEX_NODE_${kind.toUpperCase()}`, `GET ${request.url}: ${row.meaning}: ${found}${source}${tries}`, {
      facts: facts(kind, found, request, known),
      ...(row.exit ? { exit: row.exit } : {}),
      ...(fault.cause === undefined ? {} : { cause: fault.cause }),
    });
    this.kind = kind;
    this.ends = row.ends;
    this.status = known.status;
  }
}

function facts(kind: NodeErrorKind, message: string, { url, attempts }: { url: string; attempts: number }, known: FaultFacts): Facts {
  const { status, errorCode, vmErrorCode, oldestVersion } = known;
  const all = {
    ...{ kind, url, attempts, message, status },
    error_code: errorCode ? printable(errorCode, 60) : undefined,
    vm_error_code: vmErrorCode,
    oldest_version: oldestVersion,
  };
  return Object.fromEntries(Object.entries(all).filter(([, fact]) => fact !== undefined)) as Facts;
}

const SECONDS = /^\d{1,9}$/;

/**
 * A `Retry-After` header as milliseconds from now: seconds, or a date, measured against the server's `Date` if there is one.
 * Undefined for others, zero and the past, since a refusal cannot mean "now".
 */
export function parseRetryAfter(value: string | undefined, serverDate: string | undefined, nowMs: number): number | undefined {
  if (value === undefined) return undefined;
  const text = value.trim();
  const from = Date.parse(serverDate ?? "");
  const ms = SECONDS.test(text) ? Number(text) * 1000 : Date.parse(text) - (Number.isNaN(from) ? nowMs : from);
  return ms > 0 ? ms : undefined;
}

/** The wait before the next attempt after `failures` of one kind (1 or more): full jitter below a doubling bound. `random` is in [0, 1). */
export function backoffMs(retry: RetryPolicy, failures: number, random: number): number {
  const bound = Math.min(retry.longestMs, retry.firstMs * 2 ** Math.min(failures - 1, 30));
  const floor = Math.min(retry.shortestMs, bound);
  return floor + random * (bound - floor);
}

export function clampRetryAfter(retry: RetryPolicy, askedMs: number): number {
  return Math.min(Math.max(askedMs, retry.shortestMs), retry.longestMs);
}
