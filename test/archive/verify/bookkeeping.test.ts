import Database from "better-sqlite3";
import pg from "pg";
import { describe, expect, test } from "vitest";
import { type Damage, openVerification } from "../../../src/archive/verify/verify.ts";
import type { Kind } from "../../../src/schema/kinds.ts";
import type { ColumnData, TableData } from "../../../src/schema/table.ts";
import { workTables } from "../../../src/schema/tables/work.ts";
import { openStore, type Store } from "../../../src/work/store.ts";
import { eachPostgres } from "../../engine/support/postgres-databases.ts";
import { addressOf, NOON, opaqueModule, recordOf } from "../../support/store/temporary-store.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

/** A database to write by hand: of an answer, the first cell comes back. */
type Place = { readonly path: string; readonly byHand: (sql: string) => Promise<unknown> };

const [quiet, busy, silent, late] = [addressOf(0xc0), addressOf(0xd0), addressOf(0xdead), addressOf(0xe0)];
const facts = { chainId: 4, headVersion: 200n, oldestVersion: 1n, headTimestampUsec: 7_000_000n, headEpoch: 3n, headBlockHeight: 9n };
const miss = { reason: "gone", errorCode: "x", httpStatus: 410, message: "gone", attempts: 1, isFinal: false };

/** Three snapshots: whole, with a gap and of a choice, and one that gave up; runs that ended, that goes on, and a report. */
async function writeNights(store: Store): Promise<void> {
  const run = { command: "sync", appVersion: "movedex 0", now: NOON };
  const id = await store.startRun(run);
  const visit = async (version: bigint, text: string): Promise<void> => {
    await store.commitVisit(version, { address: quiet, account: recordOf(1n), modules: [opaqueModule("coin", "same")] });
    await store.commitVisit(version, { address: busy, account: undefined, modules: [opaqueModule("coin", text)] });
  };
  await store.createPin({ ...facts, ledgerVersion: 10n, now: NOON }, [quiet, busy]);
  await visit(10n, "first");
  await store.seal(10n, { now: NOON });
  await store.createPin({ ...facts, ledgerVersion: 100n, now: NOON, passedOver: 5 }, [quiet, busy, silent]);
  await visit(100n, "second");
  await store.commitMiss(100n, { address: silent, ...miss }, NOON);
  await store.seal(100n, { now: NOON });
  await store.createPin({ ...facts, ledgerVersion: 150n, now: NOON }, [silent]);
  await store.commitMiss(150n, { address: silent, ...miss }, NOON);
  await store.seal(150n, { now: NOON });
  const counts = { requests: 4, retries: 1, bytesReceived: 99, accounts: 3, modules: 3, newBytecodes: 3, gaps: 1 };
  await store.finishRun(id, { now: NOON, exit: "gaps", ledgerVersion: 100n, ...counts });
  await store.startRun(run);
  await store.noteReport({ appVersion: "movedex 0", now: NOON, ledgerVersion: 100n });
}

async function damageOf(path: string): Promise<Damage[]> {
  const verification = await openVerification(path);
  try {
    return (await Array.fromAsync(verification.run({ part: 0, of: 1 }))).flatMap(({ damage }) => damage);
  } finally {
    await verification.close();
  }
}

/** Another value of a kind, made of the one that stands in the column. */
function otherValue(name: string, kind: Kind, isFile: boolean): string {
  if (kind === "text") return `coalesce(${name}, '') || 'x'`;
  if (kind === "bytes") return isFile ? "x'0102'" : "'\\x0102'::bytea";
  if (kind === "time" && !isFile) return `coalesce(${name}, now()) + interval '1 second'`;
  return kind === "u64" && isFile ? `CAST(CAST(coalesce(${name}, '0') AS integer) + 1 AS text)` : `coalesce(${name}, 0) + 1`;
}

