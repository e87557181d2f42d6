/** What is known about the time of requests: how many were sent in how much time, and the shortest time that the rate allows (0: no limit). */
export type Sent = { readonly requests: number; readonly elapsedMs: number; readonly allowedMs: number };

/** The time assumed for a request before any was measured, without a rate and one at a time. */
const FIRST_GUESS_MS = 50;

/** How many measured requests the assumption before them counts as: a few slow answers at the beginning must not make a plan hopeless. */
const RATE_WEIGHT = 200;
const GUESS_WEIGHT = 10;

/**
 * The planned milliseconds from one request to the next: the time measured since the run began, weighted with that of the
 * rate allowed or, without a rate, with a guess for `concurrency` requests at a time. Never less than the rate allows.
 */
export function msPerRequest({ requests, elapsedMs, allowedMs }: Sent, concurrency: number): number {
  const [before, weight] = allowedMs > 0 ? [allowedMs, RATE_WEIGHT] : [FIRST_GUESS_MS / concurrency, GUESS_WEIGHT];
  return Math.max(allowedMs, (elapsedMs + before * weight) / (requests + weight));
}
