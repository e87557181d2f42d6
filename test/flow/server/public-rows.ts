import { expect } from "vitest";
import { databaseAt } from "../../../src/core/db/engine/database-at.ts";
import type { SqlSession } from "../../../src/core/db/engine/sql-session.ts";
import { viewList } from "../../../src/core/db/schema/views/views.ts";
import { asWords } from "../../support/command/command-lines.ts";

/** When a thing was done, and what it cost: different in two databases of the same observations. */
export const OF_RUNS: readonly string[] = asWords`
  created_at sealed_at started_at finished_at added_at first_seen_at last_seen_at sampled_at bytes_received run packed base_sha256
`;

/** Besides, where several workers shared the work: when each was first and last seen. */
const OF_SHARED_RUNS: ReadonlySet<string> = new Set([...OF_RUNS, "first_at", "last_at"]);

/** Views of runs and of nodes, of which each worker has its own rows. */
const OF_WORKERS = new Set(["run_history", "horizon_samples", "node_builds"]);

/** Views that say of each module what others say, as test/archive/read/counted-columns.test.ts holds; a server works longest on them. */
const COUNTED = /^(?:module_sizes|modules_abi)_/;

/** The rows of a question to a database, asked by its owner. */
export async function rowsIn(database: string, sql: string): Promise<(readonly unknown[])[]> {
  const door = await databaseAt(database).openToQuery();
  try {
    return await Array.fromAsync((await door.query(sql)).rows);
  } finally {
    await door.close();
  }
}

/** How many rows there are. */
export async function countIn(database: string, from: string): Promise<number> {
  return Number((await rowsIn(database, `SELECT count(*) FROM ${from}`))[0]?.[0]);
}

/** Makes sure that two databases show the same in the public views of what was observed. */
export async function expectSamePublicRows(database: string, expected: Readonly<Record<string, readonly string[]>>): Promise<void> {
  const found = await publicRows(database);
  for (const [name, rows] of Object.entries(expected)) expect(found[name], name).toEqual(rows);
}

/** The rows of the public views of what was observed, sorted, as text. */
export async function publicRows(database: string): Promise<Record<string, string[]>> {
  const door = await databaseAt(database).openToQuery();
  try {
    const found: Record<string, string[]> = {};
    for (const { name } of viewList.filter((view) => !OF_WORKERS.has(view.name) && !COUNTED.test(view.name))) {
      // What a bytecode is packed with depends on which came first.
      const columns = name === "bytes_held" ? "bytecode_sha256" : "*";
      found[name] = (await rowsOf(door, `SELECT ${columns} FROM ${name}`, OF_SHARED_RUNS)).sort();
    }
    return found;
  } finally {
    await door.close();
  }
}

/** Rows as text, without what the columns `differing` say; numbers are written as they are, so that a 1 and a "1" differ. */
export async function rowsOf(
  door: SqlSession,
  sql: string,
  differing: ReadonlySet<string>,
  parameters: Readonly<Record<string, string | bigint>> = {},
): Promise<string[]> {
  const { columns, rows } = await door.query(sql, Object.keys(parameters).length === 0 ? [] : parameters);
  const texts: string[] = [];
  for await (const row of rows) {
    const cells = row.map((value, i) => {
      if (differing.has(columns[i] as string) && value !== null) return "a moment";
      return typeof value === "bigint" ? `${value}n` : value;
    });
    texts.push(JSON.stringify(cells));
  }
  return texts;
}