function cellsFound(open: () => Promise<Place>, isFile: boolean): void {
  test("every cell of a snapshot, a run and the archive that is changed by hand is found", async () => {
    const { path, byHand } = await open();
    const store = await openStore(path, { mode: "write", now: () => NOON });
    await writeNights(store);
    await store.close();
    expect(await damageOf(path)).toEqual([]);
    const rows: readonly (readonly [TableData, keys: readonly number[]])[] = [
      [workTables.pins, [10, 100, 150]],
      [workTables.runs, [1, 2, 3]],
      [workTables.archive, [1]],
    ];
    let tries = 0;
    const missed: string[] = [];
    const change = async (table: TableData, key: number, name: string, value: string): Promise<void> => {
      const row = `${table.key[0]} = ${key}`;
      const before = await byHand(`SELECT ${isFile ? `quote(${name})` : `quote_nullable(${name})`} FROM ${table.name} WHERE ${row}`);
      await byHand(`UPDATE ${table.name} SET ${name} = ${value} WHERE ${row}`);
      const what = `${table.name} ${key}: ${name} = ${value}`;
      if ((await damageOf(path)).length === 0) missed.push(what);
      await byHand(`UPDATE ${table.name} SET ${name} = ${before} WHERE ${row}`);
      tries += 1;
    };
    for (const [table, keys] of rows) {
      const columns = Object.entries<ColumnData>(table.columns).filter(([name]) => !table.key.includes(name));
      for (const [i, [name, { kind }]] of columns.entries()) {
        await change(table, keys[i % keys.length] as number, name, otherValue(name, kind, isFile));
      }
    }
    for (const name of ["records", "records_digest", "changed_modules", "passed_over", "sealed_at", "checksum"])
      await change(workTables.pins, 100, name, "NULL");
    expect(tries).toBeGreaterThan(40);
    expect(missed).toEqual([]);
    expect(await damageOf(path)).toEqual([]);
    // Of a row whose checksum does not count it, it is counted again.
    await byHand("UPDATE _pins SET planned = planned + 1 WHERE ledger_version = 100");
    expect((await damageOf(path)).map(({ problem }) => problem)).toContain("4 planned accounts are stored, and it has 3");
    await byHand("UPDATE _pins SET planned = planned - 1 WHERE ledger_version = 100");
    const gapIs = (address: string) =>
      byHand(`UPDATE _misses SET address_id = (SELECT id FROM _addresses WHERE address = '${address}') WHERE ledger_version = 100`);
    await gapIs(quiet);
    expect((await damageOf(path)).map(({ problem }) => problem)).toContain("1 accounts are both answered for and gaps");
    await gapIs(silent);
    await byHand("UPDATE _archive SET created_by = 'another', views_digest = 'of another movedex'");
    await (await openStore(path, { mode: "write", now: () => NOON })).close();
    expect(await damageOf(path)).toEqual([{ table: "_archive", row: "id 1", problem: expect.stringContaining("checksum") }]);
    await byHand("UPDATE _archive SET created_by = 'movedex'");
    await byHand("UPDATE documentation SET meaning = 'nothing' WHERE relation = 'modules_at' AND position = 0");
    expect(await damageOf(path)).toEqual([{ table: "documentation", row: "", problem: "is not as movedex made it" }]);
  });

  test("a gap that is asked again is no damage, and what an older movedex wrote without later checksums is none either", async () => {
    const { path, byHand } = await open();
    const store = await openStore(path, { mode: "write", now: () => NOON });
    await writeNights(store);
    await store.retryMisses(100n);
    await store.extendPin(100n, [late]);
    expect(await damageOf(path)).toEqual([]);
    await store.commitVisit(100n, { address: silent, account: null, modules: [] });
    expect(await damageOf(path)).toEqual([]);
    await store.commitVisit(100n, { address: late, account: null, modules: [] });
    await store.seal(100n, { now: NOON });
    expect(await damageOf(path)).toEqual([]);
    await store.close();
    await byHand("UPDATE _runs SET checksum = NULL WHERE id = 1");
    expect(await damageOf(path)).toEqual([]);
    await byHand("UPDATE _runs SET checksum = NULL WHERE id = 3");
    expect(await damageOf(path)).toEqual([{ table: "_runs", row: "id 3", problem: "it has no checksum" }]);
  });
}

describe("the bookkeeping that views show on SQLite", () => {
  cellsFound(async () => {
    const path = temporaryDirectory().file("nights.db");
    const byHand = async (sql: string): Promise<unknown> => {
      const database = new Database(path);
      try {
        database.pragma("foreign_keys = OFF");
        const statement = database.prepare(sql);
        return statement.reader ? statement.pluck().get() : statement.run().changes;
      } finally {
        database.close();
      }
    };
    return { path, byHand };
  }, true);
});

eachPostgres("the bookkeeping that views show", (open) => {
  cellsFound(async () => {
    const path = (await open()).url();
    const byHand = async (sql: string): Promise<unknown> => {
      const client = new pg.Client({ connectionString: path, options: "-c search_path=movedex" });
      await client.connect();
      try {
        return (await client.query<unknown[]>({ text: sql, rowMode: "array" })).rows[0]?.[0];
      } finally {
        await client.end();
      }
    };
    return { path, byHand };
  }, false);
});
