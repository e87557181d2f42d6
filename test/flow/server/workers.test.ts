import { readFileSync } from "node:fs";
import { beforeEach, expect, test } from "vitest";
import { faults, type SimNode, startSimNode } from "../../../sim/index.ts";
import { pinQueries } from "../../../src/archive/snapshots/pins.ts";
import { visitQueries } from "../../../src/archive/snapshots/visits.ts";
import { systemClock } from "../../../src/base/time/clock.ts";
import { databaseAt } from "../../../src/engine/database-at.ts";
import type { Address } from "../../../src/move/address.ts";
import { sql } from "../../../src/schema/sql/sql.ts";
import { openStore } from "../../../src/work/store.ts";
import { targetQueries } from "../../../src/work/targets/targets.ts";
import { type Batch, batchQueries } from "../../../src/work/workers/batches.ts";
import { announceVersion } from "../../../src/work/workers/sharing.ts";
import { eachPostgres } from "../../engine/support/postgres-databases.ts";
import { isLongRun } from "../../run-size.ts";
import { serveDatabase } from "../../serve/support/served-archive.ts";
import { ended } from "../../support/command/ended.ts";
import { cuttingProxy } from "../../support/postgres/cutting-proxy.ts";
import { rawRequest } from "../../support/raw-request.ts";
import { runCli } from "../../support/run-cli.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";
import { type TwoNights, twoNights } from "../../support/two-nights.ts";
import { countIn, expectSamePublicRows, publicRows, rowsIn } from "./public-rows.ts";

const COUNT = 60;
const CUTS = 8;

