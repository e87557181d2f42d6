import type { Log } from "../../../core/base/log.ts";
import { printable } from "../../../core/base/printable.ts";
import type { Clock } from "../../../core/base/time.ts";
import { ACCEPT_ENCODING, decompressBody } from "../../../core/node/http/body.ts";
import { Breaker } from "../../../core/node/pace/limits.ts";
import { type Headers, mediaTypes } from "../../../core/node/protocol/ledger-head.ts";
import { AnswerFault, NodeError } from "../../../core/node/protocol/node-error.ts";
import type { Answer, Response } from "../http/answer.ts";
import { ConcurrencyLimit, type ServeLimits } from "../http/bounds.ts";
import { headersToNode } from "../http/headers.ts";
import type { ForwardedAnswer, Forwarder } from "./forwarder.ts";
import { type Asked, type ReadAnswer, type Refusal, readAnswer, refuseStatus } from "./read-answer.ts";

/** The whole body of a node's answer, unpacked. @throws AnswerFault for one that is too large or is not packed as it says */
async function readBody({ body, headers }: Pick<ForwardedAnswer, "body" | "headers">, most: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > most) throw new AnswerFault("too_large", `an answer of more than ${most} bytes`);
  }
  const encoding = [headers["content-encoding"] ?? "identity"].flat().join();
  return decompressBody(Buffer.concat(chunks), encoding, most);
}

/** A request for the node, made from parameters that were read: nothing else of the client's reaches it. */
export type UpstreamRequest = Asked & {
  /** What follows the node's base URL, query included: `/accounts/0x1?ledger_version=7`. */
  readonly path: string;
  /** The client's headers, of which the one that names its SDK is handed on. */
  readonly headers: Headers;
  /** Aborted when the client goes away. */
  readonly signal: AbortSignal;
};

/**
 * What the node made of a request: an answer to pass on; an error that an archive may answer (pruned, not there yet, trouble); or
 * nothing, with a reason that names no address and no other request.
 */
export type UpstreamResult =
  | { readonly kind: "answered"; readonly response: Response }
  | { readonly kind: "refused"; readonly refusal: Refusal }
  | Silence;

type Silence = { readonly kind: "silent"; readonly reason: string };

/**
 * One failure that is certainly the node's own opens the breaker, and two different requests without an answer do; then a
 * single probe goes out after each rest. Times in milliseconds; a front never gives its node up.
 */
const BREAKER = {
  failures: 1,
  firstRestMs: 5000,
  longestRestMs: 30_000,
  giveUpMs: Number.POSITIVE_INFINITY,
  giveUpUnseenMs: Number.POSITIVE_INFINITY,
};

/** What an upstream needs from its surroundings. */
export type UpstreamOptions = {
  readonly forwarder: Forwarder;
  /** The chain that has to answer; undefined while the archive is empty. */
  readonly chainId: () => Promise<number | undefined>;
  readonly limits: Pick<ServeLimits, "upstreamRequests" | "upstreamWaiting" | "upstreamMs" | "upstreamBytes">;
  readonly clock: Pick<Clock, "monotonic" | "sleep">;
  readonly log: Log;
  readonly onFailure: () => void;
};

