import { printable } from "../../base/printable.ts";

/** Hours of each day in which nothing is told: minutes since midnight in a time zone. */
export type QuietHours = { readonly from: number; readonly to: number; readonly timeZone: string };

const MINUTE_MS = 60_000;
const DAY_MINUTES = 24 * 60;

/** Reads `22:00-07:00`, with a time zone behind it unless UTC is meant. @throws RangeError in words for what is none */
export function parseQuietHours(text: string): QuietHours {
  const [, fromHour, fromMinute, toHour, toMinute, timeZone = "UTC"] =
    /^([01]\d|2[0-3]):([0-5]\d)-([01]\d|2[0-3]):([0-5]\d)(?: ([A-Za-z0-9_+/-]{1,64}))?$/.exec(text) ?? [];
  const wanted = "give hours as 22:00-07:00, or 22:00-07:00 Europe/Berlin";
  if (fromHour === undefined) throw new RangeError(`${wanted}; found \`${printable(text, 60)}\``);
  try {
    new Intl.DateTimeFormat("en", { timeZone });
  } catch {
    throw new RangeError(`${wanted}; there is no time zone \`${timeZone}\``);
  }
  const [from, to] = [Number(fromHour) * 60 + Number(fromMinute), Number(toHour) * 60 + Number(toMinute)];
  if (from === to) throw new RangeError(`${wanted}; the two times are equal`);
  return { from, to, timeZone };
}

/** When the quiet hours that it is in now end; undefined outside of them. Milliseconds since 1970. */
export function quietUntil({ from, to, timeZone }: QuietHours, now: number): number | undefined {
  const parts = new Intl.DateTimeFormat("en", { timeZone, hour: "2-digit", minute: "2-digit", hourCycle: "h23" }).formatToParts(now);
  const part = (type: string): number => Number(parts.find((one) => one.type === type)?.value);
  const minute = part("hour") * 60 + part("minute");
  const isQuiet = from < to ? minute >= from && minute < to : minute >= from || minute < to;
  return isQuiet ? now - (now % MINUTE_MS) + ((to - minute + DAY_MINUTES) % DAY_MINUTES) * MINUTE_MS : undefined;
}
