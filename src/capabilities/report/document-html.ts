import { printable } from "../../core/base/printable.ts";
import { type Block, type Inline, prose } from "../changes/documents/document.ts";
import { type Html, html } from "../changes/pages/html.ts";

/** Colours of severities that can be read on white by themselves. */
const COLOURS: Readonly<Record<string, string>> = { unclear: "#6a3d9a", breaking: "#b3261e", dangerous: "#a15c00", behaviour: "#1f5fa8" };
const OTHER = "#4a5560";
const CODE = "font:13px/1.5 ui-monospace,monospace;overflow-wrap:anywhere";
/** Characters of a line of code. */
const LINE_MAX = 2000;

/** A document as a page for mail: styles stand at the elements and nothing is loaded, since mail programs know no more. */
export function mailPage(title: string, blocks: readonly Block[], foot: string): string {
  const page = html`<!doctype html><html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width"><title>${title}</title></head>
<body style="margin:0;padding:16px;background:#f4f5f7;font:15px/1.5 system-ui,sans-serif;color:#1c232b">
<div style="max-width:720px;margin:0 auto;background:#ffffff;border-radius:8px;padding:16px 24px">
${blocks.map(blockHtml)}
<p style="font-size:13px;color:#4a5560;margin:24px 0 0">${foot}</p>
</div></body></html>
`;
  return page.text;
}

function blockHtml(block: Block): Html {
  if ("paragraph" in block)
    return html`<p style="margin:4px 0 12px">${inline(block.paragraph)}</p>
`;
  if ("heading" in block) {
    const inside = inline(block.heading);
    if (block.level === 1) return html`<h1 style="font-size:20px;margin:0 0 16px">${inside}</h1>\n`;
    return html`<h2 style="font-size:15px;margin:16px 0 4px">${inside}</h2>\n`;
  }
  if (block.points.length === 0) return html``;
  return html`<ul style="margin:4px 0 12px;padding-left:20px">${block.points.map(
    ({ lines = [], ...line }) => html`<li>${inline(prose(line))}${lines.map(codeLine)}</li>`,
  )}</ul>
`;
}

function codeLine(line: string): Html {
  const colour = line.startsWith("-") ? "#fdecea" : line.startsWith("+") ? "#e9f5ec" : "#f4f5f7";
  return html`<code style="${`display:block;background:${colour};padding:2px 6px;${CODE}`}">${printable(line, LINE_MAX)}</code>`;
}

function inline(parts: readonly Inline[]): Html {
  const written = (part: Inline): Html | string => {
    if (typeof part === "string") return part;
    if ("word" in part) return html`<code style="${CODE}">${part.word}</code>`;
    if ("strong" in part) return html`<b style="${`color:${COLOURS[part.tone ?? ""] ?? OTHER}`}">${part.strong}</b>`;
    const code = html`<code style="${CODE}">${printable(part.code, 1000)}</code>`;
    return part.href === undefined ? code : html`<a href="${part.href}" style="color:#1f5fa8">${code}</a>`;
  };
  return html`${parts.map(written)}`;
}
