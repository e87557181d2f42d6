import type { Page } from "./pages.ts";

/** The sentences of a page's prose, in its order: without code blocks, tables, headings, pictures and the addresses of links. */
export function sentencesOf({ text }: Page): string[] {
  const prose = text
    .replaceAll(/^```[\s\S]*?^```$/gm, "\n\n")
    .replaceAll(/^(#|\||!\[|<!--|\[`).*$/gm, "\n\n")
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll(/`[^`]*`/g, "code");
  const blocks = prose.split(/\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) )/).map((block) => block.replaceAll(/\s+/g, " ").trim());
  return blocks
    .flatMap((block) => block.split(/(?<=[.!?:;]["”)*]*)\s+(?=[\p{Lu}`*["“(-]|code|movedex)/u))
    .filter((sentence) => wordsIn(sentence) > 0);
}

/** The words of a sentence: what has a letter or a digit, between blanks. */
export const wordsIn = (sentence: string): number => sentence.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
