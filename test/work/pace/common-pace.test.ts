import { expect, test } from "vitest";
import { databaseAt } from "../../../src/engine/database-at.ts";
import { sql } from "../../../src/schema/sql/sql.ts";
import type { CommonPaceStore } from "../../../src/work/pace/common-pace.ts";
import { openStore } from "../../../src/work/store.ts";
import { eachPostgres } from "../../engine/support/postgres-databases.ts";
import { temporaryStore } from "../../support/store/temporary-store.ts";

const NODE = "http://node/v1";
const ALL = { limitPerSecond: 90, wantsPerSecond: 90 };

eachPostgres("the pace kept at a node", (open) => {
  const join = (url: string) => openStore(url, { mode: "write", now: () => 0, share: { command: "sync", node: NODE } });
  const paceOf = (store: { commonPace: CommonPaceStore | undefined }) => store.commonPace as CommonPaceStore;

  test("grants parts that are never more than the rate together, and passes on what is given up or lapses", async () => {
    const url = (await open()).url();
    const joined = await Promise.all([join(url), join(url), join(url)]);
    const [one, two, three] = joined.map(paceOf) as [CommonPaceStore, CommonPaceStore, CommonPaceStore];
    expect((await one.renewShare(NODE, ALL)).perSecond).toBe(90);
    expect((await two.renewShare(NODE, ALL)).perSecond).toBe(0);
    // Another node is another rate.
    expect((await two.renewShare("http://other/v1", ALL)).perSecond).toBe(90);
    expect((await one.renewShare(NODE, ALL)).perSecond).toBe(45);
    const parts = await Promise.all([one, two, three].map((pace) => pace.renewShare(NODE, ALL)));
    expect(parts.reduce((sum, { perSecond }) => sum + perSecond, 0)).toBeLessThanOrEqual(90);
    await one.giveUpShare(NODE);
    await two.renewShare(NODE, ALL);
    expect((await three.renewShare(NODE, ALL)).perSecond).toBe(45);
    // One that left, and one whose part was not renewed.
    await joined[2]?.close();
    const { engine, close } = await databaseAt(url).open({ mode: "join" });
    expect(await engine.all(sql`SELECT granted_milli FROM _rate_grants WHERE node = :node`, { node: NODE })).toHaveLength(1);
    await engine.run(sql`UPDATE _rate_grants SET until = until - interval '1 hour'`);
    expect((await one.renewShare(NODE, ALL)).perSecond).toBe(90);
    expect(await engine.all(sql`SELECT owner FROM _rate_grants WHERE node = :node`, { node: NODE })).toHaveLength(1);
    await close();
    await joined[0]?.close();
    await joined[1]?.close();
  });

  test("shows a pause to all, the longest one, and when the node complained", async () => {
    const url = (await open()).url();
    await using one = await join(url);
    await using two = await join(url);
    expect(await paceOf(two).pauseOf(NODE)).toEqual({ pausedMs: 0, complainedAt: undefined });
    const told = await paceOf(one).announcePause(NODE, { pausedMs: 60_000, isComplaint: true });
    await paceOf(one).announcePause(NODE, { pausedMs: 10, isComplaint: false });
    const heard = await paceOf(two).pauseOf(NODE);
    expect(heard.complainedAt).toBe(told.complainedAt);
    expect(heard.pausedMs).toBeGreaterThan(30_000);
    expect(heard.pausedMs).toBeLessThanOrEqual(60_000);
    const { perSecond, ...renewed } = await paceOf(two).renewShare(NODE, ALL);
    expect(perSecond).toBe(90);
    expect(renewed.complainedAt).toBe(told.complainedAt);
    expect(await paceOf(two).pauseOf("http://other/v1")).toEqual({ pausedMs: 0, complainedAt: undefined });
  });
});

test("a file has one process at a time, and so nobody to keep a pace with", async () => {
  await using at = await temporaryStore();
  expect(at.store.commonPace).toBeUndefined();
});
