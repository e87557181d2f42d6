import { printable } from "../../../core/base/printable.ts";
import { type Block, type Point, plainTextOf } from "../../changes/documents/document.ts";
import type { Notice } from "./channel.ts";
import { type AlertMessage, findingText, foldedFindings, moreText, renamedText } from "./message.ts";

/** Findings that the text of a change lists, and characters of one side of each. */
const [LISTED, TEXT_MAX] = [5, 300];
/** Slack cuts a `text` of more characters. Source: its page "Rate limits". */
const SLACK_MAX = 40_000;
/** Discord refuses more where it takes Slack's form, so that a change by itself has no more. Source: its OpenAPI, `SlackWebhook`. */
const ONE_CHANGE_MAX = 2000;

/** A message as JSON: one change as it is; several as a list, with how many it only counts. */
export function jsonBody({ messages: [first, ...more], summary, more: unlisted, link }: Notice): string {
  if (more.length === 0) return JSON.stringify(first);
  return JSON.stringify({ type: "digest", summary, alerts: [first, ...more], more: unlisted, link });
}

/** A message as Slack takes it. Nothing in a text of the ledger may call anybody or become markup. */
export function slackBody(notice: Notice): string {
  return JSON.stringify({ text: notice.messages.length === 1 ? changeText(notice.messages[0]) : listText(notice) });
}

/** Slack takes `&`, `<` and `>` for markup and nothing else for links or mentions. Source: its page "Formatting text for app surfaces". */
function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

function linked(link: string, word: string): string {
  return `<${escaped(link).replaceAll("|", "%7C")}|${word}>`;
}

/** One change, and the page that shows it. */
function changeText(message: AlertMessage): string {
  const link = linkOf(message);
  return `${fitted(plainTextOf(documentOf(message)).trimEnd(), ONE_CHANGE_MAX - link.length - 4)}${link}`;
}

/** Several changes. Each has its share of what Slack takes, so that none of them is left out. */
function listText({ messages, summary, more, link }: Notice): string {
  const end = [more === 0 ? "" : `and ${more} more`, link === null ? "" : linked(link, "all alerts")].filter((part) => part !== "");
  const share = Math.floor((SLACK_MAX - summary.length - end.join(": ").length - 2) / messages.length) - 2;
  const lines = messages.map((message) => {
    const own = linkOf(message).length > share / 2 ? "" : linkOf(message).trim();
    return `• ${fitted(lineOf(message), share - own.length - 3)} ${own}`.trimEnd();
  });
  return [summary, ...lines, ...(end.length === 0 ? [] : [end.join(": ")])].join("\n");
}

function linkOf({ link }: AlertMessage): string {
  return link === null ? "" : `\n${linked(link, "compare")}`;
}

/** As much of a text as has room when it is escaped; no character and no escape is cut in two. */
function fitted(text: string, room: number): string {
  const whole = escaped(text);
  if (whole.length <= room) return whole;
  let kept = "";
  for (const character of text) {
    const next = escaped(character);
    if (kept.length + next.length >= room) break;
    kept += next;
  }
  return `${kept}…`;
}

/** A change in one line: its summary, and a new name. */
function lineOf({ summary, renamed: [name] }: AlertMessage): string {
  return `${summary}${name === undefined ? "" : `; ${renamedText(name)}`}`;
}

/** A change as a document, which is written as those of reports are. */
function documentOf({ summary, watch: { subject, is_mine: isMine }, findings, findings_total, renamed, reason }: AlertMessage): Block[] {
  const listed = foldedFindings(findings).slice(0, LISTED);
  const more = moreText({ findings, total: findings_total }, listed.flat());
  const side = (sign: string, text: string | null): string[] => (text === null ? [] : [`${sign} ${printable(text, TEXT_MAX)}`]);
  const points: Point[] = [
    ...listed.map((of) => ({
      parts: [findingText(of, { subject, isMine })],
      lines: of.length > 1 ? [] : of.flatMap(({ before, after }) => [...side("-", before), ...side("+", after)]),
    })),
    ...(more === "" ? [] : [{ parts: [more] }]),
    ...renamed.slice(0, LISTED).map((one) => ({ parts: [renamedText(one)] })),
  ];
  const why = reason === null ? [] : [{ paragraph: [printable(reason, TEXT_MAX)] }];
  return [{ paragraph: [summary] }, ...why, { points }];
}
