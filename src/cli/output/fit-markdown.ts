import { hangingText } from "../../base/hanging-text.ts";

/**
 * Lays Markdown out to be read on a terminal of `width` columns: paragraphs, headings and items of lists are broken between
 * words, and a table that is too wide becomes a list of its rows. Blocks of code stay as they are.
 */
export function fitMarkdown(text: string, width: number): string {
  const lines: string[] = [];
  let table: string[] = [];
  let isCode = false;
  for (const line of text.split("\n")) {
    if (!isCode && line.startsWith("|")) {
      table.push(line);
      continue;
    }
    lines.push(...fitTable(table, width));
    table = [];
    if (/^ *```/.test(line)) isCode = !isCode;
    lines.push(isCode ? line : fitLine(line, width));
  }
  return [...lines, ...fitTable(table, width)].join("\n");
}

/** A paragraph, a heading or an item; further lines of an item stand below its text. */
function fitLine(line: string, width: number): string {
  const [, lead = "", rest = ""] = /^( *(?:[-*] )?)(.*)$/.exec(line) ?? [];
  return line.length <= width ? line : hangingText(lead, rest, width);
}

/** The rows of a table as they are if they fit, else each as an item that begins with its first cell. */
function fitTable(table: readonly string[], width: number): readonly string[] {
  const [head, , ...rows] = table;
  if (head === undefined || table.every((line) => line.length <= width)) return table;
  const names = cellsOf(head);
  return rows.flatMap((row) => {
    const [first = "", ...others] = cellsOf(row);
    return [hangingText("- ", first, width), ...others.map((cell, i) => hangingText("  ", `${names[i + 1]}: ${cell}`, width, 4))];
  });
}

/** The cells of a row; a stroke inside a cell is escaped. */
function cellsOf(row: string): string[] {
  return row
    .replace(/^\||\|$/g, "")
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim());
}
