import { beforeEach, expect, test } from "vitest";
import { faults, type SimNode, startSimNode } from "../../../sim/index.ts";
import { claimQueries } from "../../../src/core/db/archive/snapshots/claims.ts";
import { snapshotQueries } from "../../../src/core/db/archive/snapshots/snapshot-queries.ts";
import { openStore } from "../../../src/core/work/store.ts";
import { eachPostgres, type TestDatabase } from "../../engine/support/postgres-databases.ts";
import { isLongRun } from "../../run-size.ts";
import {
  cuttingProxy,
  ended,
  ManualClock,
  runCli,
  signalSender,
  type TwoNights,
  temporaryDirectory,
  twoNights,
} from "../../support/index.ts";
import { countIn, expectSamePublicRows, publicRows, rowsIn } from "./public-rows.ts";

const COUNT = 60;
const CLAIMED = "_visits WHERE state = 'planned' AND claimed_until > now()";

eachPostgres("workers of one database", (open) => {
  let scene: TwoNights;
  let place: ReturnType<typeof temporaryDirectory>;
  let targets: string;
  let at: TestDatabase;
  let database: string;
  beforeEach(async () => {
    scene = twoNights(COUNT);
    place = temporaryDirectory();
    targets = scene.targetsFile(place.file("targets.csv"));
    at = await open();
    database = at.url();
  });

  const argv = (node: SimNode, db: string, more: readonly string[] = []) => {
    const words = ["sync", "--rpc", node.url, "--db", db, "--rate", "0", "--concurrency", "3", "--targets", targets, "--json"];
    return [...words, ...more];
  };
  const sync = (node: SimNode, db = database, more: readonly string[] = []) => runCli(argv(node, db, more));
  const listings = (node: SimNode) => node.requests.filter(({ path }) => path.endsWith("/modules")).map(({ path }) => path);
  const quietNight = async () => {
    await using node = await startSimNode({ ledger: scene.ledger });
    await ended(sync(node, place.file("quiet.db")));
    return publicRows(place.file("quiet.db"));
  };
  /** As when a process died in the midst of a snapshot: some accounts are claimed `times`, and nobody says a word of them. */
  const claimUnfinished = async (node: SimNode, times = 1) => {
    await ended(sync(node, database, ["--max-requests", "30"]));
    await using store = await openStore(database, { mode: "write", now: Date.now, beside: "sync" });
    const version = (await snapshotQueries(store.engine).unfinishedSnapshots())[0]?.ledgerVersion as bigint;
    const claims = await claimQueries(store.engine, { now: Date.now }).claimAccounts(version, { after: -1, limit: 2, again: false });
    await at.prepare(`UPDATE movedex._visits SET claims = ${times} WHERE claims IS NOT NULL`);
    return claims.map(({ address }) => address);
  };
  const letClaimsRunOut = (ago = "0 minutes") =>
    at.prepare(`UPDATE movedex._visits SET claimed_until = now() - interval '${ago}' WHERE claimed_until IS NOT NULL`);

  test("share a night: no account is read twice, it is sealed once, and all say what it came to", async () => {
    const expected = await quietNight();
    await using node = await startSimNode({ ledger: scene.ledger });
    const results = await Promise.all(Array.from({ length: 4 }, () => sync(node, database, ["--rate", "10"])));
    for (const { code, stderr } of results) expect(code, stderr).toBe(0);
    const summaries = results.map(({ json }) => json());
    expect(new Set(summaries.map(({ ledger_version, digest, accounts }) => `${ledger_version} ${digest} ${accounts}`)).size).toBe(1);
    expect(summaries.filter(({ sealed_by }) => sealed_by === undefined)).toHaveLength(1);
    expect(listings(node)).toHaveLength(COUNT + 1);
    expect(new Set(listings(node)).size).toBe(COUNT + 1);
    await expectSamePublicRows(database, expected);
    expect(await countIn(database, "_visits")).toBe(0);
  });

  test("leave a gap where three died, and the next night reads it", async () => {
    const expected = await quietNight();
    await using node = await startSimNode({ ledger: scene.ledger });
    const deadly = await claimUnfinished(node, 3);
    const next = sync(node);
    await expect.poll(() => countIn(database, "_visits WHERE state = 'planned'")).toBe(2);
    await letClaimsRunOut();
    const { json, stderr } = await ended(next, 2);
    expect(json()).toMatchObject({ status: "sealed_with_gaps", gaps: 2 });
    expect(stderr).toMatch(/which have 2 accounts in hand; what those leave that have ended is free by \d\d:\d\d:\d\d UTC/);
    const reasons = await rowsIn(database, "SELECT address, reason, attempts FROM gaps ORDER BY address");
    expect(reasons).toEqual(deadly.toSorted().map((address) => [address, "unread", 3n]));
    await ended(sync(node, database, ["--ledger-version", `${scene.second}`]));
    await expectSamePublicRows(database, expected);
  });

  test.runIf(isLongRun)("give back on SIGTERM what they do not finish: the next one reads the rest, nothing twice", async () => {
    const expected = await quietNight();
    await using node = await startSimNode({ ledger: scene.ledger });
    const sender = signalSender();
    const first = runCli(argv(node, database, ["--rate", "30"]), { signals: sender.signals });
    await expect.poll(() => listings(node).length).toBeGreaterThan(2);
    sender.send("SIGTERM");
    expect((await ended(first, 143)).json()).toMatchObject({ status: "unsealed" });
    expect(await countIn(database, "_visits WHERE claims IS NOT NULL AND state = 'planned'")).toBe(0);
    await ended(sync(node));
    expect(listings(node)).toHaveLength(COUNT + 1);
    await expectSamePublicRows(database, expected);
  });

  test("of another chain end with 4 before a write", async () => {
    await using node = await startSimNode({ ledger: scene.ledger });
    await ended(sync(node, database, ["--max-requests", "30"]));
    const planned = () => rowsIn(database, "SELECT ledger_version, position, state, claims FROM _visits ORDER BY position");
    const before = await planned();
    await using other = await startSimNode({ ledger: twoNights(COUNT, 1, { chainId: 77 }).ledger });
    expect(JSON.stringify((await ended(sync(other), 4)).json())).toContain("77");
    expect(listings(other)).toEqual([]);
    expect(await planned()).toEqual(before);
  });

  test("whose node does not answer at an old version leave it to who had it minutes ago, and read the night's own", async () => {
    await using node = await startSimNode({ ledger: scene.ledger });
    await claimUnfinished(node);
    await letClaimsRunOut();
    const own = scene.second + 1000n;
    scene.ledger.advanceTo(own);
    const failing = faults.planFaults([
      { fault: faults.storageFailure("noIndex"), match: ({ target }) => target.includes(`ledger_version=${scene.second}`) },
    ]);
    await using dead = await startSimNode({ ledger: scene.ledger, faults: failing });
    const clock = new ManualClock({ startMs: Date.now() + 86_400_000, skipSleeps: true });
    await ended(runCli(argv(dead, database), { clock }));
    const states = () => rowsIn(database, "SELECT ledger_version, status FROM _all_snapshots ORDER BY ledger_version");
    expect(await states()).toEqual([
      [scene.second, "unsealed"],
      [own, "sealed"],
    ]);
    scene.ledger.advanceTo(own + 1000n);
    await ended(runCli(argv(node, database), { clock }));
    expect((await states()).map((row) => row[1])).toEqual(["sealed", "sealed", "sealed"]);
  });

  test("whose node is behind the version, or has pruned it, say so with 8 while others read it, and take nothing", async () => {
    const expected = await quietNight();
    await using node = await startSimNode({ ledger: scene.ledger });
    await claimUnfinished(node);
    await using behind = await startSimNode({ ledger: scene.ledger, behind: [400n] });
    const pruned = faults.planFaults([
      { fault: faults.prunedState(scene.second, scene.second + 1n), match: ({ target }) => target.includes("/accounts/") },
    ]);
    await using gone = await startSimNode({ ledger: scene.ledger, faults: pruned });
    for (const late of [behind, gone]) {
      const { json } = await ended(sync(late), 8);
      expect(json()).toMatchObject({ error: { code: "MOVEDEX_WORKER_NODE", facts: { url: late.url, version: `${scene.second}` } } });
    }
    expect(listings(behind)).toEqual([]);
    // Who waits for a node or a server has them still, minutes after its claims ran out.
    await letClaimsRunOut();
    const { stderr } = await ended(sync(gone), 8);
    expect(stderr).toMatch(/The others were last heard of at \d\d:\d\d\. If they have ended, .* one after \d\d:\d\d UTC makes gaps of /);
    await ended(sync(node));
    await expectSamePublicRows(database, expected);
  });

  test("whose node has pruned the version make gaps of what others had in the end, and not before", async () => {
    await using node = await startSimNode({ ledger: scene.ledger });
    const silent = await claimUnfinished(node);
    const pruned = faults.planFaults([
      { fault: faults.prunedState(scene.second, scene.second + 1n), match: ({ target }) => target.includes("/accounts/") },
    ]);
    await using gone = await startSimNode({ ledger: scene.ledger, faults: pruned });
    await letClaimsRunOut("39 minutes");
    await ended(sync(gone), 8);
    expect(await countIn(database, "_all_gaps")).toBe(0);
    await letClaimsRunOut("41 minutes");
    expect((await ended(sync(gone), 3)).json()).toMatchObject({ status: "sealed_with_gaps" });
    expect(await countIn(database, "_all_gaps WHERE is_final")).toBeGreaterThanOrEqual(silent.length);
  });

  test("and one that writes alone keep each other out; of `backfill` there is one", async () => {
    await using node = await startSimNode({ ledger: scene.ledger });
    const alone = { mode: "write", now: () => 0 } as const;
    const locked = { code: "MOVEDEX_STORE_LOCKED", exit: "locked" };
    const worker = await openStore(database, { ...alone, beside: "sync" });
    await expect(openStore(database, alone)).rejects.toMatchObject(locked);
    const backfill = await openStore(database, { ...alone, beside: "backfill" });
    await expect(openStore(database, { ...alone, beside: "backfill" })).rejects.toMatchObject(locked);
    for (const store of [worker, backfill]) await store.close();
    const writer = await openStore(database, alone);
    expect(await sync(node)).toMatchObject({ code: 5 });
    await writer.close();
    await ended(sync(node));
  });

  test.runIf(isLongRun)("whose network stands still while others seal end with 0, and change nothing", async () => {
    const expected = await quietNight();
    await using node = await startSimNode({ ledger: scene.ledger });
    await (await openStore(database, { mode: "write", now: () => 0 })).close();
    await using proxy = await cuttingProxy(at.port);
    const first = runCli(argv(node, at.url("postgres", proxy.port), ["--rate", "20"]));
    await expect.poll(() => countIn(database, CLAIMED)).toBeGreaterThan(0);
    proxy.hold();
    const second = sync(node);
    await expect
      .poll(async () => {
        await letClaimsRunOut();
        return rowsIn(database, "SELECT status FROM _all_snapshots");
      })
      .toEqual([["sealed"]]);
    await proxy.letGoOn();
    for (const result of [first, second]) await ended(result);
    await expectSamePublicRows(database, expected);
  });
});
