import { visibleJson } from "../../base/json.ts";

/** One JSON value that is safe to print: control and invisible characters are escaped, integers above 2^53 are text. */
export function jsonText(value: unknown): string {
  return visibleJson(JSON.stringify(value, (_, part) => (typeof part === "bigint" ? part.toString() : part)));
}

export function jsonLine(value: unknown): string {
  return `${jsonText(value)}\n`;
}
