import type { AlertMessage } from "./message.ts";

/** One alert, as one place is told of it. */
export type Notice = {
  /** The same at each try, so that a receiver can tell a repetition. */
  readonly id: string;
  readonly message: AlertMessage;
  /** Whether there was an earlier try, which may have arrived. */
  readonly isUncertain: boolean;
};

/**
 * What came of a try. A fault is in words without secrets; `isOfPlace` when it has nothing to do with this one alert, so that others
 * would fail too. `retryAfterMs` is what the receiver asked for.
 */
export type Told =
  | { readonly isTold: true }
  | { readonly isTold: false; readonly fault: string; readonly isOfPlace: boolean; readonly retryAfterMs?: number };

/** A place where alerts are told. */
export type Channel = {
  /** What it is called in the database and in the log: nothing secret. */
  readonly name: string;
  /** Tries once, in bounded time. Never throws for what the place does. */
  readonly tell: (notice: Notice) => Promise<Told>;
};

/** That it was taken. */
export const TOLD: Told = { isTold: true };
