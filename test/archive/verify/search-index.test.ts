import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import Database from "better-sqlite3";
import { beforeAll, describe, expect, test } from "vitest";
import { wordCheck } from "../../../src/archive/verify/search-index.ts";
import { verify } from "../../../src/archive/verify/verify.ts";
import { seededRandom } from "../../../src/base/random.ts";
import type { Damage } from "../../../src/engine/check.ts";
import { sqliteSession } from "../../../src/engine/sqlite/sqlite-session.ts";
import { verifyDoor } from "../../../src/engine/sqlite/verify-file.ts";
import { sized } from "../../run-size.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";
import { writeSmallArchive } from "./small-archive.ts";

const FLIPS = sized(15, 60);

describe("verify of the index of words", () => {
  const place = temporaryDirectory();
  const path = place.file("small.db");

  beforeAll(() => writeSmallArchive(path));

  /** What is found in a copy after a change. */
  const damageAfter = async (change: (database: Database.Database) => void): Promise<Damage[]> => {
    const copy = place.file("changed.db");
    copyFileSync(path, copy);
    const writer = new Database(copy);
    change(writer);
    writer.close();
    const database = new Database(copy, { readonly: true }).defaultSafeIntegers(true);
    try {
      return (await Array.fromAsync(wordCheck(sqliteSession(database, copy), { part: 0, of: 1 }).steps())).flat();
    } finally {
      database.close();
    }
  };

  test("finds nothing in a sound one", async () => {
    expect(await damageAfter(() => {})).toEqual([]);
    const database = new Database(path, { readonly: true }).defaultSafeIntegers(true);
    for (const part of [0, 1])
      expect((await Array.fromAsync(wordCheck(sqliteSession(database, path), { part, of: 2 }).steps())).flat()).toEqual([]);
    database.close();
  });

  test("names the row with a word too many, and the row that is not in it", async () => {
    const module = (database: Database.Database) =>
      database.prepare<[], number>("SELECT id FROM _modules WHERE name = 'coin'").pluck().get() as number;
    let id = 0;
    const added = await damageAfter((database) => {
      id = module(database);
      database.prepare("INSERT INTO _search_words VALUES (0, 'wrong', ?)").run(BigInt(id));
    });
    expect(added).toEqual([
      { table: "_search_words", row: `module ${id}`, problem: "has a word in the index that is not its own: `wrong`" },
    ]);
    const emptied = await damageAfter((database) => database.exec("DELETE FROM _search_words"));
    expect(emptied).toContainEqual({ table: "_search_words", row: `module ${id}`, problem: "is not in the index: `=coin coin`" });
    expect(new Set(emptied.map(({ row }) => row.split(" ")[0]))).toEqual(new Set(["module", "function", "struct", "error"]));
  });

  test("finds every bit turned over in it that changes what a search finds", async () => {
    const random = seededRandom(5);
    const copy = place.file("flipped.db");
    const sound = new Database(path);
    const pages = sound
      .prepare<[], { pageno: number; offset: number; size: number }>(
        "SELECT pageno, pgoffset AS offset, pgsize AS size FROM dbstat WHERE name = '_search_words'",
      )
      .all();
    sound.close();
    const bytes = readFileSync(path);
    const before = wordsIn(path);
    let found = 0;
    for (let n = 0; n < FLIPS; n++) {
      const page = pages[Math.floor(random() * pages.length)] as (typeof pages)[number];
      const flipped = Buffer.from(bytes);
      const at = page.offset + Math.floor(random() * page.size);
      flipped[at] = (flipped[at] as number) ^ (1 << Math.floor(random() * 8));
      writeFileSync(copy, flipped);
      const damage = await damageIn(copy);
      if (damage > 0) found += 1;
      else expect(wordsIn(copy), `byte ${at}`).toBe(before);
    }
    expect(found).toBeGreaterThan(FLIPS / 5);
  });
});

/** How much a whole verify finds. */
async function damageIn(path: string): Promise<number> {
  const database = new Database(path, { readonly: true }).defaultSafeIntegers(true);
  try {
    const steps = verify(verifyDoor(database, path), { part: 0, of: 1 });
    return (await Array.fromAsync(steps)).flatMap(({ damage }) => damage).length;
  } finally {
    database.close();
  }
}

/** All that the index says. */
function wordsIn(path: string): string {
  const database = new Database(path, { readonly: true });
  try {
    return JSON.stringify(database.prepare("SELECT * FROM _search_words ORDER BY 1, 2, 3").raw().all());
  } catch (error) {
    return `${error}`;
  } finally {
    database.close();
  }
}
