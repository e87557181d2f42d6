import type { Value } from "./table.ts";

/** Milliseconds on both sides of 1970 that a Date holds. Source: ECMA-262, "Time Values and Time Range". */
const DATE_MAX = 8_640_000_000_000_000n;

/** The boolean behind the value of a `boolean` column. */
export function toBoolean(value: Exclude<Value, null>): boolean {
  return BigInt(value as bigint | number) !== 0n;
}

/** The value of a `time` column in milliseconds since 1970. Views have times as ISO text. @throws RangeError if it is no time */
export function toMs(value: Exclude<Value, null>): bigint {
  return BigInt(typeof value === "string" ? Date.parse(value) : (value as bigint | number));
}

/** A time as ISO text in UTC (2026-01-31T12:00:00.000Z). One that no Date holds stays the number of milliseconds that it is. */
export function formatTime(value: Exclude<Value, null>): string | bigint {
  const ms = toMs(value);
  return ms >= -DATE_MAX && ms <= DATE_MAX ? new Date(Number(ms)).toISOString() : ms;
}
