import { inspect } from "node:util";
import { expect, test } from "vitest";
import { completeAddress, readAddress } from "../../../src/capabilities/postgresql/address.ts";
import { checkServer } from "../../../src/capabilities/postgresql/connections.ts";
import type { Pool } from "../../../src/capabilities/postgresql/driver.ts";
import { openServer, takeServerLock } from "../../../src/capabilities/postgresql/open-server.ts";
import { postgresEngine } from "../../../src/capabilities/postgresql/postgresql-engine.ts";
import { closing } from "../../../src/core/base/async.ts";
import { sql } from "../../../src/core/db/schema/sql/sql.ts";
import { eachPostgres, numbers, numbersEngine, openDatabase, publicEngine } from "../../engine/support/postgres-databases.ts";
import { cuttingProxy } from "../../support/postgres/cutting-proxy.ts";

const SECRET = "pa55-w0rd";
const count = sql`SELECT count(*) FROM numbers`;
const add = sql`INSERT INTO numbers VALUES (:n)`;
const endOthers = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()";

/** The failure of opening or using a database, which must have the password nowhere. */
async function failure(work: Promise<unknown>): Promise<unknown> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(Error);
  expect(inspect(error, { depth: 9 })).not.toContain(SECRET);
  return error;
}
const coded = (code: string, message: string) => expect.objectContaining({ code, message: expect.stringContaining(message) });

test.each([
  ["14.12", "140012", coded("MOVEDEX_STORE_CANNOT_OPEN", "the server is PostgreSQL 14.12, and movedex needs 15 or newer")],
  ["9.6.24", "90624", coded("MOVEDEX_STORE_CANNOT_OPEN", "the server is PostgreSQL 9.6.24, and movedex needs 15 or newer")],
  ["15.0", "150000", undefined],
])("a server that says it is PostgreSQL %s", async (words, number, refusal) => {
  const client = { query: async () => ({ rows: [[number, words, "UTF8", "on", null]] }), release: () => undefined };
  const pool = { connect: async () => client } as unknown as Pool;
  const checked = checkServer(pool, readAddress("postgres://ann@h/x"), { connections: 1 });
  if (refusal === undefined) await checked;
  else await expect(checked).rejects.toEqual(refusal);
});

eachPostgres("opening a database", (open) => {
  test("nobody listens", async () => {
    const error = await failure(postgresEngine(`postgres://ann:${SECRET}@127.0.0.1:1/x`));
    expect(error).toEqual(coded("MOVEDEX_STORE_CANNOT_OPEN", "`postgres://ann@127.0.0.1:1/x`: no server answers there"));
  });

  test("a wrong password, none, and no such user", async () => {
    const at = await open();
    await at.prepare(`CREATE ROLE ${at.name} LOGIN PASSWORD 'right-${SECRET}'`);
    const refused = coded("MOVEDEX_STORE_CANNOT_OPEN", "refused the user or the password");
    expect(await failure(postgresEngine(at.url(`${at.name}:${SECRET}`)))).toEqual(refused);
    expect(await failure(postgresEngine(at.url(`nobody:${SECRET}`)))).toEqual(refused);
    const without = await failure(postgresEngine(at.url(at.name)));
    expect(without).toEqual(coded("MOVEDEX_STORE_CANNOT_OPEN", "No password was given; PGPASSWORD or ~/.pgpass may hold it"));
    await using engine = closing(await postgresEngine(completeAddress(at.url(at.name), { PGPASSWORD: `right-${SECRET}` })));
    expect(await engine.first(sql`SELECT CAST(current_user AS text)`)).toEqual([at.name]);
    expect(inspect(engine, { depth: 9 })).not.toContain(SECRET);
  });

  test("no such database", async () => {
    const at = await open();
    const error = await failure(postgresEngine(at.url().replace(at.name, "nowhere")));
    expect(error).toEqual(coded("MOVEDEX_STORE_MISSING", "the server has no such database"));
  });

  test("a database that keeps texts in another encoding", async () => {
    const other = await open();
    const at = await openDatabase(other.port, "ENCODING 'LATIN1' TEMPLATE template0");
    const encoded = coded("MOVEDEX_STORE_CANNOT_OPEN", "its encoding is LATIN1, and movedex needs UTF8");
    expect(await failure(postgresEngine(at.url()))).toEqual(encoded);
  });

  test("no connection left", async () => {
    const at = await open();
    await at.prepare(`CREATE ROLE ${at.name} LOGIN PASSWORD '${SECRET}' CONNECTION LIMIT 0`);
    expect(await failure(postgresEngine(at.url(`${at.name}:${SECRET}`)))).toEqual(
      coded("MOVEDEX_STORE_CANNOT_OPEN", "the role has all connections that its CONNECTION LIMIT allows"),
    );
    // One that reads has enough with less than a run.
    await at.prepare(`ALTER ROLE ${at.name} CONNECTION LIMIT 3`);
    await (await postgresEngine(at.url(`${at.name}:${SECRET}`))).close();
    const tooFew = coded("MOVEDEX_STORE_CANNOT_OPEN", "the role may have 3 connections (its CONNECTION LIMIT), and a run needs at least 4");
    expect(await failure(takeServerLock(at.url(`${at.name}:${SECRET}`), "night:here"))).toEqual(tooFew);
    expect(await failure(openServer(at.url(`${at.name}:${SECRET}`), { mode: "write", now: Date.now }))).toEqual(tooFew);
    await at.prepare(`ALTER ROLE ${at.name} CONNECTION LIMIT -1; ALTER DATABASE ${at.name} CONNECTION LIMIT 0`);
    expect(await failure(postgresEngine(at.url(`${at.name}:${SECRET}`)))).toEqual(
      coded("MOVEDEX_STORE_CANNOT_OPEN", "the database has all connections that its CONNECTION LIMIT allows"),
    );
  });
});

