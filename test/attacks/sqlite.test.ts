import { existsSync, readFileSync } from "node:fs";
import { expect } from "vitest";
import { databaseAt } from "../../src/core/db/engine/database-at.ts";
import { sampleArchive, test } from "../support/index.ts";
import { postgresqlForms, stopped } from "./postgresql.ts";
import { sqliteAttacks, sqliteHungry } from "./sqlite.ts";

test("no attack is in the tables twice", () => {
  const attacks = [...sqliteAttacks, ...sqliteHungry].map(([tries]) => `file: ${tries}`);
  attacks.push(...postgresqlForms.map(([tries]) => `server: ${tries}`));
  expect(attacks.length).toBeGreaterThan(200);
  expect(attacks.filter((name, i) => attacks.indexOf(name) < i)).toEqual([]);
});

test("no attack on a file does anything but fail, in words that name no file", async ({ place }) => {
  const { db } = await sampleArchive(place.file("sample.db"));
  const before = readFileSync(db);
  const door = await databaseAt(db).openToQuery();
  const survivors: unknown[] = [];
  for (const [tries, sql] of sqliteAttacks) {
    const ask = async () => await Array.fromAsync((await door.query(sql.replaceAll("{file}", place.file("made")))).rows);
    const outcome = await ask().then(
      (rows) => ({ rows: rows.length }),
      ({ code, message }: { code: string; message: string }) =>
        stopped.test(code) && !message.includes(place.path) ? undefined : { code, message },
    );
    if (outcome !== undefined) survivors.push([tries, outcome]);
  }
  expect(survivors).toEqual([]);
  expect(await Array.fromAsync((await door.query("SELECT count(*) FROM snapshots")).rows)).toEqual([[2n]]);
  await door.close();
  expect(existsSync(place.file("made"))).toBe(false);
  expect(readFileSync(db).equals(before)).toBe(true);
});
