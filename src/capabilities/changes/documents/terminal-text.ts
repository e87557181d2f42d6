import { hangingText, printable } from "../../../core/base/printable.ts";
import type { Colour, Paint } from "../../../core/cli/output/terminal.ts";
import { type Block, hasText, type Inline, type Point } from "./document.ts";

/** Colours of what stands out, by its tone; else it is bold. */
const TONES: Readonly<Record<string, Colour>> = {
  breaking: "red",
  dangerous: "yellow",
  behaviour: "yellow",
  incomparable: "yellow",
  safe: "green",
  done: "green",
  silent: "gray",
};
const SIGNS: Readonly<Record<string, Colour>> = { "-": "red", "+": "green", " ": "gray" };

/** Characters of a name or a line. */
const LINE_MAX = 2000;

/** A document for a terminal: points are indented, and below each stands what differs and what is said of it. */
export function terminalText(blocks: readonly Block[], paint: Paint): string {
  const shown = blocks.filter(hasText);
  return shown.map((block, i) => `${isApart(block, shown[i - 1]) ? "\n" : ""}${blockText(block, paint)}\n`).join("");
}

/** Whether an empty line stands before a block. Headings of level 3 with nothing below them are a list. */
function isApart(block: Block, before: Block | undefined): boolean {
  if (before === undefined || "points" in block) return before !== undefined && !("heading" in before);
  if (!("heading" in before)) return true;
  return "heading" in block ? block.level < 3 || before.level < 3 : before.level === 3;
}

function blockText(block: Block, paint: Paint): string {
  if ("paragraph" in block) return inlineText(block.paragraph, paint);
  if ("heading" in block && block.level === 2) return paint("bold", inlineText(block.heading, paint));
  if ("heading" in block) return inlineText(block.heading, paint, true);
  return block.points.flatMap((point) => pointLines(point, paint)).join("\n");
}

function pointLines({ parts, lines = [], says }: Point, paint: Paint): string[] {
  return [
    `  ${inlineText(parts, paint, says !== undefined)}`,
    ...lines.map((line) => {
      const colour = SIGNS[line.charAt(0)];
      const text = `    ${printable(line, LINE_MAX)}`;
      return colour === undefined ? text : paint(colour, text);
    }),
    ...(says ?? []).map((said) => `    ${inlineText(said, paint)}`),
  ];
}

/** Names are bold where a line is about them. */
function inlineText(parts: readonly Inline[], paint: Paint, isAbout = false): string {
  const written = (part: Inline): string => {
    if (typeof part === "string") return part === " " ? "  " : printable(part, LINE_MAX);
    if ("word" in part) return part.word;
    if ("strong" in part) return paint(TONES[part.tone ?? ""] ?? "bold", part.strong);
    return isAbout ? paint("bold", printable(part.code, LINE_MAX)) : printable(part.code, LINE_MAX);
  };
  return parts.map(written).join("");
}

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
