import { statSync } from "node:fs";
import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { sql } from "../../../src/schema/sql/sql.ts";
import { LogFolding } from "../../../src/store/content/beside/log-folding.ts";
import { WriteTurn } from "../../../src/store/content/beside/write-turn.ts";
import { sqliteEngine } from "../../../src/store/engine/sqlite/sqlite-engine.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

const PAGE = 4096;
const TURNS = 400;
const PAGES_A_TURN = 20;
/** Of 8,000 pages that are written. */
const LOG_PAGES_MAX = 2000;

const addPage = sql`INSERT INTO t (a) VALUES (zeroblob(4000))`;
const count = sql`SELECT count(*) FROM t`;
const pagesOfLog = sql`PRAGMA wal_autocheckpoint`;

/** A file in WAL mode with an empty table, and the first of those that write it. */
async function firstWriter(path: string) {
  const first = await writer(path, 1);
  first.database.pragma("journal_mode = WAL");
  first.database.exec("CREATE TABLE t (a BLOB) STRICT");
  return first;
}

/** A connection to a file whose log is folded between the turns of one of two threads. */
async function writer(path: string, self: number, shared?: SharedArrayBuffer) {
  const database = new Database(path, { timeout: 0 });
  const engine = sqliteEngine(database, path);
  const folding = new LogFolding(engine);
  await folding.begin();
  return { database, engine, folding, turn: new WriteTurn(self, shared, folding) };
}

const write = ({ engine, turn }: Awaited<ReturnType<typeof writer>>): Promise<void> =>
  turn.run(() =>
    engine.transaction(async (tx) => {
      for (let i = 0; i < PAGES_A_TURN; i++) await tx.run(addPage);
    }),
  );

test("keeps the log of two writers short without a commit that folds it, and loses nothing", async () => {
  using directory = temporaryDirectory();
  const path = directory.file("log.db");
  const first = await firstWriter(path);
  const second = await writer(path, 2, first.turn.shared);
  let longest = 0;
  for (let turn = 0; turn < TURNS; turn++) {
    await write(turn % 2 === 0 ? first : second);
    longest = Math.max(longest, statSync(`${path}-wal`).size);
  }
  expect(longest / PAGE).toBeLessThan(LOG_PAGES_MAX);
  expect(await first.engine.first(count)).toEqual([TURNS * PAGES_A_TURN]);
  expect(first.database.pragma("integrity_check", { simple: true })).toBe("ok");
  for (const { database } of [second, first]) database.close();
});

test("goes on writing where another reads and the log cannot begin anew, and leaves it to SQLite at the end", async () => {
  using directory = temporaryDirectory();
  const path = directory.file("log.db");
  const one = await firstWriter(path);
  expect(await one.engine.first(pagesOfLog)).toEqual([0]);
  const reader = new Database(path, { readonly: true });
  reader.exec("BEGIN");
  reader.prepare("SELECT count(*) FROM t").get();
  for (let turn = 0; turn < 100; turn++) await write(one);
  expect(reader.prepare("SELECT count(*) FROM t").pluck().get()).toBe(0);
  reader.exec("COMMIT");
  expect(reader.prepare("SELECT count(*) FROM t").pluck().get()).toBe(100 * PAGES_A_TURN);
  reader.close();
  await one.folding.end();
  expect(await one.engine.first(pagesOfLog)).toEqual([1000]);
  one.database.close();
});
