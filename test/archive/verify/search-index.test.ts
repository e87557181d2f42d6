import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import Database from "better-sqlite3";
import { beforeAll, describe, expect, test } from "vitest";
import { wordCheck } from "../../../src/archive/verify/search-index.ts";
import { verify } from "../../../src/archive/verify/verify.ts";
import { seededRandom } from "../../../src/base/random.ts";
import type { Damage } from "../../../src/engine/check.ts";
import { sqliteSession } from "../../../src/engine/sqlite/statements.ts";
import { verifyDoor } from "../../../src/engine/sqlite/verify-file.ts";
import { sized } from "../../run-size.ts";
import { changeFile, listsOf } from "../../support/store/ask-file.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";
import { writeSmallArchive } from "./small-archive.ts";

const FLIPS = sized(15, 60);

describe("verify of the index of words", () => {
  const place = temporaryDirectory();
  const path = place.file("small.db");

  beforeAll(() => writeSmallArchive(path));

  const damageOf = async (of: string, slice = { part: 0, of: 1 }): Promise<Damage[]> => {
    const database = new Database(of, { readonly: true }).defaultSafeIntegers(true);
    try {
      return (await Array.fromAsync(wordCheck(sqliteSession(database, of), slice).steps())).flat();
    } finally {
      database.close();
    }
  };
  /** What is found in a copy after a change. */
  const damageAfter = async (sql: string): Promise<Damage[]> => {
    const copy = place.file("changed.db");
    copyFileSync(path, copy);
    changeFile(copy, sql);
    return await damageOf(copy);
  };

  test("finds nothing in a sound one", async () => {
    expect(await damageOf(path)).toEqual([]);
    for (const part of [0, 1]) expect(await damageOf(path, { part, of: 2 })).toEqual([]);
  });

  test("names what has a word too many, and what lacks one", async () => {
    const own = "has a word in the index that is not its own";
    const added = await damageAfter("INSERT INTO _search_words VALUES ('wrong', 'coin'), ('nothing', 'unknown')");
    expect(added).toEqual([
      { table: "_search_words", row: "coin", problem: `${own}: \`wrong\`` },
      { table: "_search_words", row: "unknown", problem: `${own}: \`nothing\`` },
    ]);
    const emptied = await damageAfter("DELETE FROM _search_words WHERE name = 'coin'");
    expect(emptied).toEqual([{ table: "_search_words", row: "coin", problem: "lacks a word in the index: `coin`" }]);
  });

  test("finds every bit turned over in it that changes what a search finds", async () => {
    const random = seededRandom(5);
    const copy = place.file("flipped.db");
    const pages = listsOf<[offset: number, size: number]>(path, "SELECT pgoffset, pgsize FROM dbstat WHERE name = '_search_words'");
    const bytes = readFileSync(path);
    const before = wordsIn(path);
    let found = 0;
    for (let n = 0; n < FLIPS; n++) {
      const [offset, size] = pages[Math.floor(random() * pages.length)] as (typeof pages)[number];
      const flipped = Buffer.from(bytes);
      const at = offset + Math.floor(random() * size);
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
  try {
    return JSON.stringify(listsOf(path, "SELECT * FROM _search_words ORDER BY 1, 2"));
  } catch (error) {
    return `${error}`;
  }
}
