/** JSON text with a row on each line, so that a file of outcomes reads as a table and changes by lines. */
export function jsonRows(facts: Readonly<Record<string, unknown>>, rows: readonly unknown[]): string {
  const head = JSON.stringify(facts).slice(0, -1);
  return `${head},"cells":[\n${rows.map((row) => JSON.stringify(row)).join(",\n")}\n]}\n`;
}
