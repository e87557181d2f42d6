import { printable } from "../../base/printable.ts";
import type { Clock } from "../../base/time.ts";
import type { Pace } from "../pace/pace.ts";
import { errorClass, type NodeErrorKind } from "../protocol/error-classes.ts";
import { AnswerFault, backoffMs, clampRetryAfter, NodeError } from "../protocol/node-error.ts";
import type { BaseUrl } from "./base-url.ts";
import type { NodeLimits } from "./body.ts";
import type { RawAnswer, Transport } from "./transport.ts";

/** One request: its path, its headers, and how its answer is read. `read` throws AnswerFault for an answer without data. */
export type NodeRequest<T> = {
  /** After the base URL: `/accounts/0x1`. */
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly read: (answer: RawAnswer) => T;
};

/** Attempts that have failed: since the node last answered, or in the whole run. */
export type NodeFailed = {
  readonly attempts: number;
  /** The last failure, in words that are safe to print. */
  readonly last: string;
};

/** Failures of a whole run. `lostMs`: the time that went by before a request was sent that was answered, if one was. */
export type NodeFailures = NodeFailed & { readonly lostMs: number };

/** An attempt that is given up unanswered after thrice the longest answer is one that failed, within these bounds in milliseconds. */
const UNANSWERED_MS = { least: 2000, most: 5000 };

type RequestHistory = {
  attempts: number;
  readonly failures: Map<NodeErrorKind, { count: number; readonly sinceMs: number }>;
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
  readonly credentialSource: string | undefined;
};

/**
 * Repeats a request until it is answered, or until the table of failures says to give it up: waits for its turn, spends
 * the budget, reports each outcome to the pace, waits between attempts. Holds the counters that all requests share.
 */
export class Requester {
  readonly #parts: RequesterParts;
  /** Requests sent, retries among them. */
  requests = 0;
  retries = 0;
  /** Undefined while the node answers, be it with an error that is an answer: an account that is not there. */
  failing: NodeFailed | undefined;
  #failed = 0;
  #last = "";
  #lostMs = 0;
  /** A failure after which no request was sent that was answered: since when nothing had come, and when it was seen. */
  #lost: { readonly fromMs: number; readonly seenMs: number; readonly isPace: boolean } | undefined;
  /** Requests answered, signs of life not counted. */
  answers = 0;
  #answeredMs: number | undefined;
  #longestMs = 0;
  #reserved = 0;
  #hasAnswered = false;
  /** Whether it answered at this address in earlier runs: a host without an address is then one that is down. */
  isExpected = false;

  constructor(parts: RequesterParts) {
    this.#parts = parts;
  }

  /** Failures of the whole run, those between answers among them; undefined where nothing failed. */
  get failures(): NodeFailures | undefined {
    if (this.#failed === 0) return undefined;
    const pendingMs = this.#lost === undefined ? 0 : this.#parts.clock.monotonic() - this.#lost.fromMs;
    return { attempts: this.#failed, last: this.#last, lostMs: this.#lostMs + pendingMs };
  }

  /** The answer to a request. Throws NodeError, or the signal's reason once that is aborted. */
  async ask<T>(request: NodeRequest<T>, signal: AbortSignal | undefined): Promise<T> {
    const history: RequestHistory = { attempts: 0, failures: new Map() };
    const untilMs = this.#parts.clock.monotonic() + this.#parts.limits.requestTimeoutMs;
    for (;;) {
      try {
        const turn = this.#turn(untilMs, signal);
        // Awaiting nothing would cost each request a turn of the event loop.
        if (turn !== undefined) await turn;
        history.attempts += 1;
        return await this.#send(request, signal);
      } catch (error) {
        if (signal?.aborted) throw signal.reason;
        if (!(error instanceof AnswerFault)) throw error;
        const waitMs = this.#waitAfter(error, history, untilMs);
        if (waitMs === undefined) throw this.#toNodeError(error, request, history);
        this.retries += 1;
        if (waitMs > 0) await this.#parts.pace.sleep(waitMs, signal);
      }
    }
  }

  /** Rejects everything that waits; requests under way fail as `closed`. */
  async close(): Promise<void> {
    const fault = new AnswerFault("closed", "the node was closed while the request waited");
    this.#parts.pace.close(fault);
    await this.#parts.transport.close();
  }

  #turn(untilMs: number, signal: AbortSignal | undefined): Promise<void> | undefined {
    this.#reserve();
    const giveBack = (error: unknown): never => {
      this.#reserved -= 1;
      throw error;
    };
    try {
      return this.#parts.pace.turn(untilMs, signal, () => this.#probe(signal))?.catch(giveBack);
    } catch (error) {
      return giveBack(error);
    }
  }

  #reserve(): void {
    if (this.#reserved >= this.#parts.budget) throw new AnswerFault("budget_spent", `${this.#parts.budget} requests were allowed`);
    this.#reserved += 1;
  }

  /** Asks the node for a sign of life: a request that fails by itself, such as that of one account, would show a working node as down. */
  async #probe(signal: AbortSignal | undefined): Promise<void> {
    this.#reserve();
    try {
      await this.#send(this.#parts.probe, signal);
    } catch (error) {
      if (signal?.aborted || !(error instanceof AnswerFault)) throw error;
    }
  }

