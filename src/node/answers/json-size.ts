import { AnswerFault } from "./answer-fault.ts";

/** How much JSON one answer may hold. */
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
 * Refuses JSON that would cost more to parse than any answer of a node is worth, before it is parsed: `JSON.parse` cannot
 * be interrupted, and a few kB of gzip unpack to tens of millions of values (4 GB and minutes). The text is not checked
 * for anything else; a string that never ends hides what follows it, and the parser refuses that.
 *
 * @throws AnswerFault `too_large` for too many values, where a smaller page may help, and `bad_answer` for too deep ones
 */
export function checkJsonSize(text: Uint8Array, bounds: JsonBounds): void {
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
      if (depth > bounds.depth) throw new AnswerFault("bad_answer", `the JSON is nested more than ${bounds.depth} deep`);
    } else if ((byte & 0xdf) === 0x5d) depth -= 1;
    if (values > bounds.values) throw new AnswerFault("too_large", `the JSON holds more than ${bounds.values} values`);
  }
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
