// What JSON leaves as it is and a terminal, a web page or a reader can be fooled with: DEL and C1 controls, direction
// marks, invisible characters, line separators, and the sign that could end a script element.
const ESCAPED = /[\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff<]/g;

/** A value as JSON text that says the same and is harmless wherever it is shown: only printable characters, no `<`. */
export function harmlessJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replace(ESCAPED, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
