import type { AlertPlace } from "../alerts/deliveries.ts";
import type { AlertMessage } from "./message.ts";

/** What one place is told at once: a change, or all that wait for it. */
export type Notice = {
  /** The same at each try, so that a receiver can tell a repetition. */
  readonly id: string;
  /** Each listed change, the worst first. */
  readonly messages: readonly [AlertMessage, ...AlertMessage[]];
  /** All of it in one line, such as `12 changes of what you watch: 3 breaking, 9 dangerous`. */
  readonly summary: string;
  /** Changes that are counted and not listed. */
  readonly more: number;
  /** The page that lists alerts; null where no address of pages was given. */
  readonly link: string | null;
  /** Whether there was an earlier try, which may have arrived. */
  readonly isUncertain: boolean;
};

/**
 * What came of a try. A fault is in words without secrets; `isOfPlace`: other messages would fail too; `isEnd`: the place never
 * takes one again. `retryAfterMs` is the receiver's.
 */
export type TellOutcome =
  | { readonly isTold: true }
  | {
      readonly isTold: false;
      readonly fault: string;
      readonly isOfPlace: boolean;
      readonly isEnd?: boolean;
      readonly retryAfterMs?: number;
    };

/** A place where alerts are told; its `channel` is its name. */
export type Channel = AlertPlace & {
  /** Whether it is told of each change for itself, rather than of all at once. */
  readonly isApart: boolean;
  /** Tries once, in bounded time. Never throws for what the place does. */
  readonly tell: (notice: Notice) => Promise<TellOutcome>;
};

export const TOLD = { isTold: true } as const satisfies TellOutcome;
