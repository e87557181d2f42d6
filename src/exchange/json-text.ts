import { visibleJson } from "../base/json.ts";

/** JSON that is safe to print anywhere: only printable characters, and nothing that could open or close a script element. */
export function harmlessJson(value: unknown, indent?: number): string {
  return visibleJson(JSON.stringify(value, null, indent)).replaceAll(/<(?=[/!?]|script)/gi, "\\u003c");
}
