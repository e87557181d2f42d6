import type { AlertPlace } from "../../work/alerts/deliveries.ts";
import type { AlertMessage } from "./message.ts";

/** What one place is told at once: a change, or several as a digest. */
export type Notice = {
  /** The same at each try, so that a receiver can tell a repetition. */
  readonly id: string;
  readonly messages: readonly [AlertMessage, ...AlertMessage[]];
  /** Whether there was an earlier try, which may have arrived. */
  readonly isUncertain: boolean;
};

/**
 * What came of a try. A fault is in words without secrets; `isOfPlace`: other messages would fail too; `isEnd`: the place never
 * takes one again. `retryAfterMs` is the receiver's. A `note` is for one that was taken.
 */
export type TellOutcome =
  | { readonly isTold: true; readonly note?: string }
  | {
      readonly isTold: false;
      readonly fault: string;
      readonly isOfPlace: boolean;
      readonly isEnd?: boolean;
      readonly retryAfterMs?: number;
    };

/** How changes are put together: each for itself, those of a module, or all of a night. */
export const digests = ["none", "module", "night"] as const;
export type Digest = (typeof digests)[number];

export const webhookFormats = ["json", "slack", "discord", "alertmanager", "pagerduty"] as const;
export type WebhookFormat = (typeof webhookFormats)[number];

/** A place where alerts are told; its `channel` is its name. */
export type Channel = AlertPlace & {
  readonly digest: Digest;
  /** How many changes one message holds at most. */
  readonly most: number;
  /** The shortest time between two messages, in milliseconds. */
  readonly paceMs: number;
  /** Until when it is not to be told of anything, milliseconds since 1970; undefined when it may be told. */
  readonly quietUntil: (now: number) => number | undefined;
  /** Tries once, in bounded time. Never throws for what the place does. */
  readonly tell: (notice: Notice) => Promise<TellOutcome>;
};

/** A place that takes each change for itself at any pace and hour, by what tells it from others. */
export function eachForItself(channel: string, address: string): Omit<Channel, "tell"> {
  return { channel, address, level: "any", digest: "none", most: 1, paceMs: 0, quietUntil: () => undefined };
}

export const TOLD = { isTold: true } as const satisfies TellOutcome;
