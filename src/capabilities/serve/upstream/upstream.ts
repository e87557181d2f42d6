import type { Log } from "../../../core/base/log.ts";
import { printable } from "../../../core/base/printable.ts";
import type { Clock } from "../../../core/base/time.ts";
import { MovedexError } from "../../../core/errors.ts";
import { ACCEPT_ENCODING } from "../../../core/node/http/body.ts";
import type { RawAnswer } from "../../../core/node/http/transport.ts";
import { Breaker } from "../../../core/node/pace/limits.ts";
import { firstOf, type Headers, mediaTypes } from "../../../core/node/protocol/ledger-head.ts";
import { AnswerFault } from "../../../core/node/protocol/node-error.ts";
import type { Answer } from "../http/answer.ts";
import { concurrencyLimit, type ServeLimits } from "../http/bounds.ts";
import { headersToNode, sourceHeaders } from "../http/headers.ts";
import type { Forwarder } from "./forwarder.ts";
import { type Asked, noAnswer, type ReadAnswer, readAnswer } from "./read-answer.ts";

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
 * One failure that is certainly the node's own opens the breaker, and two different requests without an answer do; then a
 * single probe goes out after each rest. Times in milliseconds; a front never gives its node up.
 */
const NEVER = Number.POSITIVE_INFINITY;
const BREAKER = { failures: 1, firstRestMs: 5000, longestRestMs: 30_000, giveUpMs: NEVER, giveUpUnseenMs: NEVER };

/** What an upstream needs from its surroundings. */
export type UpstreamOptions = {
  readonly forwarder: Forwarder;
  /** The chain that has to answer; undefined while the archive is empty. */
  readonly chainId: () => Promise<number | undefined>;
  readonly limits: Pick<ServeLimits, "upstreamRequests" | "upstreamWaiting" | "upstreamMs" | "startMs">;
  readonly clock: Pick<Clock, "monotonic">;
  readonly log: Log;
  readonly onFailure: () => void;
};

/** Makes an upstream. A redirect is not followed and not passed on; an answer of another chain counts as none. */
export function makeUpstream({ forwarder, chainId, limits, clock, log, onFailure }: UpstreamOptions) {
  const breaker = new Breaker(BREAKER);
  const places = concurrencyLimit(limits.upstreamRequests, limits.upstreamWaiting);
  const node = new URL(forwarder.url).host;
  let trouble: string | undefined;

  /** The operator's log gets the whole cause once, when it changes; clients get the reason. */
  const note = (reason: string, cause = reason): void => {
    onFailure();
    if (reason !== trouble) log("warn", `the node at ${node} does not answer: ${cause}; serving from the archive alone`, { node });
    trouble = reason;
  };
  const isResting = (): boolean => breaker.waitMs(clock.monotonic()) > 0;
  const resting = () => silent(trouble ?? "the node did not answer a moment ago");
  const fail = (path: string, how: "down" | "suspect", reason: string, cause?: string): ReadAnswer => {
    breaker.failed(clock.monotonic(), path, how);
    note(reason, cause);
    return silent(reason);
  };

  const interpret = async (request: UpstreamRequest, raw: RawAnswer): Promise<ReadAnswer> => {
    const [expected, found] = [await chainId(), chainOf(raw)];
    if (found !== undefined && expected !== undefined && found !== String(expected)) {
      return fail(request.path, "down", `the node is of chain ${Number(found)}, and this archive is of chain ${expected}`);
    }
    breaker.answered();
    if (raw.status >= 300 && raw.status < 400)
      return silent(`the node answers with a redirect (status ${raw.status}), which is not followed`);
    const read = readAnswer(request, raw, forwarder.holdsSecret);
    if ("refusal" in read && read.refusal.isTrouble) note(read.refusal.why);
    else {
      if (trouble !== undefined) log("info", `the node at ${node} answers again`, { node });
      trouble = undefined;
    }
    return read;
  };

  const send = async (request: UpstreamRequest): Promise<ReadAnswer> => {
    if (isResting()) return resting();
    const { path, headers, format, signal } = request;
    const late = AbortSignal.timeout(limits.upstreamMs);
    try {
      breaker.sent();
      const wanted = { accept: mediaTypes[format], "accept-encoding": ACCEPT_ENCODING };
      return await interpret(request, await forwarder.get(path, { ...headersToNode(headers), ...wanted }, AbortSignal.any([signal, late])));
    } catch (error) {
      if (!(error instanceof AnswerFault)) throw error;
      if (signal.aborted) {
        breaker.abandoned(clock.monotonic());
        return gone;
      }
      if (late.aborted) return fail(path, "suspect", `the node sent no whole answer within ${limits.upstreamMs} ms`);
      // Says something of one account, and nothing of the node.
      if (error.kind === "too_large") {
        breaker.answered();
        return silent("the node's answer is too large");
      }
      const cause = printable(forwarder.redact(error.message));
      return fail(path, error.kind === "unreachable" ? "down" : "suspect", "the node does not answer", cause);
    }
  };

  return {
    /**
     * What the node makes of a request: its answer, or why an archive may answer instead. An answer keeps its place until `finish` has
     * made it ready to be sent: so few bodies are in memory at once.
     */
    ask: async (request: UpstreamRequest, finish: (answer: Answer) => Promise<Answer>): Promise<ReadAnswer> => {
      if (isResting()) return resting();
      const work = async (): Promise<ReadAnswer> => {
        const read = await send(request);
        return "refusal" in read ? read : { answer: await finish(read.answer) };
      };
      try {
        return (await places(work, request.signal)) ?? silent("too many requests wait for the node");
      } catch (error) {
        if (request.signal.aborted) return gone;
        throw error;
      }
    },
    /**
     * Asks the node once which chain it is of. Every answer is held against the chain as well; this finds a wrong address before anyone
     * relies on it. @throws MovedexError `MOVEDEX_SERVE_CHAIN`
     */
    refuseOtherChain: async (): Promise<void> => {
      const expected = await chainId();
      if (expected === undefined) return;
      const asked = forwarder.get("", { accept: mediaTypes.json }, AbortSignal.timeout(limits.startMs));
      const found = await asked.then(chainOf, () => undefined);
      if (found === undefined || found === String(expected)) return;
      throw new MovedexError(
        "MOVEDEX_SERVE_CHAIN",
        `the node at ${node} is of chain ${Number(found)}, and the database is of chain ${expected}. Name another --upstream or another --db.`,
        { exit: "wrongChain", facts: { stored: expected, found: Number(found) } },
      );
    },
    /** Whether requests go to the node. */
    gauges: (): Readonly<Record<string, number>> => ({ upstream_open: breaker.isClosed ? 1 : 0 }),
  };
}

export type Upstream = ReturnType<typeof makeUpstream>;

function chainOf({ headers }: RawAnswer): string | undefined {
  return firstOf(headers["x-aptos-chain-id"] ?? headers["x-node-chain-id"]);
}

function silent(reason: string) {
  const message = `This archive does not hold what was asked, and the node behind it does not answer: ${reason}`;
  return noAnswer(reason, message, { "retry-after": "5", [sourceHeaders.source]: "archive" });
}

const gone = silent("the client went away");
