import { type DeliveryQueries, deliveryQueries } from "../../../../../src/capabilities/watch/alerts/deliveries.ts";
import { type NewJudgement, watchQueries } from "../../../../../src/capabilities/watch/alerts/watches.ts";
import type { WebhookFormat } from "../../../../../src/capabilities/watch/receivers.ts";
import type { Channel } from "../../../../../src/capabilities/watch/tell/channel.ts";
import { alertMessage } from "../../../../../src/capabilities/watch/tell/message.ts";
import { type TellWork, tellAlerts } from "../../../../../src/capabilities/watch/tell/tell-alerts.ts";
import { webhookChannel } from "../../../../../src/capabilities/watch/tell/webhook.ts";
import { silentLog } from "../../../../../src/core/base/log.ts";
import { sql } from "../../../../../src/core/db/schema/sql/sql.ts";
import type { Address } from "../../../../../src/core/move/address.ts";
import type { TestEngine } from "../../../../engine/support/each-engine.ts";
import { ManualClock } from "../../../../support/manual-clock.ts";
import { startReceiver } from "./receiver.ts";

/** A change of a module of 0x1: a breaking one with an alert, after version 1 and at or before 9, unless it says otherwise. */
type Change = Pick<NewJudgement, "module"> & Partial<NewJudgement>;

/** So many changes, of modules m0, m1 and so on. */
export const many = (count: number): Change[] => Array.from({ length: count }, (_, i) => ({ module: `m${i}` }));

/**
 * A database with a watch of 0x1 and an alert of each of the changes, a receiver that may be told of them, and a clock on which no wait
 * takes time. `watch` adds another watch, `hook` is a webhook at a receiver.
 */
export async function openAlerts(open: () => Promise<TestEngine>, changes: readonly Change[], startMs?: number) {
  const [at, receiver] = [await open(), await startReceiver()];
  const clock = new ManualClock({ skipSleeps: true, ...(startMs === undefined ? {} : { startMs }) });
  const store = deliveryQueries(at.engine);
  const watches = watchQueries(at.engine);
  await at.engine.run(sql`INSERT INTO _addresses (address) VALUES ('0x1')`);
  const watch = async (subject: string, changes: readonly Change[]): Promise<void> => {
    const { id } = await watches.addWatch({ subject, audience: null, level: "any", uses: null, since: null }, clock.now());
    const findings = { findings: [], total: 0, reason: null };
    const change = { address: "0x1" as Address, from: "aa", to: "bb", afterVersion: 1n, atOrBeforeVersion: 9n, shownBy: 9n };
    const judged = changes.map((own): NewJudgement => ({ ...change, severity: "breaking", isAlert: true, findings, ...own }));
    await watches.addJudgements(id, { judged, tightened: [] }, clock.now());
  };
  await watch("0x1", changes);
  const messageOf: TellWork["messageOf"] = async (alerts) => alertMessage(alerts, { chainId: 1, link: null });
  const tellFrom = (from: DeliveryQueries, channels: readonly Channel[]) =>
    tellAlerts({ deliveries: from, clock, log: silentLog, messageOf, link: null }, channels);
  return {
    store,
    receiver,
    clock,
    watch,
    hook: ({ url }: { readonly url: string }, format: WebhookFormat = "json", more: Partial<Channel> = {}, limitMs = 60_000): Channel => ({
      ...webhookChannel(url, { format, secret: undefined, proxies: undefined, now: clock.now, limitMs }),
      ...more,
    }),
    tell: (...channels: readonly Channel[]) => tellFrom(store, channels),
    tellFrom,
    [Symbol.asyncDispose]: async () => {
      await receiver[Symbol.asyncDispose]();
      await at[Symbol.asyncDispose]();
    },
  };
}
