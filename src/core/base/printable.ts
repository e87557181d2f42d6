// Controls (C0, DEL, C1), line and paragraph separators, and all characters that Unicode calls format: bidirectional
// marks, zero-width characters, soft hyphens, tags. These can move a cursor, hide text or turn its direction. Lone
// surrogates cannot be written as UTF-8, and noncharacters are no text in XML.
const UNSAFE = /[\p{Cc}\p{Cf}\p{Cs}\p{Noncharacter_Code_Point}\u2028\u2029]/gu;

/**
 * Text from a node, a file or a client made safe for one line of a terminal or a log: each unsafe character becomes
 * its escape (`\u{1b}`), and what is longer than `limit` characters ends in `…`.
 */
export function printable(text: string, limit = 300): string {
  const cut = text.length > limit ? `${text.slice(0, limit)}…` : text;
  return cut.replace(UNSAFE, (c) => `\\u{${(c.codePointAt(0) ?? 0).toString(16)}}`);
}

/** Line breaks are kept, so that a stack can be read; nothing else that moves a cursor is. */
export function printableLines(text: string): string {
  return text
    .split("\n")
    .map((line) => printable(line, 2000))
    .join("\n");
}

// What spreadsheets take for the beginning of a formula, the full-width forms among it. Source: OWASP, "CSV Injection".
const FORMULA = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;

/**
 * Text of a stranger for a cell of CSV, which people open in spreadsheets and terminals: control and direction characters
 * are spelled out, and what would be a formula gets an apostrophe before it. So CSV is a format that a text can leave changed.
 */
export function csvText(text: string): string {
  const shown = printable(text, Number.POSITIVE_INFINITY);
  return FORMULA.test(text) ? `'${shown}` : shown;
}

/** One record of CSV (RFC 4180) with its line end. Null is an empty field, an empty text is `""`. */
export function csvLine(cells: readonly (string | null)[]): string {
  return `${cells.map(csvField).join(",")}\r\n`;
}

function csvField(cell: string | null): string {
  if (cell === null) return "";
  return cell === "" || /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

/** Less room than this for the text beside its lead breaks lines after every other word, which reads worse than long lines. */
const NARROWEST = 20;

/**
 * A text behind a lead, such as a name and its meaning, in lines of at most `width` characters between words. Further lines are
 * indented by `indent` characters, by default as far as the lead is long. With too little room the text stays in one line.
 */
export function hangingText(lead: string, text: string, width: number, indent = lead.length): string {
  if (width - indent < NARROWEST) return lead + text;
  const lines: string[] = [];
  let line = lead;
  let hasWord = false;
  for (const word of text.split(" ")) {
    if (hasWord && line.length + word.length > width) {
      lines.push(line.trimEnd());
      line = " ".repeat(indent);
    }
    line += `${word} `;
    hasWord = true;
  }
  return [...lines, line.trimEnd()].join("\n");
}
