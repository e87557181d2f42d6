import pg from "pg";
import { describe, expect, onTestFinished, test } from "vitest";
import { judgedRows } from "../../../src/capabilities/changes/judge/check-judgements.ts";
import { sealCheck } from "../../../src/capabilities/verify/observations.ts";
import { verify } from "../../../src/capabilities/verify/verify.ts";
import { gapQueries } from "../../../src/core/db/archive/snapshots/gaps.ts";
import { planQueries } from "../../../src/core/db/archive/snapshots/plan-queries.ts";
import { sealQueries } from "../../../src/core/db/archive/snapshots/seal.ts";
import { snapshotQueries } from "../../../src/core/db/archive/snapshots/snapshot-queries.ts";
import { visitQueries } from "../../../src/core/db/archive/snapshots/visits.ts";
import type { Damage } from "../../../src/core/db/engine/check.ts";
import { databaseAt } from "../../../src/core/db/engine/database-at.ts";
import type { Engine } from "../../../src/core/db/engine/engine.ts";
import { runQueries } from "../../../src/core/work/runs/runs.ts";
import { openStore } from "../../../src/core/work/store.ts";
import { eachPostgres } from "../../engine/support/postgres-databases.ts";
import { isLongRun } from "../../run-size.ts";
import { addressOf, changeFile, gone, NOON, opaqueModule, recordOf, temporaryDirectory, valuesOf } from "../../support/index.ts";
import { sharedServers } from "../../support/postgres/servers.ts";

/** A database to write by hand: of an answer, the first cell comes back. */
type Place = { readonly path: string; readonly byHand: (sql: string) => Promise<unknown> };

const [quiet, busy, silent, late] = [addressOf(0xc0), addressOf(0xd0), addressOf(0xdead), addressOf(0xe0)];
const facts = { chainId: 4, headVersion: 200n, oldestVersion: 1n, headTimestampUsec: 7_000_000n, headEpoch: 3n, headBlockHeight: 9n };
const REMADE = "is not as movedex made it; `movedex verify --rebuild` makes it anew";
const miss = { ...gone, errorCode: "x", isFinal: false };

/** Three snapshots: whole, with a gap and of a choice, and one that gave up; runs that ended, that goes on, and a report. */
async function writeNights(engine: Engine): Promise<void> {
  const run = { command: "sync", appVersion: "movedex 0", now: NOON };
  const id = await runQueries(engine).startRun(run);
  const visit = async (version: bigint, text: string): Promise<void> => {
    await visitQueries(engine).commitVisits(version, [{ address: quiet, account: recordOf(1n), modules: [opaqueModule("coin", "same")] }]);
    await visitQueries(engine).commitVisits(version, [{ address: busy, account: undefined, modules: [opaqueModule("coin", text)] }]);
  };
  await snapshotQueries(engine).createSnapshot({ ...facts, ledgerVersion: 10n, now: NOON }, [quiet, busy]);
  await visit(10n, "first");
  await sealQueries(engine).seal(10n, { now: NOON });
  await snapshotQueries(engine).createSnapshot({ ...facts, ledgerVersion: 100n, now: NOON, passedOver: 5 }, [quiet, busy, silent]);
  await visit(100n, "second");
  await gapQueries(engine).commitGap(100n, { address: silent, ...miss }, NOON);
  await sealQueries(engine).seal(100n, { now: NOON });
  await snapshotQueries(engine).createSnapshot({ ...facts, ledgerVersion: 150n, now: NOON }, [silent]);
  await gapQueries(engine).commitGap(150n, { address: silent, ...miss }, NOON);
  await sealQueries(engine).seal(150n, { now: NOON });
  const counts = { requests: 4, retries: 1, bytesReceived: 99, accounts: 3, modules: 3, newBytecodes: 3, gaps: 1 };
  await runQueries(engine).finishRun(id, { now: NOON, exit: "gaps", ledgerVersion: 100n, ...counts });
  await runQueries(engine).startRun(run);
  await runQueries(engine).noteReport({ appVersion: "movedex 0", now: NOON, ledgerVersion: 100n });
}

async function damageOf(path: string): Promise<Damage[]> {
  const door = await databaseAt(path).openToVerify();
  try {
    return (await Array.fromAsync(verify(door, { part: 0, of: 1 }, [judgedRows]))).flatMap(({ damage }) => damage);
  } finally {
    await door.close();
  }
}

