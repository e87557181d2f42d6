import { expect, test } from "vitest";
import { postgresEngine } from "../../../src/engine/postgresql/postgresql-engine.ts";
import { sql } from "../../../src/schema/sql/sql.ts";
import { poolingProxy } from "../../support/postgres/pooling-proxy.ts";
import { eachPostgres, numbers, publicEngine } from "../support/postgres-databases.ts";

eachPostgres("through a proxy that lends connections for a transaction", (open) => {
  test("everything is done, on few connections, and nothing is left in a session", async () => {
    const at = await open();
    await using proxy = await poolingProxy(at.port, at.name, 2);
    const engine = await postgresEngine(at.url("postgres", proxy.port));
    await engine.run(sql`CREATE SCHEMA movedex`);
    await engine.run(sql`CREATE TABLE numbers (n bigint PRIMARY KEY)`);
    const staged = { ...numbers, name: "staged" };
    const work = (from: number) =>
      engine.transaction(async (tx) => {
        const rows = Array.from({ length: 100 }, (_, i) => [from + i]);
        await tx.stage(staged, rows);
        await tx.stageSelect("kept", sql`SELECT n FROM staged WHERE n % 2 = :odd`, { odd: 1 });
        return await tx.run(sql`INSERT INTO numbers SELECT n FROM kept`);
      });
    expect(await Promise.all(Array.from({ length: 12 }, (_, i) => work(i * 1_000)))).toEqual(Array(12).fill(50));
    let streamed = 0;
    for await (const list of engine.stream(sql`SELECT n FROM numbers`)) streamed += list.length;
    expect(streamed).toBe(600);
    expect(proxy.transactions()).toBeGreaterThan(12);
    const left = sql`SELECT current_setting('search_path'), current_setting('lock_timeout')`;
    await engine.close();
    await using direct = await publicEngine(at.url("postgres", proxy.port), { lockTimeoutMs: 1 });
    expect(await direct.first(left)).toEqual(["public", "1ms"]);
    expect(await direct.all(sql`SELECT name FROM pg_prepared_statements`)).toEqual([]);
  });
});
