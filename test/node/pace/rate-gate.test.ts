import { getEventListeners } from "node:events";
import { describe, expect, test } from "vitest";
import { RateGate } from "../../../src/node/pace/rate-gate.ts";
import { AnswerFault } from "../../../src/node/protocol/node-error.ts";
import { ManualClock } from "../../support/manual-clock.ts";

const never = Number.POSITIVE_INFINITY;

/** A gate that one may pass each second, the first at once, unless told otherwise. */
function lineWith(): {
  line: RateGate;
  clock: ManualClock;
  passed: number[];
  gate: { waitMs: number | undefined; closed: AnswerFault | undefined };
} {
  const clock = new ManualClock({ startMs: 0 });
  const passed: number[] = [];
  const gate: { waitMs: number | undefined; closed: AnswerFault | undefined } = { waitMs: undefined, closed: undefined };
  const nextMs = (): number => (passed.at(-1) ?? -1000) + 1000;
  const line = new RateGate(
    {
      waitMs: (now) => gate.waitMs ?? Math.max(0, nextMs() - now),
      pass: (now) => void passed.push(now),
      closedFor: () => gate.closed,
    },
    clock,
  );
  return { line, clock, passed, gate };
}

describe("RateGate", () => {
  test("who comes to an open gate passes without a promise; the others in the order they came", async () => {
    const { line, clock, passed } = lineWith();
    expect(line.enter(never, undefined)).toBeUndefined();
    const order: string[] = [];
    const all = ["a", "b", "c"].map(async (name) => {
      await line.enter(never, undefined);
      order.push(name);
    });
    await clock.advance(3000);
    await Promise.all(all);
    expect(order).toEqual(["a", "b", "c"]);
    expect(passed).toEqual([0, 1000, 2000, 3000]);
  });

  test("an abort ends the wait at once and leaves the others their places", async () => {
    const { line, clock, passed } = lineWith();
    expect(line.enter(never, undefined)).toBeUndefined();
    const abort = new AbortController();
    const aborted = line.enter(never, abort.signal);
    const next = line.enter(never, undefined);
    abort.abort(new Error("enough"));
    await expect(aborted).rejects.toThrow("enough");
    await clock.advance(1000);
    await next;
    expect(passed).toEqual([0, 1000]);
    expect(() => line.enter(never, abort.signal)).toThrow("enough");
  });

  test("no timer is left when the last one is gone", async () => {
    const { line, clock } = lineWith();
    expect(line.enter(never, undefined)).toBeUndefined();
    const abort = new AbortController();
    const turn = line.enter(never, abort.signal);
    expect(clock.waiting).toBe(1);
    abort.abort(new Error("enough"));
    await expect(turn).rejects.toThrow("enough");
    await clock.advance(0);
    expect(clock.waiting).toBe(0);
  });

  test("a turn that does not come in time ends in a fault, at that time", async () => {
    const { line, clock, gate } = lineWith();
    gate.waitMs = 50_000;
    const ending = expect(line.enter(5000, undefined)).rejects.toMatchObject({ kind: "rate_limited" });
    await clock.advance(5000);
    await ending;
  });

  test("while only an event can open the gate no timer runs, and waking is enough", async () => {
    const { line, clock, gate } = lineWith();
    gate.waitMs = never;
    const turn = line.enter(never, undefined);
    await clock.advance(0);
    expect(clock.waiting).toBe(0);
    gate.waitMs = 0;
    line.wake();
    await turn;
  });

  test("a closed gate sends all away with its reason", async () => {
    const { line, gate } = lineWith();
    gate.waitMs = never;
    const endings = [1, 2, 3].map(() => expect(line.enter(never, undefined)).rejects.toMatchObject({ kind: "node_down" }));
    gate.closed = new AnswerFault("node_down", "for a test");
    line.wake();
    await Promise.all(endings);
  });

  test("dismissing sends all away, and the line can be used again", async () => {
    const { line, clock } = lineWith();
    expect(line.enter(never, undefined)).toBeUndefined();
    const turn = line.enter(never, undefined);
    line.rejectAll(new Error("closed"));
    await expect(turn).rejects.toThrow("closed");
    const next = line.enter(never, undefined);
    await clock.advance(1000);
    await next;
  });

  test("who comes while others wait does not overtake them, however open the gate is by then", async () => {
    const { line, clock, gate } = lineWith();
    gate.waitMs = never;
    const order: number[] = [];
    const first = line.enter(never, undefined)?.then(() => order.push(1));
    gate.waitMs = 0;
    const second = line.enter(never, undefined)?.then(() => order.push(2));
    expect(second).toBeInstanceOf(Promise);
    line.wake();
    await clock.advance(0);
    await Promise.all([first, second]);
    expect(order).toEqual([1, 2]);
  });

  test("leaves no listener on a signal, whether the turn came, the wait ended or the line was dismissed", async () => {
    const { line, clock, gate } = lineWith();
    const { signal } = new AbortController();
    expect(line.enter(never, signal)).toBeUndefined();
    const turn = line.enter(never, signal);
    await clock.advance(1000);
    await turn;
    gate.waitMs = 50_000;
    const late = expect(line.enter(clock.monotonic() + 5000, signal)).rejects.toMatchObject({ kind: "rate_limited" });
    expect(getEventListeners(signal, "abort")).toHaveLength(1);
    await clock.advance(5000);
    await late;
    const dismissed = expect(line.enter(never, signal)).rejects.toThrow("closed");
    line.rejectAll(new Error("closed"));
    await dismissed;
    expect(getEventListeners(signal, "abort")).toEqual([]);
    await clock.advance(0);
    expect(clock.waiting).toBe(0);
  });

  test("has one timer, up to the first who cannot wait longer, who takes nobody's turn", async () => {
    const { line, clock, passed, gate } = lineWith();
    gate.waitMs = 50_000;
    const ended: string[] = [];
    const ending = (name: string, untilMs: number) => line.enter(untilMs, undefined)?.catch(() => ended.push(name));
    void ending("short", 5000);
    void ending("long", 9000);
    const last = line.enter(never, undefined);
    expect(clock.waiting).toBe(1);
    await clock.advance(9000);
    expect(ended).toEqual(["short", "long"]);
    gate.waitMs = undefined;
    line.wake();
    await clock.advance(1);
    await last;
    expect(passed).toHaveLength(1);
  });
});
