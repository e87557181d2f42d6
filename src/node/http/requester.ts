import type { Clock } from "../../base/time/clock.ts";
import type { NodeLimits } from "../node-limits.ts";
import type { Pace } from "../pace/pace.ts";
import { readRateHeaders } from "../pace/quota-rate.ts";
import { errorClass, type NodeErrorKind } from "../protocol/error-classes.ts";
import { AnswerFault, NodeError } from "../protocol/node-error.ts";
import { backoffMs, clampRetryAfter } from "../protocol/retry-wait.ts";
import type { BaseUrl } from "./base-url.ts";
import type { RawAnswer, Transport } from "./transport.ts";

/** One request: its path, its headers, and how its answer is read. `read` throws AnswerFault for an answer without data. */
export type NodeRequest<T> = {
  /** After the base URL: `/accounts/0x1`. */
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly read: (answer: RawAnswer) => T;
};

type RequestHistory = {
  attempts: number;
  readonly failures: Map<NodeErrorKind, { count: number; readonly sinceMs: number }>;
  nodeIsDown: boolean;
  last?: AnswerFault;
};

/** What requests go through, and what bounds them. */
type RequesterParts = {
  readonly transport: Transport;
  readonly pace: Pace;
  readonly clock: Clock;
  readonly random: () => number;
  readonly limits: NodeLimits;
  readonly url: BaseUrl;
  readonly budget: number;
  /** A request that any working node answers. It is sent in place of one that may itself have opened the breaker. */
  readonly probe: NodeRequest<unknown>;
  readonly redact: (text: string) => string;
};

/**
 * Repeats a request until it is answered, or until the table of failures says to give it up: waits for its turn, spends
 * the budget, reports each outcome to the pace, waits between attempts. Holds the counters that all requests share.
 */
export class Requester {
  readonly #parts: RequesterParts;
  readonly #closing = new AbortController();
  /** Requests sent, retries among them. */
  requests = 0;
  retries = 0;
  /** Whether anything has come back from the node. */
  #hasAnswered = false;
  #reserved = 0;

  constructor(parts: RequesterParts) {
    this.#parts = parts;
  }

  /** The answer to a request. Throws NodeError, or the signal's reason once that is aborted. */
  async ask<T>(request: NodeRequest<T>, signal: AbortSignal | undefined): Promise<T> {
    const history: RequestHistory = { attempts: 0, failures: new Map(), nodeIsDown: false };
    const untilMs = this.#parts.clock.monotonic() + this.#parts.limits.requestTimeoutMs;
    for (;;) {
      try {
        return await this.#attempt(request, history, untilMs, signal);
      } catch (error) {
        if (signal?.aborted) throw signal.reason;
        if (!(error instanceof AnswerFault)) throw error;
        const waitMs = this.#waitAfter(error, history, untilMs);
        if (waitMs === undefined) throw this.#toNodeError(error, request, history);
        history.last = error;
        this.retries += 1;
        if (waitMs > 0) await this.#sleep(waitMs, signal);
      }
    }
  }

  /** Rejects everything that waits; requests under way fail as `closed`. */
  async close(): Promise<void> {
    const fault = new AnswerFault("closed", "the node was closed while the request waited");
    this.#closing.abort(fault);
    this.#parts.pace.close(fault);
    await this.#parts.transport.close();
  }

