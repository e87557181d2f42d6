/** Values of JSON, one a line. */
export function jsonLines<Value = Record<string, unknown>>(text: string): Value[] {
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Value);
}
