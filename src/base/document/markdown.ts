import { printable } from "../printable.ts";

/**
 * A stranger's text as a code span of Markdown: nothing in it can begin markup, a link, a mention or HTML. The run of backticks around it
 * is longer than any in it (CommonMark 0.31, section 6.1).
 */
export function markdownCode(text: string, limit = 200): string {
  const shown = printable(text, limit) || " ";
  const longest = Math.max(0, ...Array.from(shown.matchAll(/`+/g), ([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  const room = /^`|`$|^ .*[^ ].* $/.test(shown) ? " " : "";
  return `${fence}${room}${shown}${room}${fence}`;
}

/** A table with these columns; the cells are Markdown already. */
export function markdownTable(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |\n`;
  return line(columns) + line(columns.map(() => "---")) + rows.map(line).join("");
}

/** Lines as a block of code in `language`; the fence is longer than any run of backticks in them, so that none can end it. */
export function markdownBlock(language: string, lines: readonly string[], limit = 2000): string {
  const code = lines.map((line) => printable(line, limit));
  const runs = code.flatMap((line) => line.match(/`+/g) ?? []).map((run) => run.length);
  const fence = "`".repeat(Math.max(3, ...runs.map((run) => run + 1)));
  return [`${fence}${language}`, ...code, fence].join("\n");
}
