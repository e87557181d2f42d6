import { printable } from "../../base/printable.ts";
import type { AlertFinding } from "../../work/alerts/watches.ts";
import type { WebhookFormat } from "./formats.ts";
import { type AlertMessage, findingText } from "./message.ts";

/** Findings that a message for people lists, and characters of one side of each. */
const [LISTED, TEXT_MAX] = [5, 300];
/** Discord refuses a `content` of more characters. Source: its documentation of "Create Message". */
const DISCORD_MAX = 2000;

/** The body of a webhook's request. */
export function webhookBody(format: WebhookFormat, message: AlertMessage): string {
  if (format === "json") return JSON.stringify(message);
  if (format === "slack") return JSON.stringify({ text: slackText(message) });
  // Nothing in a text of the ledger may call anybody.
  return JSON.stringify({ content: discordText(message), allowed_mentions: { parse: [] } });
}

/** Slack takes `&`, `<` and `>` for markup and nothing else for links or mentions. Source: its page "Formatting text for app surfaces". */
function slackText(message: AlertMessage): string {
  const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  const lines = linesOf(message).map(escaped);
  return [...lines, ...(message.link === null ? [] : [`<${escaped(message.link).replaceAll("|", "%7C")}|compare>`])].join("\n");
}

function discordText(message: AlertMessage): string {
  // Angle brackets keep a link from being unfolded; a backslash keeps punctuation from being markup.
  const lines = linesOf(message).map((line) => line.replaceAll(/[\\`*_~|<>[\]#]/g, (c) => `\\${c}`));
  const link = message.link === null ? [] : [`<${message.link}>`];
  const room = DISCORD_MAX - link.join("").length - 4;
  const text = lines.join("\n");
  return [text.length > room ? `${text.slice(0, room)}…` : text, ...link].join("\n");
}

function linesOf({ summary, findings, findings_total, reason }: AlertMessage): string[] {
  const listed = findings.slice(0, LISTED);
  const rest = findings_total - listed.length;
  return [
    summary,
    ...(reason === null ? [] : [printable(reason, TEXT_MAX)]),
    ...listed.flatMap(findingLines),
    ...(rest > 0 ? [`and ${rest} more`] : []),
  ];
}

function findingLines(finding: AlertFinding): string[] {
  const side = (sign: string, text: string | null): string[] => (text === null ? [] : [`    ${sign} ${printable(text, TEXT_MAX)}`]);
  return [`• ${findingText(finding)}`, ...side("-", finding.before), ...side("+", finding.after)];
}
