import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { describe, expect, test } from "vitest";
import { formatLimits, webhookBody } from "../../../src/questions/tell/bodies.ts";
import type { Notice, WebhookFormat } from "../../../src/questions/tell/channel.ts";
import { type AlertMessage, testMessage } from "../../../src/questions/tell/message.ts";

/** The longest that a change can be: texts that grow where they are escaped, and as many watches as anybody has. */
const text = (length: number): string => '&<>"\\*_\u{202e}\u{1f600}'.repeat(length / 10);
const subject = { id: 1, subject: text(500), audience: "callers", level: "any", is_mine: false };
const finding = {
  rule: "function-removed",
  item_kind: "function",
  item: text(60_000),
  worst: "breaking",
  severity: {},
  upgrade: "refused",
} as const;
const largest: AlertMessage = {
  ...testMessage(4),
  summary: text(5000),
  severity: "unclear",
  reason: text(60_000),
  address: `0x${"f".repeat(64)}`,
  module: text(60_000),
  to_sha256: "0".repeat(64),
  alerts: Array.from({ length: 20_000 }, (_, i) => i),
  watches: Array.from({ length: 20_000 }, () => subject),
  findings: Array.from({ length: 50 }, () => ({ ...finding, before: text(2000), after: text(2000) })),
  findings_total: 50,
  link: `https://archive.example/diff?${"%26".repeat(200)}`,
};
const plain: AlertMessage = { ...testMessage(null), to_sha256: null, link: null };

const bodyOf = (format: WebhookFormat, message: AlertMessage, count: number): string => {
  const notice: Notice = {
    id: "d".repeat(36),
    messages: Array.from({ length: count }, () => message) as [AlertMessage],
    isUncertain: false,
  };
  return webhookBody(format, notice, { now: 1_700_000_000_000, key: "R".repeat(32) });
};

/** What receivers publish of what they take, as JSON Schema. */
const schemas: Readonly<Partial<Record<WebhookFormat, object>>> = {
  // Slack, "Rate limits" and chat.postMessage: a text above 40,000 characters is cut. movedex sends no blocks.
  slack: { required: ["text"], additionalProperties: false, properties: { text: { type: "string", minLength: 1, maxLength: 40_000 } } },
  // Discord, "Execute Webhook": content of up to 2,000 characters. movedex sends no embeds.
  discord: {
    required: ["content", "allowed_mentions"],
    additionalProperties: false,
    properties: {
      content: { type: "string", minLength: 1, maxLength: 2000 },
      allowed_mentions: { properties: { parse: { type: "array", maxItems: 0 } }, required: ["parse"] },
    },
  },
  // Alertmanager, api/v2/openapi.yaml: postableAlerts.
  alertmanager: {
    type: "array",
    items: {
      type: "object",
      required: ["labels"],
      additionalProperties: false,
      properties: {
        startsAt: { type: "string", format: "date-time" },
        endsAt: { type: "string", format: "date-time" },
        annotations: { type: "object", additionalProperties: { type: "string" } },
        labels: { type: "object", additionalProperties: { type: "string" }, propertyNames: { pattern: "^[a-zA-Z_][a-zA-Z0-9_]*$" } },
        generatorURL: { type: "string", format: "uri" },
      },
    },
  },
  // PagerDuty, "Send an alert event" and "PD-CEF".
  pagerduty: {
    type: "object",
    required: ["routing_key", "event_action", "payload"],
    additionalProperties: false,
    properties: {
      routing_key: { type: "string", minLength: 32, maxLength: 32 },
      event_action: { enum: ["trigger", "acknowledge", "resolve"] },
      dedup_key: { type: "string", maxLength: 255 },
      links: {
        type: "array",
        items: { type: "object", required: ["href"], properties: { href: { type: "string", format: "uri" }, text: { type: "string" } } },
      },
      payload: {
        type: "object",
        required: ["summary", "source", "severity"],
        additionalProperties: false,
        properties: {
          summary: { type: "string", minLength: 1, maxLength: 1024 },
          source: { type: "string", minLength: 1 },
          severity: { enum: ["critical", "warning", "error", "info"] },
          timestamp: { type: "string", format: "date-time" },
          component: { type: "string" },
          group: { type: "string" },
          class: { type: "string" },
          custom_details: { type: "object" },
        },
      },
    },
  },
};
/** Bytes of a request. PagerDuty: 512 kB. Discord and Slack publish none for webhooks; this is far below what any server takes. */
const BYTES_MAX = 512 * 1000;

describe.each(Object.entries(schemas) as [WebhookFormat, object][])("a message in the format of %s", (format, schema) => {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  const validate = ajv.compile(schema);

  test.each([
    ["the least", plain, 1],
    ["the largest", largest, 1],
    ["a digest of the largest", largest, formatLimits[format].most],
  ] as const)("is what the receiver takes: %s", (_, message, count) => {
    const body = bodyOf(format, message, count);
    validate(JSON.parse(body));
    expect(validate.errors ?? []).toEqual([]);
    // A character outside of the basic plane is cut in two nowhere.
    expect(body).not.toMatch(/\\ud[89a-f]/);
    if (format !== "alertmanager") expect(Buffer.byteLength(body)).toBeLessThan(BYTES_MAX);
  });
});
