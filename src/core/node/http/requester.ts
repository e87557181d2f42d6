import { printable } from "../../base/printable.ts";
import type { Clock } from "../../base/time.ts";
import type { Pace } from "../pace/pace.ts";
import { errorClass, type NodeErrorKind } from "../protocol/error-classes.ts";
import { AnswerFault, backoffMs, clampRetryAfter, NodeError } from "../protocol/node-error.ts";
import type { BaseUrl } from "./base-url.ts";
import type { NodeLimits } from "./body.ts";
import type { RawAnswer, Transport } from "./transport.ts";

/** One request: its path, its headers, and how its answer is read. `read` throws AnswerFault for an answer without data. */
type NodeRequest<T> = {
  /** After the base URL: `/accounts/0x1`. */
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly read: (answer: RawAnswer) => T;
};

/** How one request is asked. */
export type Asking = {
  /** Hears each attempt that fails, with what failed; without it once the request is answered all the same. */
  readonly onFailure?: ((path: string, error?: NodeError) => void) | undefined;
  /** Whether it may take the requests that are kept aside. */
  readonly isLast?: boolean | undefined;
  /** Whether it is asked but once for where its failure ends it alone, unless the node is down. */
  readonly isBrief?: boolean | undefined;
};

/** Attempts that have failed. */
export type NodeFailed = {
  readonly attempts: number;
  /** The last failure, in words that are safe to print. */
  readonly last: string;
};

/** Failures of a whole run. `lostMs`: the time that went by before a request was sent that was answered, if one was. */
export type NodeFailures = NodeFailed & { readonly lostMs: number };

/** An attempt that is given up unanswered after thrice the longest answer is one that failed, but not before so many milliseconds. */
const UNANSWERED_MS = 2000;

/** What requests go through, and what bounds them. */
type RequesterParts = {
  readonly transport: Transport;
  readonly pace: Pace;
  readonly clock: Clock;
  readonly random: () => number;
  readonly limits: NodeLimits;
  readonly url: BaseUrl;
  /** A request that any working node answers. It is sent in place of one that may itself have opened the breaker. */
  readonly probe: NodeRequest<unknown>;
  readonly redact: (text: string) => string;
  readonly credentialSource: string | undefined;
};

/** How often a request failed in one way, and since when. */
type KindFailures = { count: number; readonly sinceMs: number };

/**
 * Repeats a request until it is answered, or until the table of failures says to give it up: waits for its turn, reports each outcome to
 * the pace, waits between attempts. Knows of all requests which failed.
 */
export class Requester {
  readonly #parts: RequesterParts;
  retries = 0;
  #hasAnswered = false;
  #answeredMs = Number.NEGATIVE_INFINITY;
  #longestMs = 0;
  /** Whether it answered at this address in earlier runs: a host without an address is then one that is down. */
  isExpected = false;
  #failed = 0;
  #last = "";
  #lostMs = 0;
  /** A failure after which no request was sent that was answered: since when nothing had come, and when it was seen. */
  #outage: { readonly fromMs: number; readonly seenMs: number; readonly isPace: boolean } | undefined;

  constructor(parts: RequesterParts) {
    this.#parts = parts;
  }

