import { describe, expect, test } from "vitest";
import type { DeliveryQueries } from "../../../../src/capabilities/watch/alerts/deliveries.ts";
import type { Channel } from "../../../../src/capabilities/watch/tell/channel.ts";
import { eachArchive } from "../../../engine/support/each-engine.ts";
import { sized } from "../../../run-size.ts";
import { many, openAlerts } from "./support/alerts.ts";
import { type Behaviour, changesIn, type Receiver } from "./support/receiver.ts";

/** What ends a process, as far as a test inside it can tell: nothing after it runs. */
class Killed extends Error {}

eachArchive("telling", (open, engine) => {
  /** A place that is told of each change for itself, at which each try takes minutes. */
  const slow = ({ hook, receiver, clock }: Awaited<ReturnType<typeof openAlerts>>, minutes: number): Channel => {
    const own = hook(receiver);
    return { ...own, isApart: true, tell: async (notice) => clock.advance(minutes * 60_000).then(() => own.tell(notice)) };
  };
  const modulesOf = (receiver: Receiver): string[] => {
    const byId = new Map(
      receiver.received.map(({ headers, body }) => [String(headers["webhook-id"]), changesIn(body).map(({ module }) => module)]),
    );
    return receiver.taken.flatMap((id) => byId.get(id) as string[]);
  };

  // One that looks after another has begun cannot tell it from a killed one: it repeats the message, which a receiver knows by its id.
  test("tellers that work at once, whatever right each believes to have, send nothing that a receiver takes twice", async () => {
    await using alerts = await openAlerts(open, many(12));
    const { clock, hook, receiver, store, tell } = alerts;
    await store.addDeliveries([hook(receiver)], clock.now());
    const results = await Promise.all(Array.from({ length: 4 }, () => tell(hook(receiver))));
    expect(new Set(receiver.received.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
    expect(new Set(modulesOf(receiver)).size).toBe(12);
    const told = new Set(results.flatMap((places) => places.flatMap((one) => one.told)));
    expect([...told].toSorted((a, b) => a - b)).toEqual(Array.from({ length: 12 }, (_, i) => i + 1));
  });

  test("a place is left after five minutes in which it takes nothing, and what waits is told by a later run", async () => {
    await using alerts = await openAlerts(open, many(8));
    const { clock, receiver, tell } = alerts;
    receiver.behave = () => ({ status: 400 });
    expect(await tell(slow(alerts, 2))).toMatchObject([{ told: [], waiting: 8, fault: expect.stringContaining("400") }]);
    // It begins the third four minutes after the first, and no fourth after six.
    expect(receiver.received).toHaveLength(3);
    receiver.behave = () => ({ status: 200 });
    await clock.advance(86_400_000);
    expect(await tell(slow(alerts, 4))).toMatchObject([{ messages: 8, waiting: 0, fault: null }]);
  });

  test("a place that goes on taking has half an hour", async () => {
    await using alerts = await openAlerts(open, many(12));
    const { tell } = alerts;
    expect(await tell(slow(alerts, 4))).toMatchObject([{ messages: 8, waiting: 4, fault: "it took more than 30 minutes" }]);
  });

  test("one alert that a receiver does not like keeps no other waiting", async () => {
    await using alerts = await openAlerts(open, many(4));
    const { clock, hook, receiver, tell } = alerts;
    receiver.behave = ({ body }) => ({ status: body.includes('"m0"') ? 422 : body.includes('"m1"') ? 500 : 200 });
    expect(await tell(hook(receiver))).toMatchObject([{ told: [], waiting: 4, fault: "it answered with HTTP status 500" }]);
    // A minute, then two, then four: by the next night all of them are due.
    await clock.advance(86_400_000);
    expect(await tell(hook(receiver))).toMatchObject([{ told: [3, 4], waiting: 2 }]);
    receiver.behave = () => ({ status: 200 });
    await clock.advance(86_400_000);
    await tell(hook(receiver));
    expect(modulesOf(receiver).toSorted()).toEqual(["m0", "m1", "m2", "m3"]);
  });

  test("waits as long as a receiver asks, and no longer than six hours", async () => {
    await using alerts = await openAlerts(open, many(1));
    const { clock, hook, receiver, tell } = alerts;
    receiver.behave = () => ({ status: 429, headers: { "retry-after": "1800" } });
    await tell(hook(receiver));
    expect(receiver.received).toHaveLength(1);
    await clock.advance(1_799_000);
    await tell(hook(receiver));
    expect(receiver.received).toHaveLength(1);
    receiver.behave = () => ({ status: 503, headers: { "retry-after": "999999999" } });
    await clock.advance(1_000);
    await tell(hook(receiver));
    expect(receiver.received).toHaveLength(2);
    receiver.behave = () => ({ status: 200 });
    await clock.advance(6 * 3_600_000);
    await tell(hook(receiver));
    expect(modulesOf(receiver)).toEqual(["m0"]);
  });

  test("a receiver with a bucket of five and one more a second hears all changes of a night that it refused together", async () => {
    await using alerts = await openAlerts(open, many(40));
    const { clock, hook, receiver, tell } = alerts;
    let [bucket, filledAt] = [5, clock.now()];
    receiver.behave = ({ body }) => {
      if (body.includes("digest")) return { status: 413 };
      const filled = Math.floor((clock.now() - filledAt) / 1000);
      [bucket, filledAt] = [Math.min(5, bucket + filled), filledAt + filled * 1000];
      if (bucket === 0) return { status: 429, headers: { "retry-after": "1" } };
      bucket -= 1;
      return { status: 200 };
    };
    expect(await tell(hook(receiver))).toMatchObject([{ waiting: 0, fault: null }]);
    expect(new Set(receiver.taken).size).toBe(40);
  });

  // The same statements on either engine: a new database for every moment is quick in files alone.
  describe.runIf(engine === "sqlite")("ended at any moment", () => {
    /** The store and the place, of which the call number `left` kills: before it is made, or after. */
    const dying = (store: DeliveryQueries, channel: Channel, moment: number): [DeliveryQueries, Channel] => {
      let left = moment;
      const guard = async <T>(work: () => Promise<T>): Promise<T> => {
        if (left-- === 0) throw new Killed();
        const done = await work();
        if (left-- === 0) throw new Killed();
        return done;
      };
      const guarded = new Proxy(store, {
        get: (target, name) => {
          const method = target[name as keyof DeliveryQueries] as (...args: unknown[]) => Promise<unknown>;
          return (...args: unknown[]) => guard(() => method(...args));
        },
      });
      return [guarded, { ...channel, tell: (notice) => guard(() => channel.tell(notice)) }];
    };
    /** Behaviours that follow one another, whatever is sent. */
    const behaviours: readonly (readonly [string, readonly Behaviour[]])[] = [
      ["answers", [{ status: 200 }]],
      ["answers 500 every other time", [{ status: 500 }, { status: 200 }]],
      ["hangs, dies, or takes it and dies", ["hang", "die", "take-and-die", { status: 200 }, { status: 200 }]],
    ];

    const both = behaviours.flatMap(([name, turns]) => [false, true].map((isApart) => [name, turns, isApart] as const));
    test.each(both)(
      "none is missed, and none is taken twice under two identifiers, by one that %s (%j, apart: %s)",
      async (_, turns, isApart) => {
        for (let moment = 0; ; moment += sized(3, 1)) {
          await using alerts = await openAlerts(open, many(2));
          const { clock, hook, receiver, store, tell, tellFrom } = alerts;
          let turn = 0;
          // What answers is waited for; what hangs is left soon.
          const channel = hook(receiver, "json", { isApart }, turns.includes("hang") ? 30 : undefined);
          receiver.behave = () => turns[turn++ % turns.length] as Behaviour;
          let isKilled = false;
          try {
            const [dyingStore, dyingChannel] = dying(store, channel, moment);
            await tellFrom(dyingStore, [dyingChannel]);
          } catch (error) {
            if (!(error instanceof Killed)) throw error;
            isKilled = true;
          }
          const takenBefore = receiver.taken.length;
          for (let night = 0; night < 12 && (night === 0 || (await store.countWaiting(channel.channel)) > 0); night++) {
            await clock.advance(86_400_000);
            await tell(channel);
          }
          const ids = [...new Set(receiver.taken)];
          expect(ids, `killed at ${moment}`).toHaveLength(isApart ? 2 : 1);
          expect(new Set(modulesOf(receiver))).toEqual(new Set(["m0", "m1"]));
          // One that answers hears a second time at most what it had answered when the kill came, under the same identifier.
          if (turns.length === 1) {
            const repeated = receiver.taken.filter((id, i) => receiver.taken.indexOf(id) < i);
            expect(repeated.length).toBeLessThanOrEqual(isKilled ? 1 : 0);
            if (repeated.length === 1) expect(receiver.taken[takenBefore - 1]).toBe(repeated[0]);
          }
          if (!isKilled) break;
        }
      },
    );
  });
});