  async #attempt<T>(request: NodeRequest<T>, history: RequestHistory, untilMs: number, signal: AbortSignal | undefined): Promise<T> {
    await this.#turn(untilMs, signal);
    // A request that fails by itself, such as that of one account, would show a working node as down.
    if (this.#parts.pace.isProbing()) {
      await this.#probeNode(history, signal);
      await this.#turn(untilMs, signal);
    }
    history.attempts += 1;
    return this.#send(request, history, signal);
  }

  async #turn(untilMs: number, signal: AbortSignal | undefined): Promise<void> {
    if (this.#closing.signal.aborted) throw this.#closing.signal.reason;
    if (this.#reserved >= this.#parts.budget) throw new AnswerFault("budget_spent", `${this.#parts.budget} requests were allowed`);
    this.#reserved += 1;
    try {
      // Most requests may go at once, and awaiting nothing would cost each a turn of the event loop.
      const turn = this.#parts.pace.turn(untilMs, signal);
      if (turn !== undefined) await turn;
    } catch (error) {
      this.#reserved -= 1;
      throw error;
    }
  }

  /** Returns when the node answered at all, with data or not. */
  async #probeNode(history: RequestHistory, signal: AbortSignal | undefined): Promise<void> {
    try {
      await this.#send(this.#parts.probe, history, signal);
    } catch (error) {
      if (history.nodeIsDown || signal?.aborted || !(error instanceof AnswerFault)) throw error;
    }
  }

  async #send<T>(request: NodeRequest<T>, history: RequestHistory, signal: AbortSignal | undefined): Promise<T> {
    this.requests += 1;
    const sentAtMs = this.#parts.clock.monotonic();
    try {
      const raw = await this.#parts.transport.get(this.#parts.url.path + request.path, request.headers, signal);
      const quota = readRateHeaders(raw.headers, this.#parts.clock.now());
      if (quota !== undefined) this.#parts.pace.quota(quota);
      const answer = request.read(raw);
      this.#hasAnswered = true;
      this.#parts.pace.answered(sentAtMs);
      return answer;
    } catch (error) {
      history.nodeIsDown = this.#tellPace(error, request.path, sentAtMs, signal);
      throw error;
    }
  }

  /** Returns whether the node is now taken to be down. */
  #tellPace(error: unknown, path: string, sentAtMs: number, signal: AbortSignal | undefined): boolean {
    const row = error instanceof AnswerFault && !signal?.aborted ? errorClass(error.kind) : undefined;
    if (!(error instanceof AnswerFault) || !row) this.#parts.pace.abandoned();
    else if (row.pausesAll && row.retry) this.#parts.pace.complained(sentAtMs, row.retry, error.known.retryAfterMs);
    else if (row.breaker) return this.#parts.pace.failed(path, row.breaker);
    else this.#parts.pace.answered(sentAtMs);
    if (row && row.breaker !== "down") this.#hasAnswered = true;
    return false;
  }

  /** How long until the next attempt; undefined when there is none. */
  #waitAfter(fault: AnswerFault, history: RequestHistory, untilMs: number): number | undefined {
    const { retry, pausesAll, isFinalAtFirst } = errorClass(fault.kind);
    if (isFinalAtFirst && !this.#hasAnswered) return undefined;
    const now = this.#parts.clock.monotonic();
    // Then it is not this request that failed: it waits in the pace's queue until the node answers or is given up.
    if (history.nodeIsDown && retry && !this.#closing.signal.aborted) return now > untilMs ? undefined : 0;
    const failures = history.failures.get(fault.kind) ?? { count: 0, sinceMs: now };
    failures.count += 1;
    history.failures.set(fault.kind, failures);
    if (!retry || this.#closing.signal.aborted) return undefined;
    if (failures.count >= retry.attempts || history.attempts >= this.#parts.limits.attempts) return undefined;
    // A paused request waits in the pace's queue with all others.
    const asked = fault.known.retryAfterMs;
    const wait = pausesAll ? 0 : asked ? clampRetryAfter(retry, asked) : backoffMs(retry, failures.count, this.#parts.random());
    const isLate = now + wait - failures.sinceMs > retry.withinMs || now + wait > untilMs;
    return isLate ? undefined : wait;
  }

  #toNodeError<T>(fault: AnswerFault, request: NodeRequest<T>, history: RequestHistory): NodeError {
    // "Down for 10 s" alone would hide the reason.
    const final =
      fault.kind === "node_down" && history.last
        ? new AnswerFault(fault.kind, `${fault.message}; last: ${history.last.message}`, history.last.known, history.last.cause)
        : fault;
    return new NodeError(final, { url: this.#parts.url.shown + request.path, attempts: history.attempts, redact: this.#parts.redact });
  }

  /**
   * Ends early when the node closes, or with the signal's reason on abort. `AbortSignal.any` would leak a listener on both signals for
   * each wait.
   */
  async #sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
    const closing = this.#closing.signal;
    const pause = new AbortController();
    const stop = (): void => pause.abort();
    for (const source of [signal, closing]) source?.addEventListener("abort", stop);
    if (signal?.aborted || closing.aborted) stop();
    try {
      await this.#parts.clock.sleep(ms, pause.signal);
    } catch {
      signal?.throwIfAborted();
    } finally {
      for (const source of [signal, closing]) source?.removeEventListener("abort", stop);
    }
  }
}
