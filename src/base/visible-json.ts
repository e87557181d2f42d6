// What JSON leaves as it is and a terminal, a web page or a reader can be fooled with: DEL and C1 controls, line separators,
// and the characters that Unicode calls format: direction marks, invisible ones, tags.
const INVISIBLE = /[\u007f-\u009f\p{Cf}\u2028\u2029]/gu;

/** JSON text that says the same, with an escape for each character that could not be seen or that a terminal acts on. */
export function visibleJson(json: string): string {
  return json.replace(INVISIBLE, (found) =>
    Array.from({ length: found.length }, (_, i) => `\\u${found.charCodeAt(i).toString(16).padStart(4, "0")}`).join(""),
  );
}
