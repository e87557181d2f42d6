import { expect, test } from "vitest";
import { createSampleLedger, startSimNode } from "../../../sim/index.ts";
import { postgresEngine } from "../../../src/capabilities/postgresql/postgresql-engine.ts";
import { sha256Hex } from "../../../src/core/base/sha256.ts";
import { sql } from "../../../src/core/db/schema/sql/sql.ts";
import { eachPostgres, numbers, numbersEngine, publicEngine } from "../../engine/support/postgres-databases.ts";
import { ended, runCli } from "../../support/index.ts";
import { poolingProxy } from "../../support/postgres/pooling-proxy.ts";

const found = sql`SELECT n FROM numbers WHERE n >= :least ORDER BY n`;
/** The same in each test: whether it was asked before in this process does not matter. */
const add = sql`INSERT INTO numbers VALUES (:n)`;

eachPostgres("through a proxy that lends connections for a transaction", (open) => {
  test("everything is done, on few connections, and nothing is left in a session", async () => {
    const at = await open();
    await using proxy = await poolingProxy(at.port, at.name, 2);
    const pooled = `${at.url("postgres", proxy.port)}?pooler=transaction`;
    const engine = await postgresEngine(pooled);
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
    const asked = await Promise.all(Array.from({ length: 12 }, () => engine.all(found, { least: 11_098 })));
    expect(asked).toEqual(Array(12).fill([[11_099]]));
    expect(proxy.transactions()).toBeGreaterThan(24);
    const left = sql`SELECT current_setting('search_path'), current_setting('lock_timeout')`;
    await engine.close();
    await using direct = await publicEngine(pooled, { lockTimeoutMs: 1 });
    expect(await direct.first(left)).toEqual(["public", "1ms"]);
    expect(await direct.all(sql`SELECT name FROM pg_prepared_statements`)).toEqual([]);
  });

  test("a night that keeps all connections of the pool for its locks says so, ends, and names the pool among the reasons", async () => {
    const at = await open();
    await using proxy = await poolingProxy(at.port, at.name, 2);
    await using node = await startSimNode({ ledger: createSampleLedger().ledger });
    const db = `${at.url("postgres", proxy.port)}?pooler=transaction`;
    await ended(runCli(["targets", "add", "0x1", "--db", at.url()]));
    const night = ["night", "--rpc", node.url, "--rate", "0", "--max-duration", "10s", "--db", db];
    const { stdout, stderr } = await ended(runCli(night), 1);
    expect(stdout).toContain("whether a pooling proxy has a connection left (docs/postgresql.md)");
    expect(stderr).toContain("beside those of its locks the run has no connection yet");
  });

  test("nothing is asked without the address saying so", async () => {
    const at = await open();
    await using proxy = await poolingProxy(at.port, at.name, 1);
    const message = expect.stringContaining("add `pooler=transaction` to the address");
    await expect(publicEngine(at.url("postgres", proxy.port))).rejects.toMatchObject({ code: "MOVEDEX_STORE_CANNOT_OPEN", message });
  });
});

eachPostgres("statements that a session keeps", (open) => {
  test("serve other values, and the next session where their table is made anew", async () => {
    await using engine = await numbersEngine((await open()).url(), { connections: 1 });
    for (const n of [1, 2, 3]) await engine.run(add, { n });
    for (const least of [2, 3]) expect((await engine.all(found, { least })).length).toBe(4 - least);
    const kept = sql`SELECT statement FROM pg_prepared_statements ORDER BY 1`;
    expect(await engine.all(kept)).toEqual([
      ["INSERT INTO numbers VALUES ($1::bigint)"],
      ["SELECT n FROM numbers WHERE n >= $1::bigint ORDER BY n"],
    ]);
    await engine.run(sql`DROP TABLE numbers`);
    await engine.run(sql`CREATE TABLE numbers (n text)`);
    await engine.run(sql`INSERT INTO numbers VALUES ('four')`);
    const all = sql`SELECT * FROM numbers`;
    for (let i = 0; i < 3; i++) expect(await engine.all(all)).toEqual([["four"]]);
    await engine.run(sql`ALTER TABLE numbers ADD COLUMN m bigint`);
    expect(await engine.all(all)).toEqual([["four", null]]);
  });

  const name = `movedex_${sha256Hex("INSERT INTO numbers VALUES ($1::bigint)").slice(0, 32)}`;

  test.each([
    ["forgotten", 2, "DEALLOCATE ALL"],
    ["another's", 0, `PREPARE ${name} AS SELECT 1`],
  ])("are sent whole from then on where they are %s, which is said once", async (_, asked, statement) => {
    const said: string[] = [];
    await using engine = await numbersEngine((await open()).url(), { connections: 1, onNotice: (sentence) => said.push(sentence) });
    for (let n = 1; n <= asked; n++) await engine.run(add, { n });
    await engine.run({ in: () => statement });
    for (let n = asked + 1; n <= 4; n++) await engine.run(add, { n });
    await engine.transaction((tx) => tx.run(add, { n: 5 }));
    expect(await engine.all(found, { least: 1 })).toEqual([[1], [2], [3], [4], [5]]);
    expect(said).toEqual([expect.stringContaining("forgets statements between two questions")]);
  });
});
