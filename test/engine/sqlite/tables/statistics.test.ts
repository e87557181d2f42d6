import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { derivationQueries } from "../../../../src/archive/content/derive.ts";
import { renewStatistics } from "../../../../src/engine/sqlite/open-sqlite.ts";
import { crawlMuch } from "../../../support/store/much-bytecode.ts";
import { temporaryStore } from "../../../support/store/temporary-store.ts";

test("what many rows refer to is counted by all of them, and a second time nothing is written", async () => {
  await using at = await temporaryStore();
  await crawlMuch(at.engine, 400, 1);
  await derivationQueries(at.engine).derive();
  await at.close();
  const database = new Database(at.path);
  const count = (table: string) => database.prepare(`SELECT count(*) FROM ${table}`).pluck().get() as number;
  const [params, types] = [count("_function_params"), count("_types")];
  const stat = database.prepare("SELECT stat FROM sqlite_stat1 WHERE idx = 'function_params_by_type_id'").pluck();
  expect(stat.get()).toBe(`${params} ${Math.max(1, Math.min(params, Math.floor((32 * params) / types)))}`);
  const changes = database.prepare("SELECT total_changes()").pluck();
  const before = changes.get();
  renewStatistics(database);
  expect(changes.get()).toBe(before);
  database.close();
});
