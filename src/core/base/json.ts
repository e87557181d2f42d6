// What JSON leaves as it is and a terminal, a web page or a reader can be fooled with: DEL and C1 controls, line separators,
// and the characters that Unicode calls format: direction marks, invisible ones, tags.
const INVISIBLE = /[\u007f-\u009f\p{Cf}\u2028\u2029]/gu;

/** JSON text that says the same, with an escape for each character that could not be seen or that a terminal acts on. */
export function visibleJson(json: string): string {
  return json.replace(INVISIBLE, (found) =>
    Array.from({ length: found.length }, (_, i) => `\\u${found.charCodeAt(i).toString(16).padStart(4, "0")}`).join(""),
  );
}

/** One JSON value in a line that is safe to print: control and invisible characters are escaped, integers above 2^53 are text. */
export function jsonText(value: unknown): string {
  return visibleJson(JSON.stringify(value, (_, part) => (typeof part === "bigint" ? part.toString() : part)));
}

/** JSON that is safe to print anywhere: only printable characters, and nothing that could open or close a script element. */
export function harmlessJson(value: unknown, indent?: number): string {
  return visibleJson(JSON.stringify(value, null, indent)).replaceAll(/<(?=[/!?]|script)/gi, "\\u003c");
}

export function isObject(json: unknown): json is Readonly<Record<string, unknown>> {
  return typeof json === "object" && json !== null && !Array.isArray(json);
}

export type JsonBounds = {
  /** Values, counted as brackets and commas outside of strings. */
  readonly values: number;
  /** Brackets open at one time. */
  readonly depth: number;
};

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;

/**
 * Which bound JSON exceeds, if any, told before it is parsed: `JSON.parse` cannot be interrupted, and a few kB of gzip unpack to
 * tens of millions of values. Nothing else is checked.
 */
export function findJsonExcess(text: Uint8Array, bounds: JsonBounds): keyof JsonBounds | undefined {
  let values = 0;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const byte = text[at] as number;
    if (byte === QUOTE) at = endOfString(text, at);
    else if (byte === COMMA) values += 1;
    // `[` and `{`, then `]` and `}`: the bit that tells a bracket from a brace is masked out.
    else if ((byte & 0xdf) === 0x5b) {
      values += 1;
      depth += 1;
      if (depth > bounds.depth) return "depth";
    } else if ((byte & 0xdf) === 0x5d) depth -= 1;
    if (values > bounds.values) return "values";
  }
  return undefined;
}

/** The place of the quote that ends the string beginning at `start`, or the end of the text. */
function endOfString(text: Uint8Array, start: number): number {
  for (let quote = text.indexOf(QUOTE, start + 1); quote >= 0; quote = text.indexOf(QUOTE, quote + 1)) {
    let escapes = 0;
    while (text[quote - 1 - escapes] === BACKSLASH) escapes += 1;
    if (escapes % 2 === 0) return quote;
  }
  return text.length;
}