eachPostgres("workers of one database", (open) => {
  let scene: TwoNights;
  let place: ReturnType<typeof temporaryDirectory>;
  let targets: string;
  let database: string;
  beforeEach(async () => {
    scene = twoNights(COUNT);
    place = temporaryDirectory();
    targets = scene.targetsFile(place.file("targets.csv"));
    database = (await open()).url();
  });

  const sync = (node: SimNode, db: string, more: readonly string[] = []) =>
    runCli(["sync", "--rpc", node.url, "--db", db, "--rate", "0", "--concurrency", "3", "--targets", targets, "--json", ...more]);

  /** The database's address by way of a proxy. */
  const behind = ({ port }: { readonly port: number }): string => database.replace(new URL(database).host, `127.0.0.1:${port}`);
  const quietNight = async () => {
    await using node = await startSimNode({ ledger: scene.ledger });
    await ended(sync(node, place.file("quiet.db")));
    return publicRows(place.file("quiet.db"));
  };

  test("share a night: no account is read twice, it is sealed once, and all say what it came to", async () => {
    const expected = await quietNight();
    await using node = await startSimNode({ ledger: scene.ledger });
    const results = await Promise.all(Array.from({ length: 4 }, () => sync(node, database, ["--rate", "10"])));
    for (const { code, stderr } of results) expect(code, stderr).toBe(0);
    const summaries = results.map(({ json }) => json());
    expect(new Set(summaries.map(({ ledger_version, digest, accounts }) => `${ledger_version} ${digest} ${accounts}`)).size).toBe(1);
    const listings = node.requests.filter(({ path }) => path.endsWith("/modules")).map(({ path }) => path);
    expect(listings).toHaveLength(COUNT + 1);
    expect(new Set(listings).size).toBe(COUNT + 1);
    // A record and a page of modules each, and nothing beyond that but 1 %; and one who comes after the seal compares three observations.
    const asked = node.requests.filter(({ path }) => path.includes("/accounts/"));
    expect(asked.length).toBeLessThanOrEqual(2 * (COUNT + 1) * 1.01 + 3 * (results.length - 1));
    await expectSamePublicRows(database, expected);
    for (const table of ["_leases", "_workers", "_batches", "_visits"]) expect(await countIn(database, table), table).toBe(0);
  });

  /** A worker that is there and reads the snapshot that a run left unfinished. */
  const workerAtUnfinished = async (node: SimNode) => {
    await ended(sync(node, database, ["--max-requests", "30"]));
    const store = await openStore(database, { mode: "write", now: () => 0, share: { command: "sync", node: "elsewhere" } });
    const [pin] = await pinQueries(store.engine).unfinishedPins();
    await announceVersion(store, pin?.ledgerVersion);
    return store;
  };

  test.runIf(isLongRun)("one whose node is behind the version, or has pruned it, says so with 8, takes nothing; others go on", async () => {
    const expected = await quietNight();
    await using node = await startSimNode({ ledger: scene.ledger });
    const other = await workerAtUnfinished(node);
    await using behind = await startSimNode({ ledger: scene.ledger, behind: [400n] });
    const pruned = faults.planFaults([
      { fault: faults.prunedState(scene.second, scene.second + 1n), match: ({ target }) => target.includes("/accounts/") },
    ]);
    await using gone = await startSimNode({ ledger: scene.ledger, faults: pruned });
    for (const late of [behind, gone]) {
      const { json } = await ended(sync(late, database), 8);
      expect(json()).toMatchObject({ error: { code: "MOVEDEX_WORKER_NODE", facts: { url: late.url, version: `${scene.second}` } } });
    }
    expect(behind.requests.filter(({ path }) => path.endsWith("/modules"))).toEqual([]);
    await other.close();
    await ended(sync(node, database));
    await expectSamePublicRows(database, expected);
  });

  test("and one that writes alone keep each other out", async () => {
    await using node = await startSimNode({ ledger: scene.ledger });
    const other = await workerAtUnfinished(node);
    const alone = { mode: "write", now: () => 0 } as const;
    await expect(openStore(database, alone)).rejects.toMatchObject({ code: "MOVEDEX_STORE_LOCKED", exit: "locked" });
    await other.close();
    const writer = await openStore(database, alone);
    expect(await sync(node, database)).toMatchObject({ code: 5 });
    await writer.close();
    await ended(sync(node, database));
  });

  test("that died is cleared away by one that writes alone, and writes no more when it comes back", async () => {
    await using node = await startSimNode({ ledger: scene.ledger });
    const late = await workerAtUnfinished(node);
    const version = (await pinQueries(late.engine).unfinishedPins())[0]?.ledgerVersion ?? 0n;
    await batchQueries(late.engine, late.sharing.take).openBatches(version);
    const batch = (await batchQueries(late.engine, late.sharing.take).takeBatch(version)) as Batch;
    const [planned] = await batchQueries(late.engine, late.sharing.take).accountsOf(batch);
    const { engine, close } = await databaseAt(database).open({ mode: "join" });
    await engine.run(sql`UPDATE _leases SET until = since`);
    await close();
    const writer = await openStore(database, { mode: "write", now: () => 0 });
    const visit = { address: planned?.address as Address, account: null, modules: [] };
    const leases = batch.lease === undefined ? [] : [batch.lease];
    await expect(visitQueries(late.engine).commitVisits(version, [visit], leases)).rejects.toMatchObject({ code: "MOVEDEX_STORE_FENCED" });
    await expect(
      targetQueries(late.engine).addTargets([{ address: "0x1" as Address, reason: "given", via: null, depth: 0 }], 0),
    ).rejects.toMatchObject({
      code: "MOVEDEX_STORE_FENCED",
    });
    await writer.close();
    await late.close();
  });

  test.runIf(isLongRun)("that follow others with a clock a day ahead, and over a network that is cut, are in the same night", async () => {
    const expected = await quietNight();
    await using node = await startSimNode({ ledger: scene.ledger });
    await (await openStore(database, { mode: "write", now: () => 0 })).close();
    await using proxy = await cuttingProxy(Number(new URL(database).port));
    const cutOff = behind(proxy);
    const ahead = { ...systemClock, now: () => systemClock.now() + 86_400_000 };
    const argv = ["sync", "--rpc", node.url, "--rate", "6", "--concurrency", "3", "--targets", targets, "--json"];
    const first = runCli([...argv, "--db", cutOff]);
    // Where the opening is cut a run ends at once; what is meant here is a network that fails in the midst of work.
    await expect.poll(() => countIn(database, "_batches")).toBeGreaterThan(0);
    const others = [runCli([...argv, "--db", database]), runCli([...argv, "--db", database], { clock: ahead })];
    let cuts = 0;
    const cutting = setInterval(() => cuts < CUTS && proxy.cutNextCommit(cuts++ % 2 === 0 ? "unheard" : "unanswered"), 300);
    try {
      for (const { code, stderr } of await Promise.all([first, ...others])) expect(code, stderr).toBe(0);
    } finally {
      clearInterval(cutting);
    }
    expect(cuts).toBe(CUTS);
    await expectSamePublicRows(database, expected);
  });

  test.runIf(isLongRun)("whose network stands still for longer than a lease give up their work, and end with the others", async () => {
    const expected = await quietNight();
    await using node = await startSimNode({ ledger: scene.ledger });
    await (await openStore(database, { mode: "write", now: () => 0 })).close();
    await using proxy = await cuttingProxy(Number(new URL(database).port));
    const argv = ["sync", "--rpc", node.url, "--concurrency", "3", "--targets", targets, "--lease", "1s", "--json"];
    const first = runCli([...argv, "--db", behind(proxy), "--rate", "20"]);
    await expect.poll(() => countIn(database, "_leases WHERE name LIKE 'batch:%'")).toBeGreaterThan(0);
    proxy.hold();
    await ended(runCli([...argv, "--db", database, "--rate", "0"]));
    expect(await rowsIn(database, "SELECT status FROM _pins")).toEqual([["sealed"]]);
    await proxy.letGoOn();
    await ended(first);
    // At most what it had in hand was read again: one batch or, at the turn from one to the next, two.
    const listings = node.requests.filter(({ path }) => path.endsWith("/modules")).map(({ path }) => path);
    expect(listings.length - new Set(listings).size).toBeLessThanOrEqual(2 * 10);
    await expectSamePublicRows(database, expected);
  });

  test("show themselves in `status` and in metrics, and what they have left to read", async () => {
    await using node = await startSimNode({ ledger: scene.ledger });
    const other = await workerAtUnfinished(node);
    await using served = await serveDatabase(database);
    const scrape = async () => (await rawRequest(`${served.origin}/metrics`)).body.toString();
    const before = await scrape();
    expect(before).toMatch(/^movedex_workers 1$/m);
    expect(before).toMatch(/^movedex_worker_requests\{worker="[^"]+",command="sync",node="elsewhere"\} 0$/m);
    expect(before).toContain(`\nmovedex_unfinished_accounts_planned{ledger_version="${scene.second}"} ${COUNT + 1}\n`);
    const left = Number(/^movedex_unfinished_accounts_left\{.*\} (\d+)$/m.exec(before)?.[1]);
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThan(COUNT + 1);
    expect((await runCli(["status", "--db", database, "--json"])).json()["workers"]).toMatchObject([
      { command: "sync", node: "elsewhere", alive: true, ledger_version: `${scene.second}`, accounts: 0 },
    ]);
    expect((await runCli(["status", "--db", database])).stdout).toMatch(
      /^worker +\S+ \(sync\) at elsewhere, for .*; last sign of life .* ago$/m,
    );
    const metrics = place.file("sync.prom");
    await ended(sync(node, database, ["--metrics-file", metrics]));
    const written = readFileSync(metrics, "utf8");
    expect(written).toMatch(/^movedex_workers 1$/m);
    expect(written).toMatch(/^movedex_worker_silent_seconds\{worker="[^"]+",command="sync",node="elsewhere"\} [0-9.]+$/m);
    expect(await scrape()).not.toContain("movedex_unfinished");
    await other.close();
    expect(await countIn(database, "_workers")).toBe(0);
  });
});
