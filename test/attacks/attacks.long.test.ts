import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { expect } from "vitest";
import { openConsole } from "../../src/capabilities/pages/console.ts";
import { openPostgres } from "../../src/capabilities/postgresql/open-server.ts";
import { targetList } from "../../src/capabilities/targets/target-list.ts";
import { databaseAt } from "../../src/core/db/engine/database-at.ts";
import type { SqlSession } from "../../src/core/db/engine/sql-session.ts";
import { eachPostgres, type TestDatabase } from "../engine/support/postgres-databases.ts";
import { addressOf, sampleArchive, test } from "../support/index.ts";
import { serversBetween, sharedServers } from "../support/postgres/servers.ts";
import { type Attack, postgresqlForms, stopped } from "./postgresql.ts";
import { sqliteHungry } from "./sqlite.ts";

eachPostgres(
  "attacks",
  (open) => {
    test("by statements that are no query are stopped by the parser, whatever the role may do", async () => {
      const at = await archive(open);
      const before = await stateOf(at);
      for (const url of [at.url(), await at.reader()]) {
        const door = await databaseAt(url).openToQuery({ timeoutMs: 400 });
        expect(await survivors(door, postgresqlForms, fileOf(at))).toEqual([]);
        await door.close();
      }
      expect(await stateOf(at)).toEqual(before);
      expect(existsSync(fileOf(at))).toBe(false);
    });
  },
  [...sharedServers, ...(await serversBetween())],
);

test("attacks by hunger on a file end with their process, and the next question is answered", async ({ place }) => {
  const { db } = await sampleArchive(place.file("sample.db"));
  const asked = openConsole(db, 5_000);
  const ask = (sql: string, client: string) =>
    asked.ask({ sql, format: "lists", maxRows: 1000, params: {} }, client, new AbortController().signal);
  const answers = await Promise.all(sqliteHungry.map(async ([tries, sql], i) => [tries, await ask(sql, `192.0.2.${i}`)] as const));
  expect(answers.filter(([, answer]) => !("problem" in answer && [400, 422].includes(answer.status)))).toEqual([]);
  expect(JSON.stringify(answers)).not.toContain(place.path);
  // On a busy machine its process alone may take the five seconds to start.
  await expect.poll(() => ask("SELECT 42 AS n", "192.0.2.99"), { timeout: 60_000 }).toMatchObject({ text: '["n"]\n["42"]\n' });
  asked.close();
});

async function archive(open: () => Promise<TestDatabase>): Promise<TestDatabase> {
  const at = await open();
  const engine = await openPostgres(at.url(), { mode: "write", now: () => 0 });
  await targetList(engine).addTargets([{ address: addressOf(1), reason: "given", via: null, depth: 0 }], 0);
  await engine.close();
  return at;
}

/** A file that the server's user could make. */
function fileOf({ name }: TestDatabase): string {
  return join(tmpdir(), `${name}-made`);
}

/** The attacks that did anything but fail as statements do. */
async function survivors(door: SqlSession, attacks: readonly Attack[], file: string): Promise<unknown[]> {
  const found: unknown[] = [];
  for (const [tries, sql] of attacks) {
    const ask = async () => await Array.fromAsync((await door.query(sql.replaceAll("{file}", file))).rows);
    const outcome = await ask().then(
      (rows) => ({ rows: rows.length, first: String(rows[0]).slice(0, 100) }),
      ({ code, message }: { code: string; message: string }) => (stopped.test(code) ? undefined : { code, message }),
    );
    if (outcome !== undefined) found.push([tries, outcome]);
  }
  return found;
}

/** What no attack may change: rows, roles, rights, tables, large objects, slots, sequences, settings. */
async function stateOf(at: TestDatabase): Promise<unknown[]> {
  return await askAsMaster(
    at,
    `SELECT (SELECT json_agg(t) FROM movedex._targets t)::text, (SELECT count(*)::int FROM pg_class), (SELECT count(*)::int FROM pg_proc),
      (SELECT count(*)::int FROM pg_largeobject_metadata), (SELECT count(*)::int FROM pg_replication_slots),
      (SELECT md5(string_agg(s::text, '')) FROM (SELECT sequencename, last_value FROM pg_sequences ORDER BY 1) s),
      (SELECT count(*)::int FROM pg_roles WHERE rolname = 'intruder'), (SELECT count(*)::int FROM pg_prepared_xacts),
      (SELECT count(*)::int FROM pg_extension), (SELECT count(*)::int FROM pg_file_settings)`,
  );
}

async function askAsMaster(at: TestDatabase, sql: string): Promise<unknown[]> {
  const client = new pg.Client(at.url());
  await client.connect();
  try {
    return ((await client.query({ text: sql, rowMode: "array" })).rows as unknown[][])[0] ?? [];
  } finally {
    await client.end();
  }
}
