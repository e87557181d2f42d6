import { readdirSync } from "node:fs";

/** Columns of the documentation's prose, as of the source (biome.json). Tables, headings, code and marks stay as they are. */
const COLUMNS = 140;

/** What begins a block that is not wrapped, or ends the paragraph before it. */
const OTHER = /^(?:$|\||#|<|>|\[!|!\[| {4}|---|\[[^\]]+\]: )/;
const ITEM = /^( *(?:[-*]|\d+\.) +)(.*)$/;
/** A word that would begin another kind of block at the start of a line. */
const UNFIT = /^(?:[-+*#>|=]|\d+[.)]$|<!--)/;

/** Markdown with its paragraphs and list items wrapped at one width. Wrapping wrapped text changes nothing. */
export function wrapMarkdown(text: string): string {
  const done: string[] = [];
  let paragraph: string[] = [];
  let [first, rest] = ["", ""];
  const flush = (): void => {
    if (paragraph.length > 0) done.push(...fill(wordsOf(paragraph.map((line) => line.trim()).join(" ")), first, rest));
    paragraph = [];
  };
  let fence: string | undefined;
  for (const line of text.split("\n")) {
    const [, mark] = /^ *(`{3,}|~{3,})/.exec(line) ?? [];
    if (fence !== undefined || mark !== undefined) {
      flush();
      if (mark !== undefined && (fence === undefined || line.trim() === fence)) fence = fence === undefined ? mark : undefined;
      done.push(line);
      continue;
    }
    const [, bullet, item] = ITEM.exec(line) ?? [];
    if (bullet !== undefined && item !== undefined) {
      flush();
      [first, rest] = [bullet, " ".repeat(bullet.length)];
      paragraph = [item];
    } else if (OTHER.test(paragraph.length > 0 ? line.trimStart() : line)) {
      flush();
      done.push(line);
    } else {
      if (paragraph.length === 0) first = rest = /^ */.exec(line)?.[0] ?? "";
      paragraph.push(line);
    }
  }
  flush();
  return done.join("\n");
}

/** Words. Code, a short link, and a number with its unit are in one piece. */
function wordsOf(text: string): string[] {
  return text.match(/(?:`[^`]*`|\[[^\]]{1,30}\]\([^)]*\)|\b\d[\d.,]* (?=[\p{L}×%])|\S)+/gu) ?? [];
}

function fill(words: readonly string[], first: string, rest: string): string[] {
  const lines = [first];
  let isEmpty = true;
  for (const word of words) {
    const line = lines.at(-1) as string;
    const longer = isEmpty ? line + word : `${line} ${word}`;
    if (isEmpty || longer.length <= COLUMNS || UNFIT.test(word)) lines[lines.length - 1] = longer;
    else lines.push(rest + word);
    isEmpty = false;
  }
  return lines;
}

/** Every page that is ours, by its path: those at the root, docs/ with its folders, and the figures. */
export function markdownFiles(): readonly string[] {
  const inFolder = (folder: string, recursive = false): string[] =>
    readdirSync(new URL(`../../${folder}`, import.meta.url), { recursive, encoding: "utf8" })
      .filter((name) => name.endsWith(".md"))
      .map((name) => `${folder}${name}`);
  return [...inFolder("./").map((path) => path.slice(2)), ...inFolder("docs/", true), "test/bench/results.md"].sort();
}