  /** Failures of the whole run, those between answers among them; undefined where nothing failed. */
  get failures(): NodeFailures | undefined {
    if (this.#failed === 0) return undefined;
    const pendingMs = this.#outage === undefined ? 0 : this.#parts.clock.monotonic() - this.#outage.fromMs;
    return { attempts: this.#failed, last: this.#last, lostMs: this.#lostMs + pendingMs };
  }

  /** The answer to a request. Throws NodeError, or the signal's reason once that is aborted. */
  async ask<T>(request: NodeRequest<T>, signal: AbortSignal | undefined, { onFailure, isLast, isBrief = false }: Asking = {}): Promise<T> {
    const { pace, clock, limits, url, redact, credentialSource } = this.#parts;
    const failures = new Map<NodeErrorKind, KindFailures>();
    const untilMs = clock.monotonic() + limits.requestTimeoutMs;
    let attempts = 0;
    const failed = (fault: AnswerFault): NodeError =>
      new NodeError(fault, { url: url.shown + request.path, attempts, redact, credentialSource });
    for (;;) {
      try {
        await pace.turn(untilMs, signal, () => this.#probe(signal), isLast);
        attempts += 1;
        const answer = await this.#send(request, signal, (fault) => onFailure?.(request.path, failed(fault)));
        if (attempts > 1) onFailure?.(request.path);
        return answer;
      } catch (error) {
        if (signal?.aborted) throw signal.reason;
        if (!(error instanceof AnswerFault)) throw error;
        const waitMs = attempts >= limits.attempts ? undefined : this.#waitAfter(error, failures, untilMs, isBrief);
        if (waitMs === undefined) throw failed(error);
        onFailure?.(request.path, failed(error));
        this.retries += 1;
        if (waitMs > 0) await pace.sleep(waitMs, signal);
      }
    }
  }

  /** Rejects everything that waits; requests under way fail as `closed`. */
  async close(): Promise<void> {
    this.#parts.pace.close(new AnswerFault("closed", "the node was closed while the request waited"));
    await this.#parts.transport.close();
  }

  /** Asks the node for a sign of life: a request that fails by itself, such as that of one account, would show a working node as down. */
  async #probe(signal: AbortSignal | undefined): Promise<void> {
    try {
      await this.#send(this.#parts.probe, signal);
    } catch (error) {
      if (signal?.aborted || !(error instanceof AnswerFault)) throw error;
    }
  }

  async #send<T>(request: NodeRequest<T>, signal: AbortSignal | undefined, onUnanswered?: (fault: AnswerFault) => void): Promise<T> {
    const { transport, pace, clock, url, probe } = this.#parts;
    const sentAtMs = clock.monotonic();
    try {
      const answer = request.read(await transport.get(url.path + request.path, request.headers, signal));
      pace.answered(sentAtMs);
      this.#hasAnswered = true;
      this.#longestMs = Math.max(this.#longestMs, clock.monotonic() - sentAtMs);
      // A sign of life answers nothing that was to be read.
      if (request !== probe) this.#noteAnswer(sentAtMs);
      return answer;
    } catch (error) {
      if (signal?.aborted) this.#noteUnanswered(sentAtMs, onUnanswered);
      else if (error instanceof AnswerFault) this.#noteFault(error, request.path, sentAtMs);
      throw error;
    }
  }

  /** Notes an answer with data, or with an error that is an answer too, such as an account that is not there. */
  #noteAnswer(sentAtMs: number): void {
    if (this.#outage !== undefined && sentAtMs > this.#outage.seenMs) {
      // A 429 that was obeyed, and then answered, is the pace that the node wants.
      if (!this.#outage.isPace) this.#lostMs += sentAtMs - this.#outage.fromMs;
      this.#outage = undefined;
    }
    this.#answeredMs = this.#parts.clock.monotonic();
  }

  #noteUnanswered(sentAtMs: number, onUnanswered?: (fault: AnswerFault) => void): void {
    const waitedMs = this.#parts.clock.monotonic() - sentAtMs;
    // Requests in flight when the last one is spent are given up without a word of the node.
    if (waitedMs < Math.max(UNANSWERED_MS, 3 * this.#longestMs) || this.#parts.pace.left() <= 0) return;
    const found = `no answer within ${Math.round(waitedMs / 1000)} s`;
    this.#noteFailure(sentAtMs, found);
    onUnanswered?.(new AnswerFault("timeout", found));
  }

  #noteFailure(sentAtMs: number, text: string, isPace = false): void {
    this.#failed += 1;
    this.#last = printable(this.#parts.redact(text), 300);
    this.#outage ??= { fromMs: Math.max(sentAtMs, this.#answeredMs), seenMs: this.#parts.clock.monotonic(), isPace };
  }

  #noteFault(fault: AnswerFault, path: string, sentAtMs: number): void {
    const { pace, probe } = this.#parts;
    const { pausesAll, retry, breaker, meaning } = errorClass(fault.kind);
    const isRepeated = retry !== undefined && !this.#isFinal(fault);
    if (isRepeated) this.#noteFailure(sentAtMs, `${meaning}: ${fault.message}`, fault.kind === "rate_limited");
    else this.#noteAnswer(sentAtMs);
    const attempt = { path, sentAtMs, fault, said: this.#last };
    if (pausesAll && isRepeated) pace.complained(attempt, retry);
    // Any working node answers the probe, so that of one that has not answered at all more is wrong than this request.
    else if (breaker) pace.failed(attempt, !this.#hasAnswered && path === probe.path ? "down" : breaker);
    else pace.answered(sentAtMs);
  }

  /** How long until the next attempt; undefined when there is none. */
  #waitAfter(fault: AnswerFault, failures: Map<NodeErrorKind, KindFailures>, untilMs: number, isBrief: boolean): number | undefined {
    const { retry, pausesAll, ends } = errorClass(fault.kind);
    if (retry === undefined || this.#isFinal(fault)) return undefined;
    const now = this.#parts.clock.monotonic();
    // Then it is not this request that failed: it waits in the pace's queue until the node answers or is given up.
    if (this.#parts.pace.isDown()) return now >= untilMs ? undefined : 0;
    if (isBrief && ends === "request") return undefined;
    const { count, sinceMs } = failures.get(fault.kind) ?? { count: 0, sinceMs: now };
    failures.set(fault.kind, { count: count + 1, sinceMs });
    if (count + 1 >= retry.attempts) return undefined;
    const asked = fault.known.retryAfterMs;
    // A paused request waits in the pace's queue with all others.
    const wait = pausesAll ? 0 : asked ? clampRetryAfter(retry, asked) : backoffMs(retry, count + 1, this.#parts.random());
    return now + wait - sinceMs > retry.withinMs || now + wait >= untilMs ? undefined : wait;
  }

  #isFinal(fault: AnswerFault): boolean {
    const { isFinalAtFirst, breaker } = errorClass(fault.kind);
    return isFinalAtFirst === true && !this.#hasAnswered && !(this.isExpected && breaker);
  }
}
