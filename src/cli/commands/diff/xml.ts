import { printable } from "../../../base/printable.ts";

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&apos;" };

/** Text for XML, inside an element or an attribute. Controls and noncharacters, which XML 1.0 does not know, come out as escapes. */
export function xmlText(text: string, limit = 2000): string {
  return printable(text, limit).replace(/[&<>"']/g, (mark) => ENTITIES[mark] as string);
}
