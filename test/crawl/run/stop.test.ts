import { expect, test } from "vitest";
import { openStop } from "../../../src/core/crawl/run/run-work.ts";
import { StoreError } from "../../../src/core/db/engine/errors.ts";
import { ManualClock } from "../../support/manual-clock.ts";

test("what is in hand may finish within the grace time, then it is let go", async () => {
  const clock = new ManualClock();
  const stop = openStop(clock, 1000);
  expect(stop.reason).toBeUndefined();
  stop.request("SIGTERM");
  expect(stop.reason).toBe("SIGTERM");
  await clock.advance(999);
  expect(stop.signal.aborted).toBe(false);
  await clock.advance(1);
  expect(stop.signal.aborted).toBe(true);
});

test("a second signal lets go at once; a budget asked twice does not", () => {
  const stop = openStop(new ManualClock());
  stop.request("budget");
  stop.request("budget");
  expect(stop.signal.aborted).toBe(false);
  stop.request("SIGINT");
  expect(stop.signal.aborted).toBe(true);
  expect(stop.reason).toBe("budget");
});

test("a run that is stopped while its database is away was stopped, and did not fail", () => {
  const stop = openStop(new ManualClock());
  const away = new StoreError("MOVEDEX_STORE_CUT", "the server is away");
  expect(stop.explain(away, undefined)).toBe(away);
  stop.request("SIGTERM");
  const message = "stopped by SIGTERM while the database gave no answer: the server is away";
  expect(stop.explain(away, undefined)).toMatchObject({ exit: "terminated", message });
});

test("a run that may last so long has ended by then: its last quarter is for the accounts under way, at most the grace time", async () => {
  for (const [allowedMs, softMs] of [
    [3_000, 2_250],
    [600_000, 580_000],
  ] as const) {
    const clock = new ManualClock();
    const stop = openStop(clock);
    stop.endWithin(allowedMs);
    await clock.advance(softMs - 1);
    expect(stop.reason).toBeUndefined();
    await clock.advance(1);
    expect(stop.reason).toBe("budget");
    expect(stop.signal.aborted).toBe(false);
    await clock.advance(allowedMs - softMs);
    expect(stop.signal.aborted).toBe(true);
    expect(stop.signal.reason).toMatchObject({ code: "MOVEDEX_STOPPED", exit: "failed" });
  }
});
