const LETTER = /[\p{L}\p{N}]/u;

/** A text with the beginnings of words that were searched for marked. Both must be printable; words are lower-case letters and digits. */
export function markWords(text: string, words: readonly string[], mark: (found: string) => string): string {
  if (words.length === 0) return text;
  return text.replace(wordPattern(words), (found, offset: number) => (isBeginning(text, offset) ? mark(found) : found));
}

/** The part of a text that fits into that number of characters and shows the first word that was found. */
export function snippet(text: string, words: readonly string[], width: number): string {
  if (text.length <= width) return text;
  const found = words.length === 0 ? [] : [...text.matchAll(wordPattern(words))].filter(({ index }) => isBeginning(text, index));
  const from = Math.max(0, Math.min((found[0]?.index ?? 0) - Math.floor(width / 3), text.length - width + 1));
  const part = text.slice(from, from + width - (from > 0 ? 1 : 0));
  const isEnd = from + part.length >= text.length;
  return `${from > 0 ? "…" : ""}${isEnd ? part : `${part.slice(0, -1)}…`}`;
}

function wordPattern(words: readonly string[]): RegExp {
  return new RegExp(words.toSorted((a, b) => b.length - a.length).join("|"), "giu");
}

/** Whether a word can begin here: after no letter, where camel case has a capital, or after the E of a constant. */
function isBeginning(text: string, offset: number): boolean {
  const before = text[offset - 1];
  if (before === undefined || !LETTER.test(before)) return true;
  if (/\p{Lu}/u.test(text[offset] ?? "") && /[\p{Ll}\p{N}]/u.test(before)) return true;
  return before === "E" && /^[A-Z0-9_]/.test(text.slice(offset)) && !LETTER.test(text[offset - 2] ?? " ");
}
