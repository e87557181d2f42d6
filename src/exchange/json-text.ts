import { visibleJson } from "../base/json.ts";

/** A value as JSON that is harmless in any place that shows it: only printable characters, and nothing that could begin or end a script element. */
export function harmlessJson(value: unknown, indent?: number): string {
  return visibleJson(JSON.stringify(value, null, indent)).replaceAll(/<(?=[/!?]|script)/gi, "\\u003c");
}
