import { printable } from "../../base/printable.ts";
import { formatItemId, type ItemId } from "../../move/module-id.ts";
import type { Caller, CallGraph } from "./call-graph.ts";

/** Formats in which a graph of calls is written for other programs. */
export const graphFormats = ["dot", "mermaid", "graphml"] as const;
export type GraphFormat = (typeof graphFormats)[number];

/** A graph of calls for Graphviz, for Mermaid (which Markdown of GitHub shows), or as GraphML (Gephi, yEd, networkx). */
export function formatGraph(graph: CallGraph, format: GraphFormat): string {
  return { dot: formatDot, mermaid: formatMermaid, graphml: formatGraphml }[format](graph);
}

function formatDot({ functions, calls }: CallGraph): string {
  // Graphviz knows two escapes in quoted text, and `\N`, `\G` … in labels: names have no backslash after `printable`.
  const quoted = (text: string): string => `"${shown(text).replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
  const nodes = functions.map((fn) => `  ${quoted(formatItemId(fn))}${fn.depth === 0 ? " [style=bold]" : ""};\n`);
  const edges = calls.map(({ caller, callee }) => `  ${quoted(formatItemId(caller))} -> ${quoted(formatItemId(callee))};\n`);
  return `digraph calls {\n  rankdir=LR;\n  node [shape=box];\n${nodes.join("")}${edges.join("")}}\n`;
}

function formatMermaid({ functions, calls }: CallGraph): string {
  const numbers = numbered(functions);
  // Whatever is no letter, digit, colon or underscore becomes a character reference, as Mermaid writes them.
  const text = (fn: Caller): string => shown(formatItemId(fn)).replace(/[^\w:]/gu, (mark) => `#${mark.codePointAt(0)};`);
  const nodes = functions.map((fn, i) => `  n${i}["${text(fn)}"]\n`);
  const edges = calls.map((call) => `  n${numbers(call.caller)} --> n${numbers(call.callee)}\n`);
  return `flowchart LR\n${nodes.join("")}${edges.join("")}`;
}

function formatGraphml({ functions, calls }: CallGraph): string {
  const numbers = numbered(functions);
  const nodes = functions.map(
    (fn, i) =>
      `    <node id="n${i}"><data key="name">${xmlText(formatItemId(fn))}</data><data key="module">${xmlText(`${fn.module.address}::${fn.module.name}`)}</data><data key="depth">${fn.depth}</data></node>\n`,
  );
  const edges = calls.map((call) => `    <edge source="n${numbers(call.caller)}" target="n${numbers(call.callee)}"/>\n`);
  return (
    '<?xml version="1.0" encoding="UTF-8"?>\n<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n' +
    '  <key id="name" for="node" attr.name="name" attr.type="string"/>\n' +
    '  <key id="module" for="node" attr.name="module" attr.type="string"/>\n' +
    '  <key id="depth" for="node" attr.name="depth" attr.type="int"/>\n' +
    `  <graph id="calls" edgedefault="directed">\n${nodes.join("")}${edges.join("")}  </graph>\n</graphml>\n`
  );
}

function numbered(functions: readonly Caller[]): (fn: ItemId) => number {
  const numbers = new Map(functions.map((fn, i) => [formatItemId(fn), i]));
  return (fn) => numbers.get(formatItemId(fn)) as number;
}

function xmlText(text: string): string {
  return shown(text).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}

/** Names are at most 255 characters each. */
function shown(text: string): string {
  return printable(text, 1000);
}