/** Makes an upstream. A redirect is not followed and not passed on; an answer of another chain counts as none. */
export function makeUpstream({ forwarder, chainId, limits, clock, log, onFailure }: UpstreamOptions) {
  const breaker = new Breaker(BREAKER);
  const places = new ConcurrencyLimit(limits.upstreamRequests, limits.upstreamWaiting);
  const node = new URL(forwarder.url).host;
  let trouble: string | undefined;

  /** The operator's log gets the whole cause once, when it changes; clients get the reason. */
  const note = (reason: string, cause = reason): void => {
    onFailure();
    if (reason !== trouble) log("warn", `the node at ${node} does not answer: ${cause}; serving from the archive alone`, { node });
    trouble = reason;
  };
  const isResting = (): boolean => breaker.waitMs(clock.monotonic()) > 0;
  const silent = (reason: string): Silence => ({ kind: "silent", reason });
  const fail = (path: string, how: "down" | "suspect", reason: string, cause?: string): Silence => {
    breaker.failed(clock.monotonic(), path, how);
    note(reason, cause);
    return silent(reason);
  };

  const interpret = async (request: UpstreamRequest, answer: ForwardedAnswer): Promise<ReadAnswer | Silence> => {
    const { status, headers } = answer;
    const expected = await chainId();
    const found = headers["x-aptos-chain-id"] ?? headers["x-node-chain-id"];
    if (found !== undefined && expected !== undefined && found !== String(expected)) {
      return fail(request.path, "down", `the node is of chain ${Number(found)}, and this archive is of chain ${expected}`);
    }
    if (status >= 300 && status < 400) {
      breaker.answered();
      return silent(`the node answers with a redirect (status ${status}), which is not followed`);
    }
    const refused = refuseStatus(status);
    const read =
      refused === undefined
        ? readAnswer(request, { status, headers, body: await readBody(answer, limits.upstreamBytes) }, forwarder.holdsSecret)
        : { refusal: refused };
    // Not before: of a node that breaks off in its bodies, headers are no sign of life.
    breaker.answered();
    if ("refusal" in read && read.refusal.isTrouble) note(read.refusal.why);
    else {
      if (trouble !== undefined) log("info", `the node at ${node} answers again`, { node });
      trouble = undefined;
    }
    return read;
  };

  const send = async (request: UpstreamRequest): Promise<ReadAnswer | Silence> => {
    const { path, headers, format, signal } = request;
    const [late, read] = [new AbortController(), new AbortController()];
    clock.sleep(limits.upstreamMs, read.signal).then(
      () => late.abort(),
      () => undefined,
    );
    let answer: ForwardedAnswer | undefined;
    try {
      breaker.sent();
      const wanted = { accept: mediaTypes[format], "accept-encoding": ACCEPT_ENCODING };
      const bound = AbortSignal.any([signal, late.signal]);
      answer = await forwarder.forward("GET", path, { ...headersToNode(headers), ...wanted }, bound);
      return await interpret(request, answer);
    } catch (error) {
      if (signal.aborted) {
        breaker.abandoned(clock.monotonic());
        return silent("the client went away");
      }
      if (late.signal.aborted) return fail(path, "suspect", `the node sent no whole answer within ${limits.upstreamMs} ms`);
      // Says something of one account, and nothing of the node.
      if (error instanceof AnswerFault && error.kind === "too_large") {
        breaker.answered();
        return silent("the node's answer is too large");
      }
      const isDown = error instanceof NodeError && error.kind === "unreachable";
      return fail(path, isDown ? "down" : "suspect", "the node does not answer", causeOf(error));
    } finally {
      read.abort();
      answer?.body.destroy();
    }
  };

  return {
    /** `finish` makes the response of an answer to pass on, which keeps its place until then: so few bodies are in memory at once. */
    ask: async (request: UpstreamRequest, finish: (answer: Answer) => Promise<Response>): Promise<UpstreamResult> => {
      let release: (() => void) | undefined;
      try {
        if (isResting()) return silent(trouble ?? RESTING);
        release = await places.acquire(request.signal);
        if (release === undefined) return silent("too many requests wait for the node");
        if (isResting()) return silent(trouble ?? RESTING);
        const read = await send(request);
        if ("kind" in read) return read;
        return "refusal" in read ? { kind: "refused", ...read } : { kind: "answered", response: await finish(read.answer) };
      } catch (error) {
        if (request.signal.aborted) return silent("the client went away");
        throw error;
      } finally {
        release?.();
      }
    },
    /** Whether requests go to the node. */
    gauges: (): Readonly<Record<string, number>> => ({ upstream_open: breaker.isClosed ? 1 : 0 }),
  };
}

export type Upstream = ReturnType<typeof makeUpstream>;

const RESTING = "the node did not answer a moment ago";

/** What went wrong, without the address of the node, which may hold a key, and without the client's request. */
function causeOf(error: unknown): string {
  if (error instanceof NodeError) return printable(String(error.facts["message"] ?? error.kind));
  return printable(error instanceof Error ? error.message : String(error));
}