eachPostgres("using a database", (open) => {
  test("no right to make a schema, nor to write", async () => {
    const at = await open();
    await at.prepare(`CREATE ROLE ${at.name} LOGIN PASSWORD '${SECRET}'; CREATE TABLE public.numbers (n bigint)`);
    await at.prepare(`GRANT SELECT ON numbers TO ${at.name}`);
    await using engine = await publicEngine(at.url(`${at.name}:${SECRET}`));
    const refused = coded("MOVEDEX_STORE_READ_ONLY", "the user has no right to do that");
    expect(await failure(engine.run(sql`CREATE SCHEMA movedex`))).toEqual(refused);
    expect(await failure(engine.run(add, { n: 1 }))).toEqual(refused);
    expect(await failure(engine.transaction((tx) => tx.bulk(numbers, [[1]])))).toEqual(refused);
    expect(await engine.first(count)).toEqual([0]);
  });

  test("a database that may only be read", async () => {
    const at = await open();
    await at.prepare(`CREATE TABLE numbers (n bigint); ALTER DATABASE ${at.name} SET default_transaction_read_only = on`);
    await using engine = await publicEngine(at.url());
    expect(await failure(engine.run(add, { n: 1 }))).toEqual(coded("MOVEDEX_STORE_READ_ONLY", "may only be read here"));
    expect(await engine.first(count)).toEqual([0]);
  });

  test("cut in the midst of a transaction: nothing of it stays, and the next one is done", async () => {
    const at = await open();
    await using engine = await numbersEngine(at.url());
    const cut = engine.transaction(async (tx) => {
      await tx.run(add, { n: 1 });
      await at.prepare(endOthers);
      await tx.run(add, { n: 2 });
    });
    expect(await failure(cut)).toEqual(coded("MOVEDEX_STORE_CUT", "the connection was lost. Nothing committed is lost"));
    const copying = engine.transaction(async (tx) => {
      // Without an end: it is cut while rows are on their way.
      const rows = function* () {
        void at.prepare(endOthers);
        for (let n = 1; ; n++) yield [n];
      };
      await tx.bulk(numbers, rows());
    });
    expect(await failure(copying)).toEqual(coded("MOVEDEX_STORE_CUT", "the connection was lost"));
    const walking = (async () => {
      for await (const _ of engine.stream(sql`SELECT * FROM generate_series(1, 5000)`)) await at.prepare(endOthers);
    })();
    expect(await failure(walking)).toEqual(coded("MOVEDEX_STORE_CUT", "the connection was lost"));
    expect(await engine.first(count)).toEqual([0]);
    expect(await engine.run(add, { n: 1 })).toBe(1);
  });

  test("cut while it is opened, as by a balancer whose server is away", async () => {
    const at = await open();
    await using proxy = await cuttingProxy(at.port);
    // Each way of TLS is tried.
    proxy.closeAtMessage(1, 1);
    expect(await failure(postgresEngine(at.url("postgres", proxy.port)))).toEqual(coded("MOVEDEX_STORE_CUT", "the connection was lost"));
    await (await postgresEngine(at.url("postgres", proxy.port))).close();
  });

  test("a statement that takes longer, or more room, than its role may", async () => {
    const at = await open();
    await at.prepare(`CREATE ROLE ${at.name} LOGIN PASSWORD '${SECRET}'; ALTER ROLE ${at.name} SET temp_file_limit = '1kB'`);
    await using engine = await publicEngine(at.url(`${at.name}:${SECRET}`));
    const slow = engine.transaction(async (tx) => {
      // Here, and not of the role: what opens a session may take longer on a busy machine.
      await tx.run(sql`SET LOCAL statement_timeout = 20`);
      await tx.first(sql`SELECT CAST(pg_sleep(60) AS text)`);
    });
    expect(await failure(slow)).toEqual(coded("MOVEDEX_STORE_TIMEOUT", "than the statement_timeout of the role or the database"));
    const large = engine.all(sql`SELECT n FROM generate_series(1, 1000000) AS s(n) ORDER BY n DESC`);
    expect(await failure(large)).toEqual(
      coded("MOVEDEX_STORE_IO", "a limit of the role, the database or the server was reached (temporary file size exceeds"),
    );
  });

  test("a lock that another holds on and on", async () => {
    const at = await open();
    await using engine = await numbersEngine(at.url(), { lockTimeoutMs: 20 });
    const waiting = engine.transaction(async (tx) => {
      await tx.run(add, { n: 1 });
      await using other = await publicEngine(at.url(), { lockTimeoutMs: 20 });
      await other.run(add, { n: 1 });
    });
    expect(await failure(waiting)).toEqual(coded("MOVEDEX_STORE_BUSY", "another process is writing there"));
    const waited: unknown[] = [];
    const whenBusy = async (ms?: number): Promise<boolean> => waited.push(ms) < 3;
    await using patient = await publicEngine(at.url(), { lockTimeoutMs: 20, whenBusy });
    await engine.transaction(async (tx) => {
      await tx.run(add, { n: 1 });
      expect(await failure(patient.run(add, { n: 1 }))).toEqual(coded("MOVEDEX_STORE_BUSY", "another process is writing there"));
    });
    expect(waited).toEqual([20, 20, 20]);
  });
});

