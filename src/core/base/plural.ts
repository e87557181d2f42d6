/** A whole number with commas, as `toLocaleString("en-US")` writes it, which loads 10 ms of Unicode's data for its first one. */
export function grouped(value: number | bigint): string {
  return String(value).replace(/\B(?=(?:\d{3})+$)/g, ",");
}

/** A number with its noun: `1 gap`, `2 gaps`, `12,000 accounts`. */
export function plural(value: number | bigint, one: string, many = `${one}s`): string {
  return `${grouped(value)} ${value === 1 || value === 1n ? one : many}`;
}

/** The first `most` of some names on one line, and how many more there are: `a, b and 3 more`. */
export function listFirst(names: readonly string[], most: number): string {
  const rest = names.length - most;
  return `${names.slice(0, most).join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`;
}

const UNITS = ["kB", "MB", "GB", "TB", "PB"];

/** A number of bytes as a person says it, in powers of a thousand: `512 B`, `1.2 kB`, `34 MB`. */
export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${Math.round(bytes)} B`;
  let value = bytes / 1000;
  let unit = 0;
  while (value >= 999.5 && unit < UNITS.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${value < 9.95 ? value.toFixed(1) : value.toFixed(0)} ${UNITS[unit]}`;
}

/** The texts of a list in which conditions stand before those that may be left out: `count > 0 && "…"`. */
export function keepTexts(parts: readonly (string | boolean | number | null | undefined)[]): string[] {
  return parts.filter((part) => typeof part === "string");
}
