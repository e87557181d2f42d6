import { printable } from "../../../core/base/printable.ts";

/**
 * A piece of a line: text of the program's own, a stranger's name (`code`, which may link), a word of the program's (`word`), or
 * something that stands out, of a kind that may have a colour.
 */
export type Inline =
  | string
  | { readonly code: string; readonly href?: string | undefined }
  | { readonly word: string }
  | { readonly strong: string; readonly tone?: string };

/** A line, and what is said of what it names: after a colon in prose, below it on a terminal. A lone space stands between columns. */
export type Line = { readonly parts: readonly Inline[]; readonly says?: readonly (readonly Inline[])[] };

/** A point of a list; `lines` are shown below it as what was (`- …`) and what is (`+ …`). */
export type Point = Line & { readonly lines?: readonly string[] };

/** What a document is made of, whatever it is written as. */
export type Block =
  | { readonly heading: readonly Inline[]; readonly level: 1 | 2 | 3 }
  | { readonly paragraph: readonly Inline[] }
  | { readonly points: readonly Point[] };

/** The first `most` of some names, and how many more there are. */
export function namesOf(names: readonly string[], most: number, between = ", "): Inline[] {
  const named = names.slice(0, most).flatMap((code, i): Inline[] => [i === 0 ? "" : between, { code }]);
  return [...named, names.length > most ? ` and ${names.length - most} more` : ""];
}

/** A heading and what stands below it; nothing where that is nothing. */
export function section(heading: readonly Inline[], level: 1 | 2 | 3, points: readonly Point[]): Block[] {
  return points.length === 0 ? [] : [{ heading, level }, { points }];
}

/** A line as it is: what a stranger can choose in it is not safe to print yet. */
export function rawText(parts: readonly Inline[]): string {
  return parts
    .map((part) => (typeof part === "string" ? part : "code" in part ? part.code : "word" in part ? part.word : part.strong))
    .join("");
}

export function hasText(block: Block): boolean {
  return !("points" in block) || block.points.length > 0;
}

/** A line in prose: `withdraw: breaking for callers; nobody refers to it`. */
export function prose({ parts, says = [] }: Line): readonly Inline[] {
  return [...parts, ...says.flatMap((said, i) => [i === 0 ? ": " : "; ", ...said])];
}

/** A document in Markdown. Names of strangers cannot become markup. */
export function markdownOf(blocks: readonly Block[]): string {
  return `${blocks
    .filter(hasText)
    .map((block) => markdownBlockOf(block).trimEnd())
    .join("\n\n")}\n`;
}

function markdownBlockOf(block: Block): string {
  if ("heading" in block) return `${"#".repeat(block.level)} ${markdownInline(block.heading)}`;
  if ("paragraph" in block) return markdownInline(block.paragraph);
  const isLoose = block.points.some(({ lines = [] }) => lines.length > 0);
  const points = block.points.map(({ lines = [], ...line }) => {
    const code = lines.length === 0 ? "" : `\n\n${markdownBlock("diff", lines).replaceAll(/^/gm, "  ")}`;
    return `- ${markdownInline(prose(line))}${code}`;
  });
  return points.join(isLoose ? "\n\n" : "\n");
}

function markdownInline(parts: readonly Inline[]): string {
  const written = (part: Inline): string => {
    if (typeof part === "string") return part;
    if ("word" in part) return `\`${part.word}\``;
    if ("strong" in part) return `**${part.strong}**`;
    const code = markdownCode(part.code, 1000);
    return part.href === undefined ? code : `[${code}](${part.href.replaceAll(/[()]/g, (c) => (c === "(" ? "%28" : "%29"))})`;
  };
  return parts.map(written).join("");
}

/** The same as plain text; an address stands behind what it is of. */
export function plainTextOf(blocks: readonly Block[]): string {
  return `${blocks.filter(hasText).map(textBlock).join("\n\n")}\n`;
}

function textBlock(block: Block): string {
  if ("paragraph" in block) return textInline(block.paragraph);
  if ("heading" in block) {
    const text = textInline(block.heading);
    return block.level === 1 ? `${text}\n${"=".repeat(Math.min(text.length, 78))}` : text;
  }
  return block.points
    .flatMap(({ lines = [], ...line }) => [`* ${textInline(prose(line))}`, ...lines.map((line) => `    ${printable(line, 2000)}`)])
    .join("\n");
}

function textInline(parts: readonly Inline[]): string {
  const written = (part: Inline): string => {
    if (typeof part === "string" || !("code" in part)) return rawText([part]);
    return `${printable(part.code, 1000)}${part.href === undefined ? "" : ` <${part.href}>`}`;
  };
  return parts.map(written).join("");
}

/**
 * A stranger's text as a code span of Markdown: nothing in it can begin markup, a link, a mention or HTML. The run of backticks around it
 * is longer than any in it (CommonMark 0.31, section 6.1).
 */
function markdownCode(text: string, limit = 200): string {
  const shown = printable(text, limit) || " ";
  const longest = Math.max(0, ...Array.from(shown.matchAll(/`+/g), ([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  const room = /^`|`$|^ .*[^ ].* $/.test(shown) ? " " : "";
  return `${fence}${room}${shown}${room}${fence}`;
}

/** Lines as a block of code in `language`; the fence is longer than any run of backticks in them, so that none can end it. */
function markdownBlock(language: string, lines: readonly string[], limit = 2000): string {
  const code = lines.map((line) => printable(line, limit));
  const runs = code.flatMap((line) => line.match(/`+/g) ?? []).map((run) => run.length);
  const fence = "`".repeat(Math.max(3, ...runs.map((run) => run + 1)));
  return [`${fence}${language}`, ...code, fence].join("\n");
}
