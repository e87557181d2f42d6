import { parseDuration } from "../../core/base/time.ts";
import { parserOf, readVersion } from "../../core/cli/options/options.ts";
import type { Edge, Step } from "./backfill-points.ts";

/** A moment with a date and perhaps a time, in UTC unless it says otherwise. */
const MOMENT = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d)?(?:Z|[+-]\d\d:\d\d)?)?$/;

/** `1d`, `12h`, `30m`: a stretch of time; a plain number: versions. */
export const parseStep = parserOf((text): Step | undefined => {
  const versions = readVersion(text);
  if (versions !== undefined && versions > 0n) return { versions };
  const ms = parseDuration(text);
  return ms !== undefined && ms >= 1000 ? { ms: Math.round(ms) } : undefined;
}, "Give a time such as 1d or 12h, or a number of versions.");

/** A ledger version, `genesis` for the first, `-N` for N below the newest, or a moment such as `2026-11-20` or `2026-11-20T04:00`. */
export const parseEdge = parserOf((text): Edge | undefined => {
  if (text === "genesis") return { version: 0n };
  const version = readVersion(text.replace(/^-/, ""));
  if (version !== undefined) return text.startsWith("-") ? { behind: version } : { version };
  const atMs = MOMENT.test(text) ? Date.parse(/T\d\d:\d\d(?::\d\d)?$/.test(text) ? `${text}Z` : text) : Number.NaN;
  return Number.isFinite(atMs) && atMs >= 0 ? { atMs } : undefined;
}, "Give a ledger version, -N for N versions before the newest, or a UTC time such as 2026-11-20T04:00.");
