import type { Clock } from "../../base/time.ts";
import type { ConcurrencyLimit } from "../http/concurrency-limit.ts";
import type { ServeLimits } from "../serve-limits.ts";

/** As many large answers wait already as may. */
export class TooManyLarge extends Error {}

/** What bounds one request to the node: its time, and its place among the large answers once it has one. */
export type RequestBounds = ReturnType<typeof boundRequest>;

/** Begins the time of a request. `client` is aborted when the client goes away. */
export function boundRequest(
  client: AbortSignal,
  limits: Pick<ServeLimits, "upstreamMs" | "upstreamLargeMs">,
  largePlaces: ConcurrencyLimit,
  clock: Pick<Clock, "sleep">,
) {
  const late = new AbortController();
  let [ms, running] = [0, new AbortController()];
  let release: (() => void) | undefined;
  const allow = (timeMs: number): void => {
    [ms, running] = [timeMs, new AbortController()];
    clock.sleep(timeMs, running.signal).then(
      () => late.abort(),
      () => undefined,
    );
  };
  const signal = AbortSignal.any([client, late.signal]);
  allow(limits.upstreamMs);
  return {
    /** Aborted when the client goes away or the time is over. */
    signal,
    /** The time that the request was given last, in milliseconds. */
    ms: () => ms,
    /** Waits for a place among the large answers, and starts their time. @throws TooManyLarge */
    becomeLarge: async (): Promise<void> => {
      running.abort();
      release = await largePlaces.acquire(signal);
      if (release === undefined) throw new TooManyLarge();
      allow(limits.upstreamLargeMs);
    },
    /** The answer is read: its time is not measured any further. */
    stopTime: (): void => running.abort(),
    /** The answer is no longer held in memory here. */
    end: (): void => release?.(),
  };
}
