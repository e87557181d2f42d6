import { visibleJson } from "../../base/json.ts";

/**
 * One JSON value in a line of its own, for machines and terminals alike: characters that a terminal acts on or that cannot be
 * seen are escaped, and integers above 2^53 are text.
 */
export function jsonLine(value: unknown): string {
  return `${visibleJson(JSON.stringify(value, (_, part) => (typeof part === "bigint" ? part.toString() : part)))}\n`;
}
