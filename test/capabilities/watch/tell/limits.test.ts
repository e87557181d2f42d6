import { describe, expect, test } from "vitest";
import type { Alert, Delivery } from "../../../../src/capabilities/watch/alerts/deliveries.ts";
import { noticeOf } from "../../../../src/capabilities/watch/tell/batches.ts";
import { jsonBody, slackBody } from "../../../../src/capabilities/watch/tell/bodies.ts";
import { type AlertMessage, testMessage } from "../../../../src/capabilities/watch/tell/message.ts";

/** The longest that a change can be: texts that grow where they are escaped, and as many findings as an alert has. */
const text = (length: number): string => '&<>"\\*_\u{202e}\u{1f600}'.repeat(length / 10);
const finding = {
  rule: "function-removed",
  item_kind: "function",
  item: text(2000),
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
  findings: Array.from({ length: 50 }, () => ({ ...finding, before: text(2000), after: text(2000) })),
  findings_total: 50,
  link: `https://archive.example/diff?${"%26".repeat(200)}`,
};

/** A batch of changes of so many modules, the last of which is the worst. */
const batchOf = (count: number) => ({
  id: "d".repeat(36),
  changes: Array.from({ length: count }, (_, i): [Delivery] => {
    const alert = { id: i, module: `m${i}`, severity: i === count - 1 ? "unclear" : "safe" } as Alert;
    return [{ alert, deliveryId: `${i}`, attempts: 0, nextAt: 0 }];
  }),
});
const parts = {
  messageOf: async ([{ id }]: readonly [Alert, ...Alert[]]) => ({ ...largest, alert: id }),
  link: "https://archive.example/",
};
const notice = async (count: number) => ({ ...(await noticeOf(parts, batchOf(count))), isUncertain: false });

describe("a message of the largest changes", () => {
  // Slack, "Rate limits" and chat.postMessage: a text above 40,000 characters is cut. Discord, OpenAPI, SlackWebhook: 2,000 at most.
  test.each([
    [1, 2000],
    [2, 40_000],
    [5000, 40_000],
  ])("of %i is what chat takes", async (count, most) => {
    const body = slackBody(await notice(count));
    const { text } = JSON.parse(body) as { text: string };
    expect(text.length).toBeGreaterThan(most / 4);
    expect(text.length).toBeLessThanOrEqual(most);
    // A character outside of the basic plane is cut in two nowhere.
    expect(body).not.toMatch(/\\ud[89a-f]/);
  });

  test("lists a hundred, the worst first, and counts the others", async () => {
    const { alerts, ...rest } = JSON.parse(jsonBody(await notice(5000))) as { alerts: AlertMessage[] };
    expect(alerts.map(({ alert }) => alert)).toEqual([4999, ...Array.from({ length: 99 }, (_, i) => i)]);
    expect(rest).toEqual({
      type: "digest",
      summary: "5,000 changes of what you watch on chain 4. No module breaks anybody, 1 may, 4,999 do not",
      more: 4900,
      link: "https://archive.example/",
    });
  });

  test("leaves out findings that would make it large, and keeps how many there are", async () => {
    const sizes = async (count: number) => (await notice(count)).messages.map(({ findings }) => JSON.stringify(findings).length);
    const total = (await sizes(100)).reduce((sum, size) => sum + size, 0);
    expect(total).toBeLessThan(600 * 1024);
    expect((await notice(100)).messages[0].findings_total).toBe(50);
  });
});
