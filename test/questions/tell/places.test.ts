import { beforeEach, expect, test } from "vitest";
import type { WatchLevel } from "../../../src/abi/compare/severity.ts";
import { silentLog } from "../../../src/base/log.ts";
import type { Address } from "../../../src/move/address.ts";
import { type Channel, eachForItself } from "../../../src/questions/tell/channel.ts";
import type { WebhookFormat } from "../../../src/questions/tell/formats.ts";
import { type AlertMessage, alertMessage } from "../../../src/questions/tell/message.ts";
import { parseQuietHours, quietUntil } from "../../../src/questions/tell/quiet-hours.ts";
import { tellAlerts } from "../../../src/questions/tell/tell-alerts.ts";
import { webhookChannel } from "../../../src/questions/tell/webhook.ts";
import { sql } from "../../../src/schema/sql/sql.ts";
import { type AlertStore, prepareDeliveries } from "../../../src/work/alerts/deliveries.ts";
import { type NewJudgement, prepareWatches } from "../../../src/work/alerts/watches.ts";
import { eachArchive, type TestEngine } from "../../engine/support/each-engine.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { type Receiver, startReceiver } from "./support/receiver.ts";

type Change = { readonly module: string; readonly severity?: NewJudgement["severity"]; readonly after?: bigint; readonly at?: bigint };

