import { describe, expect, test } from "vitest";
import { RateShare } from "../../../src/node/pace/rate-share.ts";
import { errorClasses } from "../../../src/node/protocol/error-classes.ts";
import { paceWith } from "./pace-with.ts";

const policy = errorClasses.rate_limited.retry;

describe("a share of a rate", () => {
  /** Sends whatever may be sent within a stretch, looked at each millisecond. */
  const send = (share: RateShare, fromMs: number, toMs: number): number => {
    let sent = 0;
    for (let now = fromMs; now < toMs; now++) {
      while (share.waitMs(now) === 0) {
        share.pass();
        sent += 1;
      }
    }
    return sent;
  };

  test("sends what was granted, and nothing once the grant has run out", () => {
    const share = new RateShare(100, 0);
    share.grant({ perSecond: 20, untilMs: 2_000 });
    expect(send(share, 0, 2_000)).toBeLessThanOrEqual(41);
    expect(send(share, 2_000, 60_000)).toBe(0);
    share.grant({ perSecond: 20, untilMs: 61_000 });
    const again = send(share, 60_000, 61_000);
    expect(again).toBeGreaterThanOrEqual(19);
    expect(again).toBeLessThanOrEqual(21);
  });

  test("asks for all when it was short, for a little more than it used when it was not, for nothing when it sent nothing", () => {
    const share = new RateShare(100, 0);
    expect(share.wish(0)).toBeUndefined();
    share.waitMs(0);
    expect(share.wish(10)).toEqual({ limitPerSecond: 100, wantsPerSecond: 100 });
    share.grant({ perSecond: 50, untilMs: 5_000 });
    const sent = send(share, 10, 210);
    expect(share.wish(1_010)?.wantsPerSecond).toBeCloseTo(sent * 1.1 + 1, 6);
    send(share, 1_010, 2_010);
    expect(share.wish(2_010)).toEqual({ limitPerSecond: 100, wantsPerSecond: 100 });
    expect(share.wish(3_010)).toBeUndefined();
  });

  test("asks for half of all after a complaint, and for more as time goes on without another", () => {
    const share = new RateShare(100, 0);
    share.complain(0);
    share.waitMs(0);
    expect(share.wish(1)?.limitPerSecond).toBeCloseTo(50, 1);
    share.waitMs(10_000);
    expect(share.wish(10_000)?.limitPerSecond).toBeCloseTo(60, 1);
  });
});

describe("a pace kept with others", () => {
  test("tells a storm of complaints once, and a longer pause again", () => {
    const { clock, pace, pauses } = paceWith(100);
    const sentAt = clock.monotonic();
    for (let count = 0; count < 64; count++) pace.complained(sentAt, policy, 2_000);
    expect(pauses).toEqual([{ pausedMs: 2_000, isComplaint: true }]);
    pace.complained(sentAt, policy, 5_000);
    expect(pauses.slice(1)).toEqual([{ pausedMs: 5_000, isComplaint: false }]);
  });

  test("sends nothing of a shared rate before it is granted, and goes on with the grant", async () => {
    const { clock, pace } = paceWith(100);
    pace.share(10);
    let isOut = false;
    const turn = Promise.resolve(pace.turn(Number.POSITIVE_INFINITY, undefined)).then(() => {
      isOut = true;
    });
    await clock.advance(60_000);
    expect(isOut).toBe(false);
    expect(pace.wish()).toMatchObject({ wantsPerSecond: 10 });
    pace.grant({ perSecond: 4, untilMs: clock.monotonic() + 1_000 });
    await clock.advance(1);
    await turn;
    expect(pace.now().perSecond).toBe(4);
  });
});
