import Database from "better-sqlite3";
import { describe, expect, test } from "vitest";
import { sql } from "../../../src/schema/sql/sql.ts";
import { engineInTurn, WriteTurn } from "../../../src/store/content/beside/write-turn.ts";
import { sqliteEngine } from "../../../src/store/engine/sqlite/sqlite-engine.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

const SELF = 1;
const OTHER = 2;
const count = sql`SELECT count(*) FROM t`;
const add = sql`INSERT INTO t (a) VALUES (1)`;

/** Two connections to a file, of which this thread's waits for no lock at all; and the turn as each of two threads has it. */
function twoWriters(path: string) {
  const [ours, others] = [new Database(path, { timeout: 0 }), new Database(path, { timeout: 0 })];
  ours.pragma("journal_mode = WAL");
  ours.exec("CREATE TABLE t (a INTEGER) STRICT");
  const turn = new WriteTurn(SELF);
  const engine = engineInTurn(sqliteEngine(ours, path), turn);
  return { engine, ours, others, othersTurn: new WriteTurn(OTHER, turn.shared) };
}

describe("an engine that writes in turn", () => {
  test("waits with whatever it writes while the other thread has the turn, and reads meanwhile", async () => {
    using directory = temporaryDirectory();
    const { engine, ours, others, othersTurn } = twoWriters(directory.file("turns.db"));
    const writes: Promise<unknown>[] = [];
    await othersTurn.run(async () => {
      others.exec("BEGIN IMMEDIATE; INSERT INTO t (a) VALUES (1)");
      writes.push(
        engine.run(add),
        engine.transaction((tx) => tx.run(add)),
      );
      expect(await engine.first(count)).toEqual([0]);
      expect(await engine.transaction((tx) => tx.first(count), { mode: "read" })).toEqual([0]);
      others.exec("COMMIT");
    });
    await Promise.all(writes);
    expect(await engine.first(count)).toEqual([3]);
    ours.close();
    others.close();
  });

  test("refuses, instead of waiting for itself, what a transaction asks of it", async () => {
    using directory = temporaryDirectory();
    const { engine, ours, others } = twoWriters(directory.file("turns.db"));
    await expect(engine.transaction(() => engine.run(add))).rejects.toThrow("the transaction has to be asked");
    await expect(engine.transaction(() => engine.transaction((tx) => tx.run(add)))).rejects.toThrow("the transaction has to be asked");
    expect(await engine.transaction((tx) => tx.run(add))).toBe(1);
    ours.close();
    others.close();
  });
});
