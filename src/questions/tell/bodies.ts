import { printable } from "../../base/printable.ts";
import type { AlertFinding } from "../../work/alerts/watches.ts";
import type { Notice, WebhookFormat } from "./channel.ts";
import { digestHeading, digestLine } from "./digest-text.ts";
import { type AlertMessage, findingText, renamedText } from "./message.ts";

/** Findings that a message for people lists, and characters of one side of each. */
const [LISTED, TEXT_MAX] = [5, 300];
/** Slack cuts a `text` of more characters. Source: its page "Rate limits". */
const SLACK_MAX = 40_000;
/** Discord refuses a `content` of more characters. Source: its documentation of "Create Message". */
const DISCORD_MAX = 2000;
/** PagerDuty refuses a `summary` of more characters. Source: its documentation of "PD-CEF". */
const PAGERDUTY_MAX = 1024;
/** Watches and alerts that it hears of: it refuses an event of more than 512 kB. */
const NAMED_MAX = 100;
/** How long Alertmanager shows a change: until the next night may tell of another. */
const SHOWN_MS = 24 * 3_600_000;

/** What a format puts into a message: how many changes at most, and how far messages keep apart, in milliseconds. */
export const formatLimits: Readonly<Record<WebhookFormat, { readonly most: number; readonly paceMs: number; readonly isChat: boolean }>> = {
  json: { most: 100, paceMs: 0, isChat: false },
  // One a second. Source: Slack's page "Rate limits".
  slack: { most: 40, paceMs: 1000, isChat: true },
  // Five in two seconds. Source: Discord's headers of webhooks' answers.
  discord: { most: 8, paceMs: 400, isChat: true },
  alertmanager: { most: 100, paceMs: 0, isChat: false },
  pagerduty: { most: 1, paceMs: 0, isChat: false },
};

/** The body of a webhook's request. `key` is the secret that PagerDuty takes in the body. */
export function webhookBody(
  format: WebhookFormat,
  { id, messages }: Notice,
  { now, key }: { readonly now: number; readonly key: string | undefined },
): string {
  const [first, ...more] = messages;
  if (format === "alertmanager") return JSON.stringify(messages.map((message) => alertmanagerAlert(message, now)));
  if (format === "pagerduty") return JSON.stringify(pagerdutyEvent(first, id, key));
  if (format === "json") {
    const digest = { type: "digest", summary: digestHeading(messages), alerts: messages };
    return JSON.stringify(more.length === 0 ? first : digest);
  }
  const chat = format === "slack" ? slack : discord;
  const text = more.length === 0 ? chatText(first, chat) : digest(messages, chat);
  // Nothing in a text of the ledger may call anybody.
  return JSON.stringify(format === "slack" ? { text } : { content: text, allowed_mentions: { parse: [] } });
}

/** Slack takes `&`, `<` and `>` for markup and nothing else for links or mentions. Source: its page "Formatting text for app surfaces". */
function slackEscaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** A backslash keeps punctuation from being markup. */
function discordEscaped(text: string): string {
  return text.replaceAll(/[\\`*_~|<>[\]#]/g, (c) => `\\${c}`);
}

type Chat = {
  readonly most: number;
  readonly bullet: string;
  readonly escaped: (text: string) => string;
  readonly linked: (link: string) => string;
};
const slack: Chat = {
  most: SLACK_MAX,
  bullet: "•",
  escaped: slackEscaped,
  linked: (link) => `<${slackEscaped(link).replaceAll("|", "%7C")}|compare>`,
};
// Angle brackets keep a link from being unfolded.
const discord: Chat = { most: DISCORD_MAX, bullet: "-", escaped: discordEscaped, linked: (link) => `<${link}>` };

/** One change, and the page that shows it. */
function chatText(message: AlertMessage, { most, escaped, linked }: Chat): string {
  const link = message.link === null ? [] : [linked(message.link)];
  return [fitted(linesOf(message).join("\n"), most - link.join("").length - 4, escaped), ...link].join("\n");
}

/** Several changes. Each has its share of what the chat takes, so that none is left out. */
function digest(messages: readonly AlertMessage[], { most, bullet, escaped, linked }: Chat): string {
  const heading = digestHeading(messages);
  const share = Math.floor((most - heading.length) / messages.length) - 2;
  const lines = messages.map((message) => {
    const full = message.link === null ? "" : ` ${linked(message.link)}`;
    const link = full.length > share / 2 ? "" : full;
    return `${bullet} ${fitted(digestLine(message), share - link.length - 2, escaped)}${link}`;
  });
  return [heading, ...lines].join("\n");
}

/** As much of a text as has room when it is escaped; no character and no escape is cut in two. */
function fitted(text: string, room: number, escaped: (text: string) => string = (as) => as): string {
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

/** Source: Alertmanager's API v2, `postableAlert`. Labels tell alerts apart, so they hold what tells one change from another. */
function alertmanagerAlert(message: AlertMessage, now: number): object {
  const { address, module, severity, summary, to_sha256, link } = message;
  const labels = { alertname: "MovedexChange", severity, address, module, bytecode: to_sha256?.slice(0, 16) ?? "removed" };
  return {
    labels: { ...labels, after_version: message.after_version, chain_id: `${message.chain_id ?? ""}` },
    annotations: { summary, description: linesOf(message).slice(1).join("\n") },
    startsAt: new Date(now).toISOString(),
    endsAt: new Date(now + SHOWN_MS).toISOString(),
    ...(link === null ? {} : { generatorURL: link }),
  };
}

const pagerdutySeverities: Readonly<Record<string, string>> = {
  unclear: "error",
  breaking: "critical",
  dangerous: "error",
  behaviour: "warning",
};

/** Source: PagerDuty's Events API v2, "Send an alert event". */
function pagerdutyEvent(message: AlertMessage, id: string, key: string | undefined): object {
  const { summary, severity, address, module, link } = message;
  return {
    routing_key: key,
    event_action: "trigger",
    dedup_key: id,
    payload: {
      summary: fitted(summary, PAGERDUTY_MAX),
      source: `chain ${message.chain_id ?? "unknown"}`,
      severity: pagerdutySeverities[severity] ?? "info",
      component: printable(`${address}::${module}`),
      class: severity,
      custom_details: { lines: linesOf(message), watches: message.watches.slice(0, NAMED_MAX), alerts: message.alerts.slice(0, NAMED_MAX) },
    },
    ...(link === null ? {} : { links: [{ href: link, text: "compare" }] }),
  };
}

/** A change in lines, for people. */
export function linesOf({ summary, findings, findings_total, renamed, reason }: AlertMessage): string[] {
  const listed = findings.slice(0, LISTED);
  const rest = findings_total - listed.length;
  return [
    summary,
    ...(reason === null ? [] : [printable(reason, TEXT_MAX)]),
    ...listed.flatMap(findingLines),
    ...(rest > 0 ? [`and ${rest} more`] : []),
    ...renamed.slice(0, LISTED).map((one) => `• ${renamedText(one)}`),
  ];
}

function findingLines(finding: AlertFinding): string[] {
  const side = (sign: string, text: string | null): string[] => (text === null ? [] : [`    ${sign} ${printable(text, TEXT_MAX)}`]);
  return [`• ${findingText(finding)}`, ...side("-", finding.before), ...side("+", finding.after)];
}
