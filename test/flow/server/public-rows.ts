import { expect } from "vitest";
import { viewList } from "../../../src/schema/views/views.ts";
import { openQueryDoor } from "../../../src/store/read/query.ts";

/** When a thing was done, by whom, and what it cost: different in two databases of the same observations. */
const OF_RUNS = new Set([
  "created_at",
  "sealed_at",
  "started_at",
  "finished_at",
  "added_at",
  "first_seen_at",
  "last_seen_at",
  "sampled_at",
  "first_at",
  "last_at",
  "bytes_received",
  "run",
]);

/** Views of runs and of nodes, of which each worker has its own rows. */
const OF_WORKERS = new Set(["run_history", "horizon_samples", "node_builds"]);

/** Makes sure that two databases show the same in every public view of what was observed. */
export async function expectSamePublicRows(database: string, expected: Readonly<Record<string, readonly string[]>>): Promise<void> {
  const found = await publicRows(database);
  for (const [name, rows] of Object.entries(expected)) expect(found[name], name).toEqual(rows);
}

/** The rows of every public view of what was observed, sorted, as text. */
export async function publicRows(database: string): Promise<Record<string, string[]>> {
  const door = await openQueryDoor(database);
  try {
    const found: Record<string, string[]> = {};
    for (const { name } of viewList.filter((view) => !OF_WORKERS.has(view.name))) {
      const { columns, rows } = await door.query(`SELECT * FROM ${name}`, []);
      const texts: string[] = [];
      for await (const row of rows) {
        texts.push(
          JSON.stringify(
            row.map((value, i) =>
              OF_RUNS.has(columns[i] as string) && value !== null ? "a moment" : typeof value === "bigint" ? `${value}n` : value,
            ),
          ),
        );
      }
      found[name] = texts.sort();
    }
    return found;
  } finally {
    await door.close();
  }
}