function nightsJudged(open: () => Promise<Place>, isFile: boolean): void {
  test("a snapshot that says what does not go with its rows is found, and a row of the archive that is changed by hand", async () => {
    const { path, byHand } = await open();
    const store = await openStore(path, { mode: "write", now: () => NOON });
    await writeNights(store.engine);
    await store.close();
    expect(await damageOf(path)).toEqual([]);
    // As one with a checksum of its false values would be.
    const bytes = isFile ? "x'01'" : "'\\x01'::bytea";
    for (const [version, name, value, problem] of [
      [100, "gaps", "0", "0 gaps are stored, and it has 1"],
      [10, "digest", "NULL", expect.stringMatching(/^its modules have the digest [0-9a-f]{64}, and none was sealed$/)],
      [10, "records_digest", bytes, "its accounts or their records are not those that were sealed"],
    ] as const) {
      const row = `WHERE ledger_version = ${version}`;
      const before = await byHand(`SELECT ${isFile ? "quote" : "quote_nullable"}(${name}) FROM _all_snapshots ${row}`);
      await byHand(`UPDATE _all_snapshots SET ${name} = ${value} ${row}`);
      const door = await databaseAt(path).openToVerify();
      const found = (await Array.fromAsync(sealCheck(door.session, { part: 0, of: 1 }).steps())).flat();
      await door.close();
      expect(found).toEqual([{ table: "_all_snapshots", row: `${version}`, problem }]);
      await byHand(`UPDATE _all_snapshots SET ${name} = ${before} ${row}`);
    }
    await byHand("UPDATE _archive SET created_by = 'another', views_digest = 'of another movedex'");
    await (await openStore(path, { mode: "write", now: () => NOON })).close();
    expect(await damageOf(path)).toEqual([{ table: "_archive", row: "id 1", problem: expect.stringContaining("checksum") }]);
    await byHand("UPDATE _archive SET created_by = 'movedex'");
    await byHand("UPDATE documentation SET meaning = 'nothing' WHERE relation = 'modules_at' AND position = 0");
    expect(await damageOf(path)).toEqual(isFile ? [{ table: "documentation", row: "", problem: REMADE }] : []);
  });

  test("a gap that is asked again is no damage, and what an older movedex wrote without later checksums is none either", async () => {
    const { path, byHand } = await open();
    const store = await openStore(path, { mode: "write", now: () => NOON });
    await writeNights(store.engine);
    await planQueries(store.engine).retryGaps(100n);
    await planQueries(store.engine).extendSnapshot(100n, [late]);
    expect(await damageOf(path)).toEqual([]);
    await visitQueries(store.engine).commitVisits(100n, [{ address: silent, account: null, modules: [] }]);
    expect(await damageOf(path)).toEqual([]);
    await visitQueries(store.engine).commitVisits(100n, [{ address: late, account: null, modules: [] }]);
    await sealQueries(store.engine).seal(100n, { now: NOON });
    expect(await damageOf(path)).toEqual([]);
    await store.close();
    await byHand("UPDATE _runs SET checksum = NULL WHERE id = 1");
    expect(await damageOf(path)).toEqual([]);
  });
}

describe("the bookkeeping that views show on SQLite", () => {
  nightsJudged(async () => {
    const path = temporaryDirectory().file("nights.db");
    const byHand = async (sql: string) => (sql.startsWith("SELECT") ? valuesOf(path, sql)[0] : changeFile(path, sql));
    return { path, byHand };
  }, true);

  test("a view that shows something else or nothing is found, and made anew", async () => {
    const path = temporaryDirectory().file("views.db");
    const reopen = async (viewsAnew = false) => (await openStore(path, { mode: "write", now: () => NOON, viewsAnew })).close();
    await reopen();
    const [text] = valuesOf<string>(path, "SELECT sql FROM sqlite_schema WHERE name = 'findings'");
    changeFile(path, "DROP VIEW findings", `${text} LIMIT 1`, "DROP VIEW target_accounts");
    expect(await damageOf(path)).toEqual(["findings", "target_accounts"].map((table) => ({ table, row: "", problem: REMADE })));
    await reopen(true);
    expect(await damageOf(path)).toEqual([]);
  });

  test("views of another movedex are not compared, and none is counted", async () => {
    const path = temporaryDirectory().file("other.db");
    await (await openStore(path, { mode: "write", now: () => NOON })).close();
    changeFile(path, "DROP VIEW findings", "UPDATE _archive SET views_digest = 'of another movedex'");
    const door = await databaseAt(path).openToVerify();
    onTestFinished(() => door.close());
    expect(await door.views?.({ part: 0, of: 1 }).total()).toBe(0);
  });
});

const onServer: Parameters<typeof eachPostgres>[1] = (open) => {
  nightsJudged(async () => {
    const path = (await open()).url();
    const client = new pg.Client({ connectionString: path, options: "-c search_path=movedex" });
    await client.connect();
    onTestFinished(() => client.end());
    const byHand = async (sql: string) => (await client.query<unknown[]>({ text: sql, rowMode: "array" })).rows[0]?.[0];
    return { path, byHand };
  }, false);

  test("a rule of somebody else on a table is found", async () => {
    const database = await open();
    await (await openStore(database.url(), { mode: "write", now: () => NOON })).close();
    await database.prepare("CREATE RULE lose AS ON INSERT TO movedex._runs DO INSTEAD NOTHING");
    const problem = "has the rule `lose`, which movedex did not make";
    expect(await damageOf(database.url())).toEqual([{ table: "_runs", row: "", problem }]);
  });
};
eachPostgres("the bookkeeping that views show", onServer, isLongRun ? sharedServers : []);
