import { afterEach, beforeEach, expect, test } from "vitest";
import type { Address } from "../../../src/move/address.ts";
import { named, sql } from "../../../src/schema/sql/sql.ts";
import { faults, type SimNode, startSimNode } from "../../../src/sim/index.ts";
import { openEngine } from "../../../src/store/connection/open-engine.ts";
import { openStore } from "../../../src/store/store.ts";
import type { Batch } from "../../../src/store/work/batches.ts";
import { eachPostgres } from "../../store/engine/support/postgres-databases.ts";
import { runCli } from "../../support/run-cli.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";
import { type TwoNights, twoNights } from "../../support/two-nights.ts";
import { expectSamePublicRows, publicRows } from "./public-rows.ts";

const COUNT = 60;

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
  afterEach(() => place[Symbol.dispose]());

  const sync = (node: SimNode, db: string, more: readonly string[] = []) =>
    runCli(["sync", "--rpc", node.url, "--db", db, "--rate", "0", "--concurrency", "3", "--targets", targets, "--json", ...more]);

  const quietNight = async () => {
    await using node = await startSimNode({ ledger: scene.ledger });
    expect((await sync(node, place.file("quiet.db"))).code).toBe(0);
    return publicRows(place.file("quiet.db"));
  };

  test("share a night: no account is read twice, it is sealed once, and all say what it came to", async () => {
    const expected = await quietNight();
    await using node = await startSimNode({ ledger: scene.ledger });
    const results = await Promise.all(Array.from({ length: 4 }, () => sync(node, database)));
    for (const { code, stderr } of results) expect(code, stderr).toBe(0);
    const summaries = results.map(({ json }) => json());
    expect(new Set(summaries.map(({ ledger_version, digest, accounts }) => `${ledger_version} ${digest} ${accounts}`)).size).toBe(1);
    const listings = node.requests.filter(({ path }) => path.endsWith("/modules")).map(({ path }) => path);
    expect(listings).toHaveLength(COUNT + 1);
    expect(new Set(listings).size).toBe(COUNT + 1);
    await expectSamePublicRows(database, expected);
    const { engine, close } = await openEngine(database, { mode: "read" });
    for (const table of ["leases", "workers", "batches", "visits"])
      expect(await engine.all(sql`SELECT * FROM ${named(table)}`), table).toEqual([]);
    await close();
  });

  /** A worker that is there and reads the snapshot that a run left unfinished. */
  const workerAtUnfinished = async (node: SimNode) => {
    expect((await sync(node, database, ["--max-requests", "20"])).code).toBe(0);
    const store = await openStore(database, { mode: "write", now: () => 0, share: { command: "work", node: "elsewhere" } });
    const [pin] = await store.unfinishedPins();
    await store.turnTo(pin?.ledgerVersion);
    return store;
  };

  test("one whose node is not there yet, or has pruned the version, says so with 8 and takes nothing; the others go on", async () => {
    const expected = await quietNight();
    await using node = await startSimNode({ ledger: scene.ledger });
    const other = await workerAtUnfinished(node);
    await using behind = await startSimNode({ ledger: scene.ledger, behind: [400n] });
    const pruned = faults.planFaults([
      { fault: faults.prunedState(scene.second, scene.second + 1n), match: ({ target }) => target.includes("/accounts/") },
    ]);
    await using gone = await startSimNode({ ledger: scene.ledger, faults: pruned });
    for (const late of [behind, gone]) {
      const { code, stderr, json } = await sync(late, database);
      expect(code, stderr).toBe(8);
      expect(json()).toMatchObject({ error: { code: "MOVEDEX_WORKER_NODE", facts: { url: late.url, version: `${scene.second}` } } });
    }
    expect(behind.requests.filter(({ path }) => path.endsWith("/modules"))).toEqual([]);
    await other.close();
    expect((await sync(node, database)).code).toBe(0);
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
    expect((await sync(node, database)).code).toBe(0);
  });

  test("that died is cleared away by one that writes alone, and writes no more when it comes back", async () => {
    await using node = await startSimNode({ ledger: scene.ledger });
    const late = await workerAtUnfinished(node);
    const version = (await late.unfinishedPins())[0]?.ledgerVersion ?? 0n;
    await late.openBatches(version);
    const batch = (await late.takeBatch(version)) as Batch;
    const [address] = await late.accountsOf(batch);
    const { engine, close } = await openEngine(database, { mode: "join" });
    await engine.run(sql`UPDATE leases SET until = since`);
    await close();
    const writer = await openStore(database, { mode: "write", now: () => 0 });
    const visit = { address: address as Address, account: null, modules: [] };
    const leases = batch.lease === undefined ? [] : [batch.lease];
    await expect(late.commitVisits(version, [visit], leases)).rejects.toMatchObject({ code: "MOVEDEX_STORE_FENCED" });
    await expect(late.addTargets([{ address: "0x1" as Address, reason: "given", via: null, depth: 0 }], 0)).rejects.toMatchObject({
      code: "MOVEDEX_STORE_FENCED",
    });
    await writer.close();
    await late.close();
  });
});
