import { printable } from "./printable.ts";

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
