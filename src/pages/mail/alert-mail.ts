import { printable } from "../../base/printable.ts";
import { linesOf } from "../../questions/tell/bodies.ts";
import { digestHeading } from "../../questions/tell/digest-text.ts";
import type { MailText } from "../../questions/tell/mail.ts";
import { type AlertMessage, findingText } from "../../questions/tell/message.ts";
import { type Html, html } from "../html/html.ts";

/** Findings of a change that a mail lists, and characters of one side of each. */
const [LISTED, TEXT_MAX] = [5, 300];
/** Colours of severities that can be read on white by themselves. */
const COLOURS: Readonly<Record<string, string>> = { unclear: "#6a3d9a", breaking: "#b3261e", dangerous: "#a15c00", behaviour: "#1f5fa8" };
const OTHER = "#4a5560";

/** Changes as a mail: the worst first, with a link to the page that compares each. Styles stand at the elements, since mail programs know no others. */
export function alertMail(messages: readonly [AlertMessage, ...AlertMessage[]]): MailText {
  const [first, ...more] = messages;
  const subject = more.length === 0 ? first.summary : digestHeading(messages);
  const text = messages.map((message) => [...linesOf(message), ...(message.link === null ? [] : [message.link])].join("\n")).join("\n\n");
  const page = html`<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${subject}</title></head>
<body style="margin:0;padding:24px;background:#f4f5f7;font:15px/1.5 system-ui,sans-serif;color:#1c232b">
<div style="max-width:720px;margin:0 auto;background:#ffffff;border-radius:8px;padding:24px">
<h1 style="font-size:20px;margin:0 0 16px">${subject}</h1>
${messages.map(changeHtml)}
<p style="font-size:13px;color:#4a5560;margin:24px 0 0">movedex sent this: chain ${first.chain_id ?? "unknown"}.</p>
</div></body></html>`;
  return { subject: printable(subject, 200), text: `${more.length === 0 ? "" : `${subject}\n\n`}${text}\n`, html: page.text };
}

function changeHtml({ summary, severity, address, module, findings, findings_total, reason, link }: AlertMessage): Html {
  const listed = findings.slice(0, LISTED);
  const rest = findings_total - listed.length;
  return html`<section style="${`border-left:4px solid ${COLOURS[severity] ?? OTHER};padding:0 0 0 12px;margin:0 0 20px`}">
<h2 style="font-size:16px;margin:0">${link === null ? `${address}::${module}` : html`<a href="${link}" style="color:#1f5fa8">${`${address}::${module}`}</a>`}
<span style="${`font-size:13px;color:${COLOURS[severity] ?? OTHER}`}">${severity}</span></h2>
<p style="margin:4px 0">${summary}</p>${reason === null ? null : html`<p style="margin:4px 0">${reason}</p>`}
<ul style="margin:4px 0;padding-left:20px">${listed.map(
    (finding) => html`<li>${findingText(finding)}${side("−", "#fdecea", finding.before)}${side("+", "#e9f5ec", finding.after)}</li>`,
  )}</ul>${rest > 0 ? html`<p style="margin:4px 0">and ${rest} more</p>` : null}</section>
`;
}

function side(sign: string, colour: string, text: string | null): Html | null {
  if (text === null) return null;
  const style = `display:block;background:${colour};padding:2px 6px;font:13px/1.5 ui-monospace,monospace;overflow-wrap:anywhere`;
  return html`<code style="${style}">${sign} ${printable(text, TEXT_MAX)}</code>`;
}
