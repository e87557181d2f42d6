/** A moment in milliseconds since 1970 as ISO 8601 in UTC, without fractions of a second. */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, "Z");
}
