import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import Database from "better-sqlite3";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { seededRandom } from "../../../src/base/random.ts";
import type { TableData } from "../../../src/schema/table.ts";
import { contentTables } from "../../../src/schema/tables/content.ts";
import { derivedTables } from "../../../src/schema/tables/derived.ts";
import { timeTables } from "../../../src/schema/tables/time.ts";
import { workTables } from "../../../src/schema/tables/work.ts";
import { sqliteSession } from "../../../src/store/engine/sqlite/sqlite-session.ts";
import { StoreError } from "../../../src/store/errors.ts";
import { type Damage, openVerification, type Slice, verify } from "../../../src/store/verify/verify.ts";
import { sized } from "../../run-size.ts";
import { databaseContent } from "../../support/database-content.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";
import { flipBit } from "./flip.ts";
import { writeSmallArchive } from "./small-archive.ts";

const everything: Slice = { part: 0, of: 1 };

/** How often each column, and the file, is damaged: 12 of each column and 2,500 in the file were tried once, too. */
const FLIPS_PER_COLUMN = 1;
const FLIPS_IN_FILE = sized(12, 40);

/** What a seal says; the rest of a snapshot's row is what a node said, and nothing can tell it again. */
const sealColumns = ["status", "accounts", "modules", "gaps", "digest", "records_digest"];
const columns: [name: string, table: TableData, column: string][] = [
  ...[...Object.values(contentTables), ...Object.values(derivedTables), ...Object.values(timeTables)].flatMap((table: TableData) =>
    Object.keys(table.columns).map((column): [string, TableData, string] => [`${table.name}.${column}`, table, column]),
  ),
  ...sealColumns.map((column): [string, TableData, string] => [`_pins.${column}`, workTables.pins, column]),
];

