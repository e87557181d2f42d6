import { InvalidArgumentError } from "commander";
import { parseDuration } from "../../base/time/duration.ts";
import { LEDGER_VERSION_MAX, parseU64 } from "../../base/u64.ts";
import type { Edge, Step } from "../../crawl/backfill/backfill-points.ts";

/** A moment with a date and perhaps a time, in UTC unless it says otherwise. */
const MOMENT = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d)?(?:Z|[+-]\d\d:\d\d)?)?$/;

/** `1d`, `12h`, `30m`: a stretch of time; a plain number: versions. */
export function parseStep(text: string): Step {
  const versions = parseU64(text);
  if (versions !== undefined && versions > 0n && versions <= LEDGER_VERSION_MAX) return { versions };
  const ms = parseDuration(text);
  if (ms !== undefined && ms >= 1000) return { ms: Math.round(ms) };
  throw new InvalidArgumentError("Give a time such as 1d or 12h, or a number of versions.");
}

/** A ledger version, `genesis` for the first, `-N` for N below the newest, or a moment such as `2026-11-20` or `2026-11-20T04:00`. */
export function parseEdge(text: string): Edge {
  if (text === "genesis") return { version: 0n };
  const versions = parseU64(text.startsWith("-") ? text.slice(1) : text);
  if (versions !== undefined && versions <= LEDGER_VERSION_MAX) return text.startsWith("-") ? { behind: versions } : { version: versions };
  const atMs = MOMENT.test(text) ? Date.parse(/T\d\d:\d\d(?::\d\d)?$/.test(text) ? `${text}Z` : text) : Number.NaN;
  if (Number.isFinite(atMs) && atMs >= 0) return { atMs };
  throw new InvalidArgumentError("Give a ledger version, -N for N versions before the newest, or a UTC time such as 2026-11-20T04:00.");
}
