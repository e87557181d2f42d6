import type { Block } from "../../base/document/document.ts";
import { printable } from "../../base/printable.ts";
import { linesOf } from "../../questions/tell/bodies.ts";
import { digestHeading } from "../../questions/tell/digest-text.ts";
import type { MailText } from "../../questions/tell/mail.ts";
import { type AlertMessage, findingText, renamedText } from "../../questions/tell/message.ts";
import { mailPage } from "./document-html.ts";

/** Findings of a change that a mail lists, and characters of one side of each. */
const [LISTED, TEXT_MAX] = [5, 300];

/** Changes as a mail: the worst first, with a link to the page that compares each. */
export function alertMail(messages: readonly [AlertMessage, ...AlertMessage[]]): MailText {
  const [first, ...more] = messages;
  const subject = more.length === 0 ? first.summary : digestHeading(messages);
  const text = messages.map((message) => [...linesOf(message), ...(message.link === null ? [] : [message.link])].join("\n")).join("\n\n");
  const blocks: Block[] = [{ heading: [subject], level: 1 }, ...messages.flatMap(changeBlocks)];
  return {
    subject: printable(subject, 200),
    text: `${more.length === 0 ? "" : `${subject}\n\n`}${text}\n`,
    html: mailPage(subject, blocks, `movedex sent this: chain ${first.chain_id ?? "unknown"}.`),
  };
}

function changeBlocks({ summary, severity, address, module, findings, findings_total, renamed, reason, link }: AlertMessage): Block[] {
  const listed = findings.slice(0, LISTED);
  const rest = findings_total - listed.length;
  const side = (sign: string, text: string | null): string[] => (text === null ? [] : [`${sign} ${printable(text, TEXT_MAX)}`]);
  return [
    { heading: [{ code: `${address}::${module}`, href: link ?? undefined }, " ", { strong: severity, tone: severity }], level: 3 },
    { paragraph: [summary] },
    ...(reason === null ? [] : [{ paragraph: [printable(reason, TEXT_MAX)] }]),
    {
      points: [
        ...listed.map((finding) => ({
          parts: [findingText(finding)],
          lines: [...side("-", finding.before), ...side("+", finding.after)],
        })),
        ...(rest > 0 ? [{ parts: [`and ${rest} more`] }] : []),
        ...renamed.slice(0, LISTED).map((one) => ({ parts: [renamedText(one)] })),
      ],
    },
  ];
}
