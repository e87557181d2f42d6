import { expect, test } from "vitest";
import type { WatchLevel } from "../../../src/abi/compare/severity.ts";
import { type Channel, eachForItself } from "../../../src/questions/tell/channel.ts";
import type { AlertMessage } from "../../../src/questions/tell/message.ts";
import { parseQuietHours, quietUntil } from "../../../src/questions/tell/quiet-hours.ts";
import { tellAlerts } from "../../../src/questions/tell/tell-alerts.ts";
import { eachArchive } from "../../engine/support/each-engine.ts";
import type { ManualClock } from "../../support/manual-clock.ts";
import { many, openAlerts } from "./support/alerts.ts";
import { type Receiver, startReceiver } from "./support/receiver.ts";

eachArchive("places of alerts", (open) => {
  const messages = (receiver: Receiver): AlertMessage[] => receiver.received.map(({ body }) => JSON.parse(body) as AlertMessage);
  /** A receiver that takes one message a second and refuses more, with a bucket of its own. */
  const oneASecond = ({ receiver, clock }: { receiver: Receiver; clock: ManualClock }): void => {
    let takenAt = Number.NEGATIVE_INFINITY;
    receiver.behave = () => {
      if (clock.now() - takenAt < 1000) return { status: 429, headers: { "retry-after": "1" } };
      takenAt = clock.now();
      return { status: 200 };
    };
  };

  test("one change is one message, whatever number of watches match it, also one that was added later", async () => {
    await using alerts = await openAlerts(open, [{ module: "coin", severity: "dangerous" }, { module: "other" }]);
    const { hook, receiver, store, tell, watch } = alerts;
    await watch("0x1::coin", [{ module: "coin", afterVersion: 4n, atOrBeforeVersion: 5n }]);
    // The same bytes again, later: another change.
    await watch("0x1::coin::withdraw", [
      { module: "coin", severity: "behaviour" },
      { module: "coin", afterVersion: 20n, atOrBeforeVersion: 30n },
    ]);
    expect(await tell(hook(receiver))).toMatchObject([{ told: [1, 3, 4, 2, 5], messages: 3, waiting: 0 }]);
    expect(messages(receiver).map(({ module, alerts }) => [module, alerts])).toEqual([
      ["coin", [1, 3, 4]],
      ["other", [2]],
      ["coin", [5]],
    ]);
    const watches = [{ id: 1 }, { id: 2 }, { id: 3 }];
    expect(messages(receiver)[0]).toMatchObject({ alert: 3, severity: "breaking", is_exact: true, watches });
    await watch("0x1::coin::deposit", [{ module: "coin", afterVersion: 4n, atOrBeforeVersion: 5n }]);
    await tell(hook(receiver));
    expect(receiver.received).toHaveLength(3);
    expect(await store.countUntold()).toBe(0);
  });

  test("chat hears a night as a digest, in as few messages as hold it", async () => {
    await using alerts = await openAlerts(open, many(90));
    const { hook, receiver, tell } = alerts;
    oneASecond(alerts);
    expect(await tell(hook(receiver, "slack"))).toMatchObject([{ messages: 3, waiting: 0 }]);
    const texts = receiver.received.map(({ body }) => (JSON.parse(body) as { text: string }).text);
    expect(texts.map((text) => text.split("\n")[0])).toEqual([
      "40 changes of what you watch: 40 breaking",
      "40 changes of what you watch: 40 breaking",
      "10 changes of what you watch: 10 breaking",
    ]);
    const modules = texts.flatMap((text) => [...text.matchAll(/0x1::(m\d+) changed/g)].map(([, module]) => module));
    expect(modules.toSorted()).toEqual(Array.from({ length: 90 }, (_, i) => `m${i}`).toSorted());
    // Paced: it never had to refuse one.
    expect(receiver.received).toHaveLength(3);
  });

  test("a place without digests is paced too, and may take longer than five minutes while it takes something", async () => {
    await using alerts = await openAlerts(open, many(400));
    const { hook, receiver, tell } = alerts;
    oneASecond(alerts);
    expect(await tell(hook(receiver, "slack", { digest: "none" }))).toMatchObject([{ messages: 400, waiting: 0 }]);
    expect(receiver.received).toHaveLength(400);
  });

  test("a digest that was cut off is tried again as it was, and what came since is another", async () => {
    await using alerts = await openAlerts(open, [{ module: "a" }, { module: "b" }]);
    const { clock, hook, receiver, tell, watch } = alerts;
    receiver.behave = () => "take-and-die";
    await tell(hook(receiver, "json", { digest: "night" }));
    await watch("0x1::c", [{ module: "c" }]);
    receiver.behave = () => ({ status: 200 });
    await clock.advance(86_400_000);
    expect(await tell(hook(receiver, "json", { digest: "night" }))).toMatchObject([{ messages: 2, waiting: 0 }]);
    const byId = Map.groupBy(receiver.received, ({ headers }) => headers["webhook-id"]);
    expect([...byId.values()].map((list) => new Set(list.map(({ body }) => body)).size)).toEqual([1, 1]);
    expect([...byId.values()].map((list) => list.length)).toEqual([4, 1]);
  });

  test("a module's changes stand together where that is asked for", async () => {
    await using alerts = await openAlerts(open, [
      { module: "a" },
      { module: "b" },
      { module: "a", afterVersion: 20n, atOrBeforeVersion: 21n },
    ]);
    const { hook, receiver, tell } = alerts;
    expect(await tell(hook(receiver, "json", { digest: "module" }))).toMatchObject([{ messages: 2 }]);
    expect(messages(receiver).map(({ type }) => type)).toEqual(["digest", "alert"]);
  });

  test("what is refused stops no queue: a digest is told in parts, and the last of ten comes after nine refusals", async () => {
    await using alerts = await openAlerts(open, many(10));
    const { hook, receiver, tell } = alerts;
    receiver.behave = ({ body }) => ({ status: body.includes('"m9"') && !body.includes("digest") ? 200 : 400 });
    expect(await tell(hook(receiver))).toMatchObject([{ messages: 1, waiting: 9, fault: "it answered with HTTP status 400" }]);
    await using chat = await startReceiver();
    chat.behave = ({ body }) => ({ status: body.includes("m3") ? 400 : 200 });
    expect(await tell({ ...hook(chat, "slack"), channel: "team" }, hook(receiver))).toMatchObject([{ messages: 8, waiting: 1 }, {}]);
  });

  test("410 ends a place with a word, and a new address of a named place takes what waits, though another place was told", async () => {
    await using alerts = await openAlerts(open, many(5));
    const { hook, receiver, store, tell } = alerts;
    await using other = await startReceiver();
    const team = (path: string): Channel => ({
      ...hook({ ...receiver, url: `${receiver.url}/${path}` }),
      channel: "team",
    });
    receiver.behave = () => ({ status: 410 });
    const [ended] = await tell(team("old"), hook(other));
    expect(ended).toMatchObject({ name: "team", waiting: 5, fault: "it answered with HTTP status 410: it is gone for good" });
    expect(receiver.received).toHaveLength(1);
    receiver.behave = () => ({ status: 200 });
    expect(await tell(team("old"), hook(other))).toMatchObject([{ waiting: 5, fault: expect.stringContaining("410") }, {}]);
    expect(receiver.received).toHaveLength(1);
    expect(await store.listPlaces()).toMatchObject([{ channel: "team", waiting: 5, ended: { at: expect.any(Number) } }, { ended: null }]);
    expect(await tell(team("new"), hook(other))).toMatchObject([{ messages: 5, waiting: 0, fault: null }, { messages: 0 }]);
  });

  test("a place hears what is as bad as its level, and what could not be compared", async () => {
    const severities = ["breaking", "dangerous", "behaviour", "safe", "unclear"] as const;
    const changes = severities.map((severity) => ({ module: severity, severity }));
    await using alerts = await openAlerts(open, changes);
    const { hook, receiver, tell } = alerts;
    await tell(hook(receiver, "json", { level: "dangerous" as WatchLevel }));
    expect(messages(receiver).map(({ module }) => module)).toEqual(["breaking", "dangerous", "unclear"]);
    // What was told nowhere is still told to a place that wants it.
    await using other = await startReceiver();
    await tell(hook(receiver, "json", { level: "dangerous" as WatchLevel }), hook(other));
    expect(messages(other).map(({ module }) => module)).toEqual(["behaviour", "safe"]);
  });

  test("nothing is told in quiet hours, and all of it after them", async () => {
    await using alerts = await openAlerts(open, many(2), Date.parse("2026-07-01T01:30:00Z"));
    const { clock, hook, receiver, tell } = alerts;
    const hours = parseQuietHours("22:00-07:00 Europe/Berlin");
    const quiet = hook(receiver, "json", { quietUntil: (now) => quietUntil(hours, now) });
    expect(await tell(quiet)).toMatchObject([{ waiting: 2, fault: "its quiet hours end at 2026-07-01T05:00:00.000Z" }]);
    expect(receiver.received).toHaveLength(0);
    await clock.advance(3.5 * 3_600_000);
    expect(await tell(quiet)).toMatchObject([{ messages: 2, waiting: 0, fault: null }]);
  });

  test("is told again of what it was told and left out of, when that is asked for", async () => {
    await using alerts = await openAlerts(open, [
      { module: "a" },
      { module: "b", afterVersion: 50n, atOrBeforeVersion: 60n },
      { module: "c", severity: "safe", afterVersion: 50n, atOrBeforeVersion: 60n },
    ]);
    const { clock, hook, store, tell, receiver: one } = alerts;
    await using late = await startReceiver();
    await tell(hook(one));
    expect(await tell(hook(late))).toMatchObject([{ messages: 0 }]);
    const place = hook(late, "json", { level: "breaking" as WatchLevel });
    expect(await store.replayAlerts(place, 9n, clock.now())).toBe(1);
    await tell(place);
    expect(messages(late).map(({ module }) => module)).toEqual(["b"]);
    expect(await store.replayAlerts(place, -1n, clock.now())).toBe(2);
    await tell(place);
    expect(messages(late).map(({ module }) => module)).toEqual(["b", "a", "b"]);
    expect(new Set(late.taken).size).toBe(3);
  });

  test("a note of what was taken is said, and the alerts are told", async () => {
    await using alerts = await openAlerts(open, many(1));
    const { clock, store } = alerts;
    const said: string[] = [];
    const note = "one of two recipients was refused";
    const place: Channel = { ...eachForItself("team", "x"), tell: async () => ({ isTold: true, note }) };
    const work = { store, clock, log: (_: string, text: string) => void said.push(text), messageOf: async () => ({}) as AlertMessage };
    expect(await tellAlerts(work, [place])).toMatchObject([{ told: [1], waiting: 0 }]);
    expect(said).toEqual([`team: ${note}`]);
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
