import { printable } from "../../base/printable.ts";

/**
 * An annotation as a workflow command of GitHub Actions. Its syntax escapes `%` and line ends, and in properties `:` and `,`
 * too; the rest of a line is text.
 */
export function githubAnnotation(level: "error" | "warning" | "notice", title: string, ...lines: readonly string[]): string {
  const text = lines.map((line) => escapeData(printable(line, 2000))).join("%0A");
  return `::${level} title=${escapeData(printable(title, 300)).replaceAll(":", "%3A").replaceAll(",", "%2C")}::${text}\n`;
}

function escapeData(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}
