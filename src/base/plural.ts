/** A number with its noun: `1 gap`, `2 gaps`, `12,000 accounts`. */
export function plural(value: number | bigint, one: string, many = `${one}s`): string {
  return `${value.toLocaleString("en-US")} ${value === 1 || value === 1n ? one : many}`;
}
