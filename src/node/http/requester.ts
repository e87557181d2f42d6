import type { Clock } from "../../base/clock.ts";
import { AnswerFault } from "../answers/answer-fault.ts";
import { errorClass, type NodeErrorKind } from "../answers/error-classes.ts";
import { NodeError } from "../node-error.ts";
import type { NodeLimits } from "../node-limits.ts";
import type { Pace } from "../pace/pace.ts";
import { backoffMs, clampRetryAfter } from "../pace/retry-wait.ts";
import type { BaseUrl } from "./base-url.ts";
import type { RawAnswer, Transport } from "./transport.ts";

/** One question: where, with which headers, and how its answer is read. `read` throws AnswerFault when there is none in it. */
export type Question<T> = {
  /** After the base URL: `/accounts/0x1`. */
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly read: (answer: RawAnswer) => T;
};

/** What a question has been through so far. */
type Trial = {
  attempts: number;
  readonly failures: Map<NodeErrorKind, { count: number; readonly sinceMs: number }>;
  nodeIsDown: boolean;
  last?: AnswerFault;
};

/**
 * Asks until there is an answer, or until the table of failures says that it is over: waits for the pace, spends the
 * budget, tells the pace what came of it, waits between attempts. Holds the counts that all requests share.
 */
export class Requester {
  readonly #transport: Transport;
  readonly #pace: Pace;
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #limits: NodeLimits;
  readonly #url: BaseUrl;
  readonly #budget: number;
  readonly #probe: Question<unknown>;
  readonly #redact: (text: string) => string;
  readonly #closing = new AbortController();
  /** Requests sent, retries among them. */
  requests = 0;
  retries = 0;
  #reserved = 0;

  constructor(parts: {
    transport: Transport;
    pace: Pace;
    clock: Clock;
    random: () => number;
    limits: NodeLimits;
    url: BaseUrl;
    budget: number;
    /** A question that any living node answers: asked in place of one that may have brought the breaker to open. */
    probe: Question<unknown>;
    redact: (text: string) => string;
  }) {
    this.#transport = parts.transport;
    this.#pace = parts.pace;
    this.#clock = parts.clock;
    this.#random = parts.random;
    this.#limits = parts.limits;
    this.#url = parts.url;
    this.#budget = parts.budget;
    this.#probe = parts.probe;
    this.#redact = parts.redact;
  }

  /** The answer to a question. Throws NodeError, or the signal's reason once it is aborted. */
  async ask<T>(question: Question<T>, signal: AbortSignal | undefined): Promise<T> {
    const trial: Trial = { attempts: 0, failures: new Map(), nodeIsDown: false };
    const untilMs = this.#clock.monotonic() + this.#limits.requestTimeoutMs;
    for (;;) {
      try {
        return await this.#attempt(question, trial, untilMs, signal);
      } catch (error) {
        if (signal?.aborted) throw signal.reason;
        if (!(error instanceof AnswerFault)) throw error;
        const waitMs = this.#waitAfter(error, trial, untilMs);
        if (waitMs === undefined) throw this.#give(error, question, trial);
        trial.last = error;
        this.retries += 1;
        if (waitMs > 0) await this.#sleep(waitMs, signal);
      }
    }
  }

  /** Ends all that waits; requests on the way fail as `closed`. */
  async close(): Promise<void> {
    const fault = new AnswerFault("closed", "the node was closed while the request waited");
    this.#closing.abort(fault);
    this.#pace.close(fault);
    await this.#transport.close();
  }

