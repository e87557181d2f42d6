/** Every series of a text in Prometheus' format, by its name with its labels. @throws Error for a line that is none, or stands twice */
export function seriesIn(text: string): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const line of text.trimEnd().split("\n")) {
    if (line.startsWith("#")) continue;
    const [, series, value] = /^(\w+(?:\{.*\})?) (\S+)$/.exec(line) ?? [];
    if (series === undefined || found.has(series)) throw new Error(`no series: ${line}`);
    found.set(series, Number(value));
  }
  return found;
}