eachArchive("places of alerts", (open) => {
  let clock: ManualClock;
  beforeEach(() => {
    clock = new ManualClock({ skipSleeps: true });
  });

  /** Adds a watch of 0x1 with an alert of each of the changes. */
  async function watch(at: TestEngine, subject: string, changes: readonly Change[]): Promise<AlertStore> {
    const watches = prepareWatches(at.engine);
    await at.engine.run(sql`INSERT INTO _addresses (address) VALUES ('0x1') ON CONFLICT DO NOTHING`);
    const { id } = await watches.addWatch({ subject, audience: null, level: "any", uses: null, since: null }, clock.now());
    const judged = changes.map(({ module, severity = "breaking", after = 1n, at: version = 9n }): NewJudgement => {
      const findings = { findings: [], total: 0, reason: null };
      const what = { address: "0x1" as Address, module, from: "aa", to: "bb", afterVersion: after, atOrBeforeVersion: version };
      return { ...what, shownBy: 9n, severity, isAlert: true, findings };
    });
    await watches.addJudgements(id, { judged, tightened: [] }, clock.now());
    return prepareDeliveries(at.engine);
  }
  const many = (count: number): Change[] => Array.from({ length: count }, (_, i) => ({ module: `m${i}` }));
  const hook = ({ url }: Receiver, format: WebhookFormat = "json", more: Partial<Channel> = {}): Channel => ({
    ...webhookChannel(url, { format, secret: undefined, proxies: undefined, now: clock.now, limitMs: 60_000 }),
    ...more,
  });
  const tell = (store: AlertStore, ...channels: Channel[]) =>
    tellAlerts({ store, clock, log: silentLog, messageOf: async (alerts) => alertMessage(alerts, { chainId: 1, link: null }) }, channels);
  const messages = (receiver: Receiver): AlertMessage[] => receiver.received.map(({ body }) => JSON.parse(body) as AlertMessage);
  /** A receiver that takes one message a second and refuses more, with a bucket of its own. */
  const oneASecond = (receiver: Receiver): void => {
    let takenAt = Number.NEGATIVE_INFINITY;
    receiver.behave = () => {
      if (clock.now() - takenAt < 1000) return { status: 429, headers: { "retry-after": "1" } };
      takenAt = clock.now();
      return { status: 200 };
    };
  };

  test("one change is one message, whatever number of watches match it, also one that was added later", async () => {
    await using at = await open();
    await using receiver = await startReceiver();
    await watch(at, "0x1", [{ module: "coin", severity: "dangerous" }, { module: "other" }]);
    await watch(at, "0x1::coin", [{ module: "coin", after: 4n, at: 5n }]);
    // The same bytes again, later: another change.
    const store = await watch(at, "0x1::coin::withdraw", [
      { module: "coin", severity: "behaviour" },
      { module: "coin", after: 20n, at: 30n },
    ]);
    expect(await tell(store, hook(receiver))).toMatchObject([{ told: [1, 3, 4, 2, 5], messages: 3, waiting: 0 }]);
    expect(messages(receiver).map(({ module, alerts }) => [module, alerts])).toEqual([
      ["coin", [1, 3, 4]],
      ["other", [2]],
      ["coin", [5]],
    ]);
    expect(messages(receiver)[0]).toMatchObject({
      alert: 3,
      severity: "breaking",
      is_exact: true,
      watches: [{ id: 1 }, { id: 2 }, { id: 3 }],
    });
    await watch(at, "0x1::coin::deposit", [{ module: "coin", after: 4n, at: 5n }]);
    await tell(store, hook(receiver));
    expect(receiver.received).toHaveLength(3);
    expect(await store.countUntold()).toBe(0);
  });

  test("chat hears a night as a digest, in as few messages as hold it", async () => {
    await using at = await open();
    await using receiver = await startReceiver();
    oneASecond(receiver);
    const store = await watch(at, "0x1", many(90));
    expect(await tell(store, hook(receiver, "slack"))).toMatchObject([{ messages: 3, waiting: 0 }]);
    const texts = receiver.received.map(({ body }) => (JSON.parse(body) as { text: string }).text);
    expect(texts.map((text) => text.split("\n")[0])).toEqual([
      "40 changes of what you watch: 40 breaking",
      "40 changes of what you watch: 40 breaking",
      "10 changes of what you watch: 10 breaking",
    ]);
    const modules = texts.flatMap((text) => [...text.matchAll(/0x1::(m\d+) changed/g)].map(([, module]) => module));
    expect(modules.toSorted()).toEqual(
      many(90)
        .map(({ module }) => module)
        .toSorted(),
    );
    // Paced: it never had to refuse one.
    expect(receiver.received).toHaveLength(3);
  });

  test("a place without digests is paced too, and may take longer than five minutes while it takes something", async () => {
    await using at = await open();
    await using receiver = await startReceiver();
    oneASecond(receiver);
    const store = await watch(at, "0x1", many(400));
    expect(await tell(store, hook(receiver, "slack", { digest: "none" }))).toMatchObject([{ messages: 400, waiting: 0 }]);
    expect(receiver.received).toHaveLength(400);
  });

  test("a digest that was cut off is tried again as it was, and what came since is another", async () => {
    await using at = await open();
    await using receiver = await startReceiver();
    const store = await watch(at, "0x1", [{ module: "a" }, { module: "b" }]);
    receiver.behave = () => "take-and-die";
    await tell(store, hook(receiver, "json", { digest: "night" }));
    await watch(at, "0x1::c", [{ module: "c" }]);
    receiver.behave = () => ({ status: 200 });
    await clock.advance(86_400_000);
    expect(await tell(store, hook(receiver, "json", { digest: "night" }))).toMatchObject([{ messages: 2, waiting: 0 }]);
    const byId = Map.groupBy(receiver.received, ({ headers }) => headers["webhook-id"]);
    expect([...byId.values()].map((list) => new Set(list.map(({ body }) => body)).size)).toEqual([1, 1]);
    expect([...byId.values()].map((list) => list.length)).toEqual([4, 1]);
  });

  test("a module's changes stand together where that is asked for", async () => {
    await using at = await open();
    await using receiver = await startReceiver();
    const store = await watch(at, "0x1", [{ module: "a" }, { module: "b" }, { module: "a", after: 20n, at: 21n }]);
    expect(await tell(store, hook(receiver, "json", { digest: "module" }))).toMatchObject([{ messages: 2 }]);
    expect(messages(receiver).map(({ type }) => type)).toEqual(["digest", "alert"]);
  });

  test("what is refused stops no queue: a digest is told in parts, and the last of ten comes after nine refusals", async () => {
    await using at = await open();
    await using receiver = await startReceiver();
    const store = await watch(at, "0x1", many(10));
    receiver.behave = ({ body }) => ({ status: body.includes('"m9"') && !body.includes("digest") ? 200 : 400 });
    expect(await tell(store, hook(receiver))).toMatchObject([{ messages: 1, waiting: 9, fault: "it answered with HTTP status 400" }]);
    await using chat = await startReceiver();
    chat.behave = ({ body }) => ({ status: body.includes("m3") ? 400 : 200 });
    expect(await tell(store, { ...hook(chat, "slack"), channel: "team" }, hook(receiver))).toMatchObject([{ messages: 8, waiting: 1 }, {}]);
  });

  test("410 ends a place with a word, and a new address of a named place takes what waits, though another place was told", async () => {
    await using at = await open();
    await using receiver = await startReceiver();
    await using other = await startReceiver();
    const store = await watch(at, "0x1", many(5));
    const team = (path: string): Channel => ({
      ...hook({ ...receiver, url: `${receiver.url}/${path}` }),
      channel: "team",
    });
    receiver.behave = () => ({ status: 410 });
    const [ended] = await tell(store, team("old"), hook(other));
    expect(ended).toMatchObject({ name: "team", waiting: 5, fault: "it answered with HTTP status 410: it is gone for good" });
    expect(receiver.received).toHaveLength(1);
    receiver.behave = () => ({ status: 200 });
    expect(await tell(store, team("old"), hook(other))).toMatchObject([{ waiting: 5, fault: expect.stringContaining("410") }, {}]);
    expect(receiver.received).toHaveLength(1);
    expect(await store.listPlaces()).toMatchObject([{ channel: "team", waiting: 5, ended: { at: expect.any(Number) } }, { ended: null }]);
    expect(await tell(store, team("new"), hook(other))).toMatchObject([{ messages: 5, waiting: 0, fault: null }, { messages: 0 }]);
  });

  test("a place hears what is as bad as its level, and what could not be compared", async () => {
    await using at = await open();
    await using receiver = await startReceiver();
    const severities = ["breaking", "dangerous", "behaviour", "safe", "unclear"] as const;
    const store = await watch(
      at,
      "0x1",
      severities.map((severity) => ({ module: severity, severity })),
    );
    await tell(store, hook(receiver, "json", { level: "dangerous" as WatchLevel }));
    expect(messages(receiver).map(({ module }) => module)).toEqual(["breaking", "dangerous", "unclear"]);
    // What was told nowhere is still told to a place that wants it.
    await using other = await startReceiver();
    await tell(store, hook(receiver, "json", { level: "dangerous" as WatchLevel }), hook(other));
    expect(messages(other).map(({ module }) => module)).toEqual(["behaviour", "safe"]);
  });

  test("nothing is told in quiet hours, and all of it after them", async () => {
    await using at = await open();
    await using receiver = await startReceiver();
    const store = await watch(at, "0x1", many(2));
    const hours = parseQuietHours("22:00-07:00 Europe/Berlin");
    const quiet = hook(receiver, "json", { quietUntil: (now) => quietUntil(hours, now) });
    clock = new ManualClock({ startMs: Date.parse("2026-07-01T01:30:00Z"), skipSleeps: true });
    expect(await tell(store, quiet)).toMatchObject([{ waiting: 2, fault: "its quiet hours end at 2026-07-01T05:00:00.000Z" }]);
    expect(receiver.received).toHaveLength(0);
    clock = new ManualClock({ startMs: Date.parse("2026-07-01T05:00:00Z"), skipSleeps: true });
    expect(await tell(store, quiet)).toMatchObject([{ messages: 2, waiting: 0, fault: null }]);
  });

  test("is told again of what it was told and left out of, when that is asked for", async () => {
    await using at = await open();
    await using one = await startReceiver();
    await using late = await startReceiver();
    const store = await watch(at, "0x1", [
      { module: "a" },
      { module: "b", after: 50n, at: 60n },
      { module: "c", severity: "safe", after: 50n, at: 60n },
    ]);
    await tell(store, hook(one));
    expect(await tell(store, hook(late))).toMatchObject([{ messages: 0 }]);
    const place = hook(late, "json", { level: "breaking" as WatchLevel });
    expect(await store.replayAlerts(place, 9n, clock.now())).toBe(1);
    await tell(store, place);
    expect(messages(late).map(({ module }) => module)).toEqual(["b"]);
    expect(await store.replayAlerts(place, -1n, clock.now())).toBe(2);
    await tell(store, place);
    expect(messages(late).map(({ module }) => module)).toEqual(["b", "a", "b"]);
    expect(new Set(late.taken).size).toBe(3);
  });

  test("a note of what was taken is said, and the alerts are told", async () => {
    await using at = await open();
    const store = await watch(at, "0x1", many(1));
    const said: string[] = [];
    const place: Channel = {
      ...eachForItself("team", "x"),
      tell: async () => ({ isTold: true, note: "one of two recipients was refused" }),
    };
    const work = { store, clock, log: (_: string, text: string) => void said.push(text), messageOf: async () => ({}) as AlertMessage };
    expect(await tellAlerts(work, [place])).toMatchObject([{ told: [1], waiting: 0 }]);
    expect(said).toEqual(["team: one of two recipients was refused"]);
  });
});

test.each<[string, string, number | undefined]>([
  ["22:00-07:00", "2026-01-01T21:59:00Z", undefined],
  ["22:00-07:00", "2026-01-01T22:00:00Z", Date.parse("2026-01-02T07:00:00Z")],
  ["22:00-07:00", "2026-01-02T06:59:30Z", Date.parse("2026-01-02T07:00:00Z")],
  ["09:00-17:30", "2026-01-02T17:30:00Z", undefined],
  ["09:00-17:30 America/New_York", "2026-01-02T14:00:00Z", Date.parse("2026-01-02T22:30:00Z")],
])("quiet hours %s at %s", (text, now, until) => {
  expect(quietUntil(parseQuietHours(text), Date.parse(now))).toBe(until);
});

test.each(["22-7", "24:00-07:00", "07:00-07:00", "22:00-07:00 Mars/Olympus"])("%s are no quiet hours", (text) => {
  expect(() => parseQuietHours(text)).toThrow(RangeError);
});
