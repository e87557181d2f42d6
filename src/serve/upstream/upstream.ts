import { finished } from "node:stream";
import type { Log } from "../../base/log.ts";
import { printable } from "../../base/printable.ts";
import type { Clock } from "../../base/time/clock.ts";
import type { ForwardedAnswer, Forwarder } from "../../node/http/forwarder.ts";
import { Breaker } from "../../node/pace/breaker.ts";
import type { Headers } from "../../node/protocol/ledger-head.ts";
import { NodeError } from "../../node/protocol/node-error.ts";
import type { Response } from "../http/answer.ts";
import { ConcurrencyLimit } from "../http/concurrency-limit.ts";
import type { ServeLimits } from "../serve-limits.ts";
import { headersFromNode, headersToNode } from "./passed-headers.ts";
import { type Refusal, readAnswer } from "./read-answer.ts";

/** A request for the node, made from parameters that were read: nothing else of the client's reaches it. */
export type UpstreamRequest = {
  readonly method: "GET" | "HEAD";
  /** What follows the node's base URL, query included: `/accounts/0x1?ledger_version=7`. */
  readonly path: string;
  /** The client's headers; those that say how the answer may be written are handed on. */
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
  | { readonly kind: "silent"; readonly reason: string };

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
  readonly limits: Pick<ServeLimits, "upstreamRequests" | "upstreamWaiting" | "upstreamBytes" | "upstreamMs">;
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
  const silent = (reason: string): UpstreamResult => ({ kind: "silent", reason });
  const fail = (path: string, how: "down" | "suspect", reason: string, cause?: string): UpstreamResult => {
    breaker.failed(clock.monotonic(), path, how);
    note(reason, cause);
    return silent(reason);
  };

  const judge = async ({ path, method, signal }: UpstreamRequest, answer: ForwardedAnswer): Promise<UpstreamResult> => {
    const { status, headers, body } = answer;
    const expected = await chainId();
    const found = headers["x-aptos-chain-id"] ?? headers["x-node-chain-id"];
    if (found !== undefined && expected !== undefined && found !== String(expected)) {
      body.destroy();
      return fail(path, "down", `the node is of chain ${Number(found)}, and this archive is of chain ${expected}`);
    }
    if (status >= 300 && status < 400) {
      breaker.answered();
      body.destroy();
      return silent(`the node answers with a redirect (status ${status}), which is not followed`);
    }
    const read = await readAnswer(answer, method, { redact: forwarder.redact, bytes: limits.upstreamBytes });
    // Not before: of a node that breaks off in its bodies, headers are no sign of life.
    if ("refusal" in read || read.body !== body || method === "HEAD") breaker.answered();
    else
      finished(body, (error) => {
        // The client has a part of it already, so all that is left is to know better the next time.
        if (!error) breaker.answered();
        else if (signal.aborted) breaker.abandoned(clock.monotonic());
        else fail(path, "suspect", "the node breaks off in its answers", causeOf(error));
      });
    if ("refusal" in read && read.refusal.isTrouble) note(read.refusal.why);
    else {
      if (trouble !== undefined) log("info", `the node at ${node} answers again`, { node });
      trouble = undefined;
    }
    if ("refusal" in read) return { kind: "refused", refusal: read.refusal };
    return { kind: "answered", response: { status, headers: headersFromNode(headers), body: read.body, operation: "upstream" } };
  };

  const send = async (request: UpstreamRequest, deadline: AbortController): Promise<UpstreamResult> => {
    const { method, path, headers, signal } = request;
    const both = AbortSignal.any([signal, deadline.signal]);
    let release: (() => void) | undefined;
    try {
      release = await places.acquire(both);
      if (release === undefined) return silent("too many requests wait for the node");
      if (breaker.waitMs(clock.monotonic()) > 0) return silent(trouble ?? RESTING);
      breaker.sent();
      const answer = await forwarder.forward(method, path, headersToNode(headers), both);
      answer.body.once("close", release);
      const result = await judge(request, answer);
      if (result.kind !== "answered") answer.body.destroy();
      release = undefined;
      return result;
    } catch (error) {
      if (signal.aborted) {
        breaker.abandoned(clock.monotonic());
        return silent("the client went away");
      }
      if (deadline.signal.aborted) return fail(path, "suspect", `the node sent no whole answer within ${limits.upstreamMs} ms`);
      const isDown = error instanceof NodeError && error.kind === "unreachable";
      return fail(path, isDown ? "down" : "suspect", "the node does not answer", causeOf(error));
    } finally {
      release?.();
    }
  };

  return {
    ask: async (request: UpstreamRequest): Promise<UpstreamResult> => {
      if (breaker.waitMs(clock.monotonic()) > 0) return silent(trouble ?? RESTING);
      const [deadline, done] = [new AbortController(), new AbortController()];
      clock.sleep(limits.upstreamMs, done.signal).then(
        () => deadline.abort(),
        () => undefined,
      );
      try {
        return await send(request, deadline);
      } finally {
        done.abort();
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
