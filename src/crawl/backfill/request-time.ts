/** What is known of how long requests take: how many were sent in how much time, and the least that the rate allows (0: no limit). */
export type Sent = { readonly requests: number; readonly elapsedMs: number; readonly allowedMs: number };

/** What a request is taken to last before any was measured, without a rate and one at a time. */
const FIRST_GUESS_MS = 50;

/** How many measured requests what was known beforehand counts for: a few slow answers at the beginning must not end hopes. */
const RATE_WEIGHT = 200;
const GUESS_WEIGHT = 10;

/**
 * Milliseconds from one request to the next, to plan with: what was measured since the run began, tempered by the rate
 * allowed or, without one, by a guess for `concurrency` requests at a time. Never less than the rate allows.
 */
export function msPerRequest({ requests, elapsedMs, allowedMs }: Sent, concurrency: number): number {
  const [before, weight] = allowedMs > 0 ? [allowedMs, RATE_WEIGHT] : [FIRST_GUESS_MS / concurrency, GUESS_WEIGHT];
  return Math.max(allowedMs, (elapsedMs + before * weight) / (requests + weight));
}