describe("verify", () => {
  const place = temporaryDirectory();
  const path = place.file("small.db");
  let database: Database.Database;

  beforeAll(async () => {
    await writeSmallArchive(path);
    database = new Database(path).defaultSafeIntegers(true);
    database.pragma("foreign_keys = OFF");
  });
  afterAll(() => {
    database.close();
    place[Symbol.dispose]();
  });

  const steps = (slice: Slice) => verify({ session: sqliteSession(database, path), file: database }, slice);
  const damageOf = async (slice: Slice = everything): Promise<Damage[]> =>
    (await Array.fromAsync(steps(slice))).flatMap(({ damage }) => damage);
  const damageAfter = async (sql: string): Promise<Damage[]> => {
    database.exec("BEGIN");
    try {
      expect(database.prepare(sql).run().changes).toBeGreaterThan(0);
      return await damageOf();
    } finally {
      database.exec("ROLLBACK");
    }
  };

  test("every table of content has rows to damage", () => {
    const content: readonly TableData[] = [contentTables, derivedTables, timeTables].flatMap((tables) => Object.values(tables));
    expect(content.filter(({ name }) => database.prepare(`SELECT 1 FROM ${name}`).get() === undefined)).toEqual([]);
  });

  test("finds nothing in a sound database, as a whole and in slices", async () => {
    expect(await damageOf()).toEqual([]);
    const looked = new Map<string, number>();
    for (let part = 0; part < 3; part++) {
      for await (const { check, damage } of steps({ part, of: 3 })) {
        expect(damage).toEqual([]);
        looked.set(check, (looked.get(check) ?? 0) + 1);
      }
    }
    const count = (table: string) => Number(database.prepare(`SELECT count(*) FROM ${table}`).pluck().get());
    expect(Object.fromEntries(looked)).toMatchObject({ bytecodes: count("_bytecodes"), snapshots: 3, accounts: 7 });
  });

  test.each(columns)("finds any single bit turned over in %s", async (_, table, column) => {
    const random = seededRandom(column.length + 1000 * table.name.length);
    for (let n = 0; n < FLIPS_PER_COLUMN; n++) {
      database.exec("BEGIN");
      try {
        const flip = flipBit(database, table, column, random);
        if (flip !== undefined) expect(await damageOf(), JSON.stringify(flip)).not.toEqual([]);
      } finally {
        database.exec("ROLLBACK");
      }
    }
  });

  test("finds, or is stopped by, any single bit turned over in the file that changes what is read", async () => {
    const random = seededRandom(77);
    const sound = readFileSync(path);
    const contentOf = (file: string): string => JSON.stringify(databaseContent(file));
    const content = contentOf(path);
    const copy = place.file("damaged.db");
    let found = 0;
    for (let n = 0; n < FLIPS_IN_FILE; n++) {
      const bytes = Buffer.from(sound);
      const at = Math.floor(random() * bytes.length);
      bytes[at] = (bytes[at] as number) ^ (1 << Math.floor(random() * 8));
      writeFileSync(copy, bytes);
      if (await isFound(copy)) found += 1;
      else expect(contentOf(copy) === content, `byte ${at}`).toBe(true);
    }
    expect(found).toBeGreaterThan(FLIPS_IN_FILE / 5);
  });

  test("names the row and what is wrong with it", async () => {
    expect(await damageAfter("UPDATE _functions SET name = name || 'x' WHERE id = (SELECT max(id) FROM _functions)")).toEqual([
      expect.objectContaining({
        table: "_functions",
        row: expect.stringMatching(/^\d+ \([\w$]+\)$/),
        problem: expect.stringMatching(/follows from the bytes$/),
      }),
      expect.objectContaining({ table: "_search_index", problem: expect.stringMatching(/^has a word/) }),
      expect.objectContaining({ table: "_search_index", problem: expect.stringMatching(/^lacks a word/) }),
    ]);
    expect((await damageAfter("UPDATE _bytecodes SET size = size + 1 WHERE id = 2"))[0]).toMatchObject({
      table: "_bytecodes",
      row: expect.stringMatching(/^2 \(SHA-256 [0-9a-f]{64}\)$/),
      problem: expect.stringMatching(/^\d+ bytes, and \d+ are said to be$/),
    });
    expect((await damageAfter("DELETE FROM _bytecode_blobs WHERE id = 2"))[0]).toMatchObject({
      table: "_bytecodes",
      row: expect.stringMatching(/^2 \(SHA-256 [0-9a-f]{64}\)$/),
      problem: "cannot be unpacked",
    });
    expect((await damageAfter("UPDATE _pins SET gaps = 1 WHERE status = 'sealed'")).map(({ table }) => table)).toEqual([
      "_pins",
      "_pins",
      "_pins",
    ]);
    expect(await damageAfter("DELETE FROM _listing_modules WHERE name = 'future'")).toEqual([
      expect.objectContaining({ table: "_listings", problem: expect.stringMatching(/^\d+ modules are said to be on it, and it has \d+$/) }),
      expect.objectContaining({ table: "_listings", problem: expect.stringMatching(/^its modules have the digest/) }),
      expect.objectContaining({ table: "_pins", problem: expect.stringMatching(/^\d+ modules are stored, and it has \d+$/) }),
      expect.objectContaining({ table: "_pins", problem: expect.stringMatching(/^its modules have the digest/) }),
    ]);
  });

  test("names the account", async () => {
    const account = "(SELECT address_id FROM _listings WHERE id = (SELECT max(listing_id) FROM _listing_modules))";
    const [{ address }] = database.prepare(`SELECT address FROM _addresses WHERE id = ${account}`).all() as [{ address: string }];
    const other = "(SELECT id FROM _bytecodes b WHERE b.id <> bytecode_id LIMIT 1)";
    const listed = await damageAfter(
      `UPDATE _listing_modules SET bytecode_id = ${other} WHERE listing_id = (SELECT max(listing_id) FROM _listing_modules)`,
    );
    expect(listed).toContainEqual({
      table: "_listings",
      row: expect.stringMatching(new RegExp(`^\\d+ \\(account ${address}\\)$`)),
      problem: expect.stringMatching(/^its modules have the digest/),
    });
    const key = await damageAfter(`UPDATE _account_spans SET authentication_key = x'00' WHERE address_id = ${account}`);
    expect(key).toContainEqual({
      table: "_account_spans",
      row: `account ${address}`,
      problem: expect.stringMatching(/authentication key has 1 bytes/),
    });
  });

  test("takes bytecode that an older movedex could not decode for out of date, not for damaged", async () => {
    const outdated =
      "UPDATE _bytecodes SET derived_by = 'movedex 0', abi_id = NULL, error_code = 'MOVEDEX_DECODE_UNSUPPORTED_VERSION', error_offset = 4, error_message = 'too new' WHERE id = 1";
    const tables = (await damageAfter(outdated)).map(({ table }) => table);
    expect(tables).not.toContain("_bytecodes");
  });

  test("sees one state of the database while another connection writes, and changes nothing", async () => {
    const copy = place.file("busy.db");
    copyFileSync(path, copy);
    const before = readFileSync(copy);
    const verification = await openVerification(copy);
    const writer = new Database(copy);
    try {
      const steps = verification.run(everything)[Symbol.asyncIterator]();
      await steps.next();
      writer.exec("DELETE FROM _listing_spans");
      const rest = await Array.fromAsync({ [Symbol.asyncIterator]: () => steps });
      expect(rest.flatMap(({ damage }) => damage)).toEqual([]);
    } finally {
      await verification.close();
      expect(readFileSync(copy)).toEqual(before);
      writer.close();
    }
  });
});

/** Whether verifying a file finds damage, or cannot even begin because of it. */
async function isFound(path: string): Promise<boolean> {
  try {
    const verification = await openVerification(path);
    try {
      return (await Array.fromAsync(verification.run(everything))).some(({ damage }) => damage.length > 0);
    } finally {
      await verification.close();
    }
  } catch (error) {
    if (error instanceof StoreError) return true;
    throw error;
  }
}
