import { expect, test } from "vitest";
import { openPostgres } from "../../../src/capabilities/postgresql/open-server.ts";
import { targetList } from "../../../src/capabilities/targets/target-list.ts";
import { closing } from "../../../src/core/base/async.ts";
import type { Cell } from "../../../src/core/base/cell.ts";
import { databaseAt } from "../../../src/core/db/engine/database-at.ts";
import { cellOf, EMPTINESS } from "../../../src/core/db/engine/sql-session.ts";
import { sql } from "../../../src/core/db/schema/sql/sql.ts";
import { eachPostgres, type TestDatabase } from "../../engine/support/postgres-databases.ts";
import { addressOf, NOON } from "../../support/store/temporary-store.ts";

async function prepared(open: () => Promise<TestDatabase>): Promise<TestDatabase> {
  const at = await open();
  const engine = await openPostgres(at.url(), { mode: "write", now: () => NOON });
  const targets = [1, 2, 3].map((n) => ({ address: addressOf(n), reason: "given", via: null, depth: 0 }) as const);
  await targetList(engine).addTargets(targets, NOON);
  await engine.close();
  return at;
}

eachPostgres("openToQuery", (open) => {
  test("gives columns and rows, values as those of SQLite", async () => {
    const at = await prepared(open);
    await using door = await databaseAt(await at.reader()).openToQuery();
    const names = ["address", "reason", "depth", "added_at", "removed_at"];
    const { columns, rows } = await door.query(`SELECT ${names} FROM target_accounts ORDER BY address;`);
    expect(columns).toEqual(names);
    expect(await Array.fromAsync(rows)).toEqual([1, 2, 3].map((n) => [`0x${n}`, "given", 0n, "2023-11-14T22:13:20.000Z", null]));
    const one = async (sql: string, parameters?: Parameters<typeof door.query>[1]) =>
      (await Array.fromAsync((await door.query(sql, parameters)).rows))[0];
    const kinds = "true, false, 1.5::float8, 9007199254740993, 18446744073709551615::numeric, sum(depth), '\\x01'::bytea";
    const values = [1n, 0n, 1.5, 2n ** 53n + 1n, "18446744073709551615", 0n, Buffer.from([1])];
    expect(await one(`SELECT ${kinds} FROM _targets`)).toEqual(values);
    const second = "SELECT address FROM target_accounts WHERE address = :a AND depth = :n::bigint AND :a = :a";
    expect(await one(second, { a: "0x2", n: 0n })).toEqual(["0x2"]);
    const since = "SELECT added_at FROM target_accounts WHERE added_at > :since AND label IS NULL LIMIT 1";
    expect(await one(since, { since: "2023-11-14" })).toEqual(["2023-11-14T22:13:20.000Z"]);
    expect(await one(since, { since: "2023-11-15" })).toBeUndefined();
    const times = "SELECT added_at + interval '1.5 ms', 'infinity'::timestamptz FROM target_accounts LIMIT 1";
    expect(await one(times)).toEqual(["2023-11-14T22:13:20.0015Z", "infinity"]);
    await expect(one("SELECT 1 WHERE true > :a", { a: "x" })).rejects.toMatchObject({ code: "MOVEDEX_STORE_QUERY" });
    const patterns = ["a*_b?", "a%", "*", "a\\_xbc", "?", "a*b", ""].map((pattern) => one("SELECT glob(:pattern, 'a%\n_bc')", { pattern }));
    expect((await Promise.all(patterns)).flat()).toEqual([1n, 0n, 1n, 0n, 0n, 0n, 0n]);
    expect(await one("SELECT glob('a\\_b%', 'a\\_b%'), glob('a_b', 'axb'), glob('A*', 'ab')")).toEqual([1n, 0n, 0n]);
    expect(await one("SELECT likelihood(true, 0.001), likelihood(false, 0.5), likelihood(null, 0.5)")).toEqual([1n, 0n, null]);
    expect(await one("/* why */ -- and how\n (SELECT $1::bigint + 1)", [41n])).toEqual([42n]);
    const missing = "there is no view or table `target_account`. Did you mean `target_accounts`?";
    await expect(one("SELECT address FROM target_account")).rejects.toThrow(missing);
    await expect(one("SELECT t.adress FROM target_accounts t")).rejects.toThrow("there is no column `adress`. Did you mean `address`?");
    expect(await cellOf(door, EMPTINESS)).toBe("nothing");
  });

  test("has its statements planned for all rows and in every order of their tables, as streams have", async () => {
    const at = await prepared(open);
    const door = await databaseAt(await at.reader()).openToQuery();
    const setting = "SELECT current_setting('cursor_tuple_fraction'), current_setting('join_collapse_limit')";
    expect(await Array.fromAsync((await door.query(setting)).rows)).toEqual([["1", "12"]]);
    await door.close();
    await using engine = closing(await openPostgres(at.url(), { mode: "read" }));
    expect(await Array.fromAsync(engine.stream({ in: () => setting }))).toEqual([[["1", "12"]]]);
    // A transaction about few rows asks for the order as written, and leaves nothing of that to the next one.
    const joins = sql`SELECT current_setting('join_collapse_limit'), current_setting('enable_seqscan')`;
    const few = engine.transaction((tx) => tx.first(joins), { mode: "read", joins: "as-written" });
    expect([await few, await engine.first(joins)]).toEqual([
      ["1", "off"],
      ["12", "on"],
    ]);
  });

  test("reads only as many rows as are asked for, and other questions meanwhile", async () => {
    const at = await prepared(open);
    await using door = await databaseAt(await at.reader()).openToQuery();
    const { rows } = await door.query("SELECT n FROM generate_series(1, 1000000) AS s(n)");
    for await (const [n] of rows) {
      if (n === 5n) expect(await Array.fromAsync((await door.query("SELECT count(*) FROM _targets")).rows)).toEqual([[3n]]);
      if (n === 1500n) break;
    }
    await door.query("SELECT n FROM generate_series(1, 1000000) AS s(n)");
  });

  test("leaves a statement several cores of the server, and its time to work, however long its rows are not taken", async () => {
    const at = await prepared(open);
    for (const cost of ["parallel_setup_cost", "parallel_tuple_cost", "min_parallel_table_scan_size"])
      await at.prepare(`ALTER DATABASE ${at.name} SET ${cost} = 0`);
    await using door = await databaseAt(at.url()).openToQuery({ timeoutMs: 2_000 });
    const { columns, rows } = await door.query("SELECT a.attname, c.relname, true AS last FROM pg_attribute a, pg_class c");
    expect(columns).toEqual(["attname", "relname", "last"]);
    expect((await rows[Symbol.asyncIterator]().next()).value?.[2]).toBe(1n);
    const begun = performance.now();
    const workers = "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'parallel worker' AND datname = current_database()";
    const found = new Set<Cell | undefined>();
    while (performance.now() - begun < 2_500) found.add((await Array.fromAsync((await door.query(workers)).rows))[0]?.[0]);
    expect([...found].some((count) => Number(count) > 0)).toBe(true);
    let left = 10_000;
    for await (const _ of rows) if (--left === 0) break;
    expect(left).toBe(0);
  });

  // What is no query is stopped by the parser, whatever the role may do: test/attacks.
  test("says of what it cannot answer that it is the query's fault", async () => {
    const at = await prepared(open);
    await using door = await databaseAt(at.url()).openToQuery();
    for (const sql of ["SELECT nothing FROM nowhere", "SELECT 1 / 0", "SELECT :missing", "SELEKT", ""])
      await expect(door.query(sql), sql).rejects.toMatchObject({ code: "MOVEDEX_STORE_QUERY" });
  });

  test("stops what takes too long, and says of a database without movedex that it is missing", async () => {
    const at = await prepared(open);
    const door = await databaseAt(await at.reader()).openToQuery({ timeoutMs: 50 });
    const stopped = { code: "MOVEDEX_STORE_TIMEOUT", message: expect.stringContaining("--timeout") };
    await expect(door.query("SELECT count(*) FROM generate_series(1, 1000000000)")).rejects.toMatchObject(stopped);
    await door.close();
    const empty = await open();
    await expect(databaseAt(empty.url()).openToQuery()).rejects.toMatchObject({ code: "MOVEDEX_STORE_MISSING" });
    await expect(databaseAt(at.url("nobody")).openToQuery()).rejects.toMatchObject({ code: "MOVEDEX_STORE_CANNOT_OPEN" });
  });
});