eachPostgres("a server that does not say a word any more", (open) => {
  test("is given up where statements have a limit of time, and so is the connection", async () => {
    const at = await open();
    await using proxy = await cuttingProxy(at.port);
    await using engine = await publicEngine(at.url("postgres", proxy.port), { statementTimeoutMs: 2_000 });
    expect(await engine.first(sql`SELECT 1`)).toEqual([1]);
    expect(await failure(engine.first(sql`SELECT pg_sleep(60)`))).toEqual(coded("MOVEDEX_STORE_TIMEOUT", "took longer than its time"));
    proxy.fallSilent();
    expect(await failure(engine.first(sql`SELECT 1`))).toEqual(coded("MOVEDEX_STORE_CUT", "the connection was lost"));
  });
});

eachPostgres("a run whose time is over", (open) => {
  test("waits for a statement of a server that works", async () => {
    const at = await open();
    const time = new AbortController();
    await using engine = await publicEngine(at.url(), { ending: time.signal });
    const slow = engine.first(sql`SELECT 1 FROM pg_sleep(4.5)`);
    time.abort();
    expect(await slow).toEqual([1]);
  });
});

eachPostgres("transactions in each other's way", (open) => {
  const increase = sql`UPDATE numbers SET n = n + 10 WHERE n % 10 = :id`;

  test("a deadlock: both are done in the end", async () => {
    const at = await open();
    await using engine = await numbersEngine(at.url());
    await engine.transaction((tx) => tx.bulk(numbers, [[1], [2]]));
    const haveBegun = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const;
    let tries = 0;
    const move = (first: 0 | 1) =>
      engine.transaction(async (tx) => {
        tries++;
        await tx.run(increase, { id: first + 1 });
        haveBegun[first].resolve();
        await haveBegun[first === 0 ? 1 : 0].promise;
        await tx.run(increase, { id: 2 - first });
      });
    await Promise.all([move(0), move(1)]);
    expect(tries).toBe(3);
    expect(await engine.all(sql`SELECT n FROM numbers ORDER BY n`)).toEqual([[21], [22]]);
  });

  test("a serialization failure is tried again, and not for ever", async () => {
    const at = await open();
    await using engine = await numbersEngine(at.url());
    await engine.run(add, { n: 1 });
    const collide = async (times: number) => {
      let tries = 0;
      await engine.transaction(async (tx) => {
        await tx.run(sql`SET TRANSACTION ISOLATION LEVEL SERIALIZABLE`);
        await tx.first(count);
        if (++tries <= times) await at.prepare("UPDATE numbers SET n = n + 1");
        await tx.run(sql`UPDATE numbers SET n = n + 100`);
      });
      return tries;
    };
    expect(await collide(2)).toBe(3);
    expect(await engine.first(sql`SELECT n FROM numbers`)).toEqual([103]);
    expect(await failure(collide(99))).toEqual(coded("MOVEDEX_STORE_BUSY", "others wrote the same rows again and again"));
  });
});
