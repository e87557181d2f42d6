import { printable } from "../../base/printable.ts";
import { formatItemId } from "../../move/module-id.ts";
import type { CallGraph } from "./callers.ts";

export function formatDot({ functions, calls }: CallGraph): string {
  const nodes = functions.map((fn) => `  ${quoted(formatItemId(fn))}${fn.depth === 0 ? " [style=bold]" : ""};\n`);
  const edges = calls.map(({ caller, callee }) => `  ${quoted(formatItemId(caller))} -> ${quoted(formatItemId(callee))};\n`);
  return `digraph calls {\n  rankdir=LR;\n  node [shape=box];\n${nodes.join("")}${edges.join("")}}\n`;
}

/**
 * Graphviz knows two escapes in quoted text, and `\N`, `\G` … in labels: names have no backslash after `printable`. They are at most 255
 * characters each.
 */
function quoted(text: string): string {
  return `"${printable(text, 1000).replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
}
