import type { MadeAt } from "../../archive/times/ledger-times.ts";

/** A moment in milliseconds since 1970 as ISO 8601 in UTC, without fractions of a second; null stays null. */
export function isoTime(ms: number): string;
export function isoTime(ms: number | null): string | null;
export function isoTime(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString().replace(/\.\d+Z$/, "Z");
}

/** The ledger's own time of a version, and its error, as every object for machines has them. */
export function ledgerTimeJson({ ledgerTime, ledgerTimeErrorMs }: MadeAt): {
  ledger_time: string | null;
  ledger_time_error_ms: number | null;
} {
  return { ledger_time: isoTimeMs(ledgerTime), ledger_time_error_ms: ledgerTimeErrorMs };
}

/** The same with milliseconds, for machines. */
export function isoTimeMs(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