  async #attempt<T>(question: Question<T>, trial: Trial, untilMs: number, signal: AbortSignal | undefined): Promise<T> {
    await this.#turn(untilMs, signal);
    // Requests that fail by themselves, such as those of one account, would prove a living node dead; another question does not.
    if (this.#pace.isProbing) {
      await this.#seekLife(trial, signal);
      await this.#turn(untilMs, signal);
    }
    trial.attempts += 1;
    return this.#send(question, trial, signal);
  }

  async #turn(untilMs: number, signal: AbortSignal | undefined): Promise<void> {
    if (this.#closing.signal.aborted) throw this.#closing.signal.reason;
    if (this.#reserved >= this.#budget) throw new AnswerFault("budget_spent", `${this.#budget} requests were allowed`);
    this.#reserved += 1;
    try {
      // Most requests may go at once; awaiting nothing would cost them a turn of the loop.
      const turn = this.#pace.turn(untilMs, signal);
      if (turn !== undefined) await turn;
    } catch (error) {
      this.#reserved -= 1;
      throw error;
    }
  }

  /** Returns when the node answered at all; whether it likes the question is no matter. */
  async #seekLife(trial: Trial, signal: AbortSignal | undefined): Promise<void> {
    try {
      await this.#send(this.#probe, trial, signal);
    } catch (error) {
      if (trial.nodeIsDown || signal?.aborted || !(error instanceof AnswerFault)) throw error;
    }
  }

  async #send<T>(question: Question<T>, trial: Trial, signal: AbortSignal | undefined): Promise<T> {
    this.requests += 1;
    const sentAtMs = this.#clock.monotonic();
    try {
      const answer = question.read(await this.#transport.get(this.#url.path + question.path, question.headers, signal));
      this.#pace.answered(sentAtMs);
      return answer;
    } catch (error) {
      trial.nodeIsDown = this.#tellPace(error, question.path, sentAtMs, signal);
      throw error;
    }
  }

  /** Answers whether the whole node is taken to be down. */
  #tellPace(error: unknown, path: string, sentAtMs: number, signal: AbortSignal | undefined): boolean {
    const row = error instanceof AnswerFault && !signal?.aborted ? errorClass(error.kind) : undefined;
    if (!(error instanceof AnswerFault) || !row) this.#pace.abandoned();
    else if (row.pausesAll && row.retry) this.#pace.complained(sentAtMs, row.retry, error.known.retryAfterMs);
    else if (row.breaker) return this.#pace.failed(path, row.breaker);
    else this.#pace.answered(sentAtMs);
    return false;
  }

  /** How long until the next attempt; undefined when there is none. */
  #waitAfter(fault: AnswerFault, trial: Trial, untilMs: number): number | undefined {
    const { retry, pausesAll } = errorClass(fault.kind);
    const now = this.#clock.monotonic();
    // Then it is not this request that fails: it waits in the pace's queue for a sign of life, or to be sent away.
    if (trial.nodeIsDown && retry && !this.#closing.signal.aborted) return now > untilMs ? undefined : 0;
    const failures = trial.failures.get(fault.kind) ?? { count: 0, sinceMs: now };
    failures.count += 1;
    trial.failures.set(fault.kind, failures);
    if (!retry || this.#closing.signal.aborted) return undefined;
    if (failures.count >= retry.attempts || trial.attempts >= this.#limits.attempts) return undefined;
    // A paused request waits in the pace's queue with all others.
    const asked = fault.known.retryAfterMs;
    const wait = pausesAll ? 0 : asked ? clampRetryAfter(retry, asked) : backoffMs(retry, failures.count, this.#random());
    const isLate = now + wait - failures.sinceMs > retry.withinMs || now + wait > untilMs;
    return isLate ? undefined : wait;
  }

  #give<T>(fault: AnswerFault, question: Question<T>, trial: Trial): NodeError {
    // "Down for 10 s" alone would hide why.
    const final =
      fault.kind === "node_down" && trial.last
        ? new AnswerFault(fault.kind, `${fault.message}; last: ${trial.last.message}`, trial.last.known, trial.last.cause)
        : fault;
    return new NodeError(final, { url: this.#url.shown + question.path, attempts: trial.attempts, redact: this.#redact });
  }

  /** Ends early when the door is closed, and with the signal's reason when that is aborted. AbortSignal.any would leave a trace on both for each wait. */
  async #sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
    const closing = this.#closing.signal;
    const nap = new AbortController();
    const stop = (): void => nap.abort();
    for (const source of [signal, closing]) source?.addEventListener("abort", stop);
    if (signal?.aborted || closing.aborted) stop();
    try {
      await this.#clock.sleep(ms, nap.signal);
    } catch {
      signal?.throwIfAborted();
    } finally {
      for (const source of [signal, closing]) source?.removeEventListener("abort", stop);
    }
  }
}
