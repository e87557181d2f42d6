import { textOfHtml } from "../../../capabilities/explorer/support/page-text.ts";

/** Elements that begin a line of their own. */
const LINES = "h1|h2|h3|p|li|tr|dt|dd|figure|figcaption|svg|summary|pre|form|label|legend|dl|section|table|div";
/** Classes that say by a colour what a person reads. */
const TOLD =
  /\b(?:breaking|dangerous|behaviour|safe|silent|refused|done|gaps|lost|stale|failed|open|none|was|is|del|add|notice|bad|now|interface|code)\b/;
const SHAPES = /<(rect|line|polyline|path|text|circle)\b([^>]*?)\/?>/g;

/**
 * What a person reads of a page's main part, as text: a line for each line, cells parted by bars, in braces what colours say, and of a
 * drawing its shapes with their places. What stands only for the screen's reader is among it.
 */
export function readable(page: string): string {
  const main = /<main[^>]*>([\s\S]*)<\/main>/.exec(page)?.[1] ?? page;
  const text = folded(main)
    .replaceAll(/<svg\b([^>]*)>([\s\S]*?)<\/svg>/g, (_, attributes: string, drawing: string) => drawn(attributes, drawing))
    .replaceAll(/<input\b[^>]*>/g, (input) => ` [${/ value="([^"]*)"/.exec(input)?.[1] ?? ""}${input.includes(" checked") ? "x" : ""}]`)
    .replaceAll(
      /<option\b([^>]*)>([^<]*)/g,
      (_, attributes: string, words: string) => ` ${attributes.includes("selected") ? "*" : ""}${words};`,
    )
    .replaceAll(/<(?:td|th)\b/g, " | $&")
    .replaceAll(new RegExp(`<(?:${LINES})\\b`, "g"), "\n$&")
    .replaceAll(/<\w+\b[^>]* class="([^"]*)"[^>]*>/g, (tag, names: string) => {
      const [told] = TOLD.exec(names) ?? [];
      return told === undefined ? tag : `{${told}} `;
    });
  return `${textOfHtml(text)
    .split("\n")
    .map((line) => line.replaceAll(/[ \t]+/g, " ").trim())
    .filter((line) => line !== "")
    .join("\n")}\n`;
}

/** Line breaks of the markup are spaces, but for what keeps them. */
function folded(markup: string): string {
  const parts = markup.split(/(<(?:pre|textarea)\b[\s\S]*?<\/(?:pre|textarea)>)/);
  return parts.map((part, i) => (i % 2 === 1 ? part : part.replaceAll(/\s+/g, " "))).join("");
}

/** A drawing as lines: what it says of itself, then each shape with its attributes. */
function drawn(attributes: string, drawing: string): string {
  const label = / aria-label="([^"]*)"/.exec(attributes)?.[1];
  const shapes = [...drawing.matchAll(SHAPES)].map(([, kind, own = ""]) => `\n[${kind}${own.replaceAll('"', "")}]`);
  const words = drawing.replaceAll(/<title>[^<]*<\/title>/g, "").replaceAll(/<\/text>/g, ";");
  return `\n[drawing: ${label ?? ""}]${shapes.join("")}\n${words.replaceAll(/<[^>]*>/g, " ").replaceAll(/\s+/g, " ")}\n`;
}
