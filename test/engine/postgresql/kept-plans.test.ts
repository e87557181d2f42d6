import { expect, test } from "vitest";
import type { Engine } from "../../../src/engine/engine.ts";
import { sql } from "../../../src/schema/sql/sql.ts";
import { poolingProxy } from "../../support/postgres/pooling-proxy.ts";
import { eachPostgres, numbersEngine } from "../support/postgres-databases.ts";

const found = sql`SELECT n FROM numbers WHERE n >= :least ORDER BY n`;
const kept = sql`SELECT statement FROM pg_prepared_statements WHERE statement LIKE 'SELECT n FROM numbers%'`;

/** What a transaction that joins as written finds, and the statements that its session keeps. */
function ask(engine: Engine, least: number, joins?: "as-written") {
  return engine.transaction(async (tx) => [await tx.all(found, { least }), (await tx.all<[string]>(kept)).length] as const, {
    mode: "read",
    ...(joins && { joins }),
  });
}

eachPostgres("a transaction that joins as written", (open) => {
  test("has its session keep the statements, for other values and after the table is made anew", async () => {
    const at = await open();
    await using engine = await numbersEngine(at.url(), { connections: 1 });
    await engine.run(sql`INSERT INTO numbers VALUES (1), (2), (3)`);
    expect(await ask(engine, 2)).toEqual([[[2], [3]], 0]);
    expect(await ask(engine, 2, "as-written")).toEqual([[[2], [3]], 1]);
    expect(await ask(engine, 3, "as-written")).toEqual([[[3]], 1]);
    await engine.run(sql`DROP TABLE numbers`);
    await engine.run(sql`CREATE TABLE numbers (m text, n bigint)`);
    await engine.run(sql`INSERT INTO numbers VALUES ('four', 4)`);
    expect(await ask(engine, 3, "as-written")).toEqual([[[4]], 1]);
  });

  test("leaves nothing in the sessions of a pooling proxy", async () => {
    const at = await open();
    await using proxy = await poolingProxy(at.port, at.name, 2);
    await using engine = await numbersEngine(at.url("postgres", proxy.port));
    await engine.run(sql`INSERT INTO numbers VALUES (1), (2)`);
    const asked = await Promise.all(Array.from({ length: 12 }, () => ask(engine, 2, "as-written")));
    expect(asked).toEqual(Array(12).fill([[[2]], 0]));
  });
});
