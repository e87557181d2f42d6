/** The texts of a list in which conditions stand before those that may be left out: `count > 0 && "…"`. */
export function keepTexts(parts: readonly (string | boolean | number | null | undefined)[]): string[] {
  return parts.filter((part) => typeof part === "string");
}
