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
