import { hangingText } from "../../base/hanging-text.ts";

/**
 * Lays Markdown out to be read on a terminal of `width` columns: paragraphs, headings and items of lists are broken between words. Blocks
 * of code stay as they are.
 */
export function fitMarkdown(text: string, width: number): string {
  let isCode = false;
  const fitted = text.split("\n").map((line) => {
    if (/^ *```/.test(line)) isCode = !isCode;
    return isCode ? line : fitLine(line, width);
  });
  return fitted.join("\n");
}

/** A paragraph, a heading or an item; further lines of an item stand below its text. */
function fitLine(line: string, width: number): string {
  const [, lead = "", rest = ""] = /^( *(?:[-*] )?)(.*)$/.exec(line) ?? [];
  return line.length <= width ? line : hangingText(lead, rest, width);
}
