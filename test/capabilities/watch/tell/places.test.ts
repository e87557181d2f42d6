import { expect, test } from "vitest";
import type { WatchLevel } from "../../../../src/capabilities/watch/receivers.ts";
import type { Channel } from "../../../../src/capabilities/watch/tell/channel.ts";
import type { AlertMessage } from "../../../../src/capabilities/watch/tell/message.ts";
import { eachArchive } from "../../../engine/support/each-engine.ts";
import { many, openAlerts } from "./support/alerts.ts";
import { changesIn, type Receiver, startReceiver } from "./support/receiver.ts";

eachArchive("places of alerts", (open) => {
  const messages = (receiver: Receiver): AlertMessage[] => receiver.received.flatMap(({ body }) => changesIn(body));

  test("one change is told once, whatever number of watches match it, also one that was added later", async () => {
    await using alerts = await openAlerts(open, [{ module: "coin", severity: "dangerous" }, { module: "other" }]);
    const { hook, receiver, store, tell, watch } = alerts;
    await watch("0x1::coin", [{ module: "coin", afterVersion: 4n, atOrBeforeVersion: 5n }]);
    // The same bytes again, later: another change.
    await watch("0x1::coin::withdraw", [
      { module: "coin", severity: "behaviour" },
      { module: "coin", afterVersion: 20n, atOrBeforeVersion: 30n },
    ]);
    expect(await tell(hook(receiver))).toMatchObject([{ told: [1, 3, 4, 2, 5], messages: 1, waiting: 0 }]);
    expect(messages(receiver).map(({ module, alerts }) => [module, alerts])).toEqual([
      ["coin", [1, 3, 4]],
      ["other", [2]],
      ["coin", [5]],
    ]);
    const watches = [{ id: 1 }, { id: 2 }, { id: 3 }];
    expect(messages(receiver)[0]).toMatchObject({ alert: 3, severity: "breaking", is_exact: true, watches });
    await watch("0x1::coin::deposit", [{ module: "coin", afterVersion: 4n, atOrBeforeVersion: 5n }]);
    await tell(hook(receiver));
    expect(receiver.received).toHaveLength(1);
    expect(await store.countUntold()).toBe(0);
  });

  test.each(["json", "slack"] as const)("a night is one message, and all that it only counts is told with it: %s", async (format) => {
    await using alerts = await openAlerts(open, many(250));
    const { hook, receiver, store, tell } = alerts;
    const place = hook(receiver, format);
    expect(await tell(place)).toMatchObject([{ messages: 1, waiting: 0 }]);
    expect(receiver.received).toHaveLength(1);
    expect(receiver.received[0]?.body).toContain("250 changes of what you watch on chain 1. 250 modules break somebody, 0 may, 0 do not");
    expect(await store.countUntold()).toBe(0);
    expect(await tell(place)).toMatchObject([{ messages: 0 }]);
  });

  test("a module counts once in the headline of a message, by the worst of its changes", async () => {
    const later = { from: "bb", to: "cc", severity: "safe", afterVersion: 9n, atOrBeforeVersion: 12n, shownBy: 12n } as const;
    await using alerts = await openAlerts(open, [{ module: "a" }, { module: "a", ...later }]);
    const { hook, receiver, tell } = alerts;
    await tell(hook(receiver));
    expect(receiver.received[0]?.body).toContain("2 changes of what you watch on chain 1. 1 module breaks somebody, 0 may, 0 do not");
  });

  test("a digest that was cut off is tried again as it was, and what came since is another", async () => {
    await using alerts = await openAlerts(open, [{ module: "a" }, { module: "b" }]);
    const { clock, hook, receiver, tell, watch } = alerts;
    receiver.behave = () => "take-and-die";
    await tell(hook(receiver));
    await watch("0x1::c", [{ module: "c" }]);
    receiver.behave = () => ({ status: 200 });
    await clock.advance(86_400_000);
    expect(await tell(hook(receiver))).toMatchObject([{ messages: 2, waiting: 0 }]);
    const byId = Map.groupBy(receiver.received, ({ headers }) => headers["webhook-id"]);
    expect([...byId.values()].map((list) => new Set(list.map(({ body }) => body)).size)).toEqual([1, 1]);
    expect([...byId.values()].map((list) => list.length)).toEqual([4, 1]);
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
    const team = (path: string): Channel => ({ ...hook({ ...receiver, url: `${receiver.url}/${path}` }), channel: "team" });
    receiver.behave = () => ({ status: 410 });
    const [ended] = await tell(team("old"), hook(other));
    expect(ended).toMatchObject({ name: "team", waiting: 5, fault: "it answered with HTTP status 410: it is gone for good" });
    expect(receiver.received).toHaveLength(1);
    receiver.behave = () => ({ status: 200 });
    expect(await tell(team("old"), hook(other))).toMatchObject([{ waiting: 5, fault: expect.stringContaining("410") }, {}]);
    expect(receiver.received).toHaveLength(1);
    expect(await store.listPlaces()).toMatchObject([{ channel: "team", waiting: 5, ended: { at: expect.any(Number) } }, { ended: null }]);
    expect(await tell(team("new"), hook(other))).toMatchObject([{ messages: 1, waiting: 0, fault: null }, { messages: 0 }]);
  });

  test("a place hears what is as bad as its level, and what could not be compared", async () => {
    const severities = ["breaking", "dangerous", "behaviour", "safe", "unclear"] as const;
    const changes = severities.map((severity) => ({ module: severity, severity }));
    await using alerts = await openAlerts(open, changes);
    const { hook, receiver, tell } = alerts;
    await tell(hook(receiver, "json", { level: "dangerous" as WatchLevel }));
    expect(messages(receiver).map(({ module }) => module)).toEqual(["unclear", "breaking", "dangerous"]);
    // What was told nowhere is still told to a place that wants it.
    await using other = await startReceiver();
    await tell(hook(receiver, "json", { level: "dangerous" as WatchLevel }), hook(other));
    expect(messages(other).map(({ module }) => module)).toEqual(["behaviour", "safe"]);
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
    expect(new Set(late.taken).size).toBe(2);
  });
});
