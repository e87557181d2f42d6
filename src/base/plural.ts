/** A number with its noun: `1 gap`, `2 gaps`, `12,000 accounts`. */
export function plural(value: number | bigint, one: string, many = `${one}s`): string {
  return `${value.toLocaleString("en-US")} ${value === 1 || value === 1n ? one : many}`;
}

/** The first `most` of some names on one line, and how many more there are: `a, b and 3 more`. */
export function listFirst(names: readonly string[], most: number): string {
  const rest = names.length - most;
  return `${names.slice(0, most).join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`;
}