  async #send<T>(request: NodeRequest<T>, signal: AbortSignal | undefined): Promise<T> {
    this.requests += 1;
    const sentAtMs = this.#parts.clock.monotonic();
    try {
      const raw = await this.#parts.transport.get(this.#parts.url.path + request.path, request.headers, signal);
      const answer = request.read(raw);
      this.#parts.pace.answered(sentAtMs);
      this.#hasAnswered = true;
      this.#longestMs = Math.max(this.#longestMs, this.#parts.clock.monotonic() - sentAtMs);
      // A sign of life answers nothing that was to be read.
      if (request !== this.#parts.probe) this.#noteAnswer(sentAtMs);
      return answer;
    } catch (error) {
      if (signal?.aborted) this.#noteUnanswered(sentAtMs);
      else if (error instanceof AnswerFault) this.#report(error, request.path, sentAtMs);
      throw error;
    }
  }

  #noteUnanswered(sentAtMs: number): void {
    const waitedMs = this.#parts.clock.monotonic() - sentAtMs;
    // Requests in flight when the last one is spent are given up without a word of the node.
    const { least, most } = UNANSWERED_MS;
    if (waitedMs >= Math.min(most, Math.max(least, 3 * this.#longestMs)) && this.#reserved < this.#parts.budget)
      this.#noteFailure(sentAtMs, `no answer within ${Math.round(waitedMs / 1000)} s`);
  }

  #noteAnswer(sentAtMs: number): void {
    if (this.#lost !== undefined && sentAtMs > this.#lost.seenMs) {
      // A 429 that was obeyed, and then answered, is the pace that the node wants.
      if (!this.#lost.isPace) this.#lostMs += sentAtMs - this.#lost.fromMs;
      this.#lost = undefined;
    }
    this.failing = undefined;
    this.answers += 1;
    this.#answeredMs = this.#parts.clock.monotonic();
  }

  #noteFailure(sentAtMs: number, text: string, isPace = false): void {
    this.#failed += 1;
    this.#last = printable(this.#parts.redact(text), 300);
    this.#lost ??= { fromMs: Math.max(sentAtMs, this.#answeredMs ?? 0), seenMs: this.#parts.clock.monotonic(), isPace };
    this.failing = { attempts: (this.failing?.attempts ?? 0) + 1, last: this.#last };
  }

  #report(fault: AnswerFault, path: string, sentAtMs: number): void {
    const { pace } = this.#parts;
    const { pausesAll, retry, breaker, meaning } = errorClass(fault.kind);
    if (retry === undefined || this.#isFinal(fault)) this.#noteAnswer(sentAtMs);
    else this.#noteFailure(sentAtMs, `${meaning}: ${fault.message}`, fault.kind === "rate_limited");
    if (pausesAll && retry && !this.#isFinal(fault)) pace.complained(sentAtMs, retry, fault.known.retryAfterMs, this.#last);
    // Any working node answers the probe, so that of one that has not answered at all more is wrong than this request.
    else if (breaker) pace.failed(path, !this.#hasAnswered && path === this.#parts.probe.path ? "down" : breaker, fault, this.#last);
    else pace.answered(sentAtMs);
  }

  /** How long until the next attempt; undefined when there is none. */
  #waitAfter(fault: AnswerFault, history: RequestHistory, untilMs: number): number | undefined {
    const { retry, pausesAll } = errorClass(fault.kind);
    if (this.#isFinal(fault)) return undefined;
    const now = this.#parts.clock.monotonic();
    // Then it is not this request that failed: it waits in the pace's queue until the node answers or is given up.
    if (this.#parts.pace.isDown() && retry) return now >= untilMs ? undefined : 0;
    const failures = history.failures.get(fault.kind) ?? { count: 0, sinceMs: now };
    failures.count += 1;
    history.failures.set(fault.kind, failures);
    if (!retry) return undefined;
    if (failures.count >= retry.attempts || history.attempts >= this.#parts.limits.attempts) return undefined;
    // A paused request waits in the pace's queue with all others.
    const asked = fault.known.retryAfterMs;
    const wait = pausesAll ? 0 : asked ? clampRetryAfter(retry, asked) : backoffMs(retry, failures.count, this.#parts.random());
    const isLate = now + wait - failures.sinceMs > retry.withinMs || now + wait >= untilMs;
    return isLate ? undefined : wait;
  }

  #isFinal(fault: AnswerFault): boolean {
    const { isFinalAtFirst, breaker } = errorClass(fault.kind);
    return isFinalAtFirst === true && !this.#hasAnswered && !(this.isExpected && breaker);
  }

  #toNodeError<T>(fault: AnswerFault, request: NodeRequest<T>, history: RequestHistory): NodeError {
    const { url, redact, credentialSource } = this.#parts;
    return new NodeError(fault, { url: url.shown + request.path, attempts: history.attempts, redact, credentialSource });
  }
}
