/** A moment in milliseconds since 1970 as ISO 8601 in UTC, without fractions of a second; null stays null. */
export function isoTime(ms: number): string;
export function isoTime(ms: number | null): string | null;
export function isoTime(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString().replace(/\.\d+Z$/, "Z");
}

/** The same with milliseconds, for machines. */
export function isoTimeMs(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
