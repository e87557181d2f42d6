import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import Database from "better-sqlite3";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { judgedRows } from "../../../src/capabilities/changes/judge/check-judgements.ts";
import { judgedTables } from "../../../src/capabilities/changes/tables.ts";
import { openVerification, verify } from "../../../src/capabilities/verify/verify.ts";
import { closing } from "../../../src/core/base/async.ts";
import { seededRandom } from "../../../src/core/base/numbers.ts";
import type { Damage, Slice } from "../../../src/core/db/engine/check.ts";
import { StoreError } from "../../../src/core/db/engine/errors.ts";
import { verifySession } from "../../../src/core/db/engine/sqlite/verify-file.ts";
import type { TableData } from "../../../src/core/db/schema/table.ts";
import { contentTables, searchTables } from "../../../src/core/db/schema/tables/content.ts";
import { countTables, derivedTables } from "../../../src/core/db/schema/tables/derived.ts";
import { timeTables } from "../../../src/core/db/schema/tables/time.ts";
import { workTables } from "../../../src/core/db/schema/tables/work.ts";
import { sampled, sized } from "../../run-size.ts";
import { databaseContent, temporaryDirectory } from "../../support/index.ts";
import { expectFlipsFound } from "./flip.ts";
import { writeSmallArchive } from "./small-archive.ts";

const everything: Slice = { part: 0, of: 1 };

/** How often each column, and the file, is damaged: 12 of each column and 2,500 in the file were tried once, too. */
const FLIPS_PER_COLUMN = 1;
/** More of what the seals cover. */
const FLIPS_OF_SPANS = sized(2, 8);
const isTime = (table: TableData): boolean => Object.values<TableData>(timeTables).includes(table);
const FLIPS_IN_FILE = sized(10, 50);
/**
 * Which share of those in the file is found, at the least: a small archive has a page to itself for each of ninety tables and indexes,
 * most of it empty, and what is turned over there is read by nobody.
 */
const SHARE_FOUND = 1 / 12;

/** What a seal says; the rest of a snapshot's row is what a node said, and nothing can tell it again. */
const sealColumns = ["status", "accounts", "modules", "gaps", "digest", "records_digest"];
/** All but the version of the rules: what other rules judged is judged again, and not checked. */
const content = Object.values<TableData>({
  ...contentTables,
  ...derivedTables,
  ...countTables,
  ...judgedTables,
  ...searchTables,
  ...timeTables,
});
const columns = [...content, workTables.all_snapshots].flatMap((table: TableData) =>
  (table === workTables.all_snapshots ? sealColumns : Object.keys(table.columns).filter((column) => column !== "rules")).map(
    (column): [name: string, table: TableData, column: string] => [`${table.name}.${column}`, table, column],
  ),
);

/** A condition for the first row of a table, by its key. */
const firstOf = ({ name, key }: TableData): string => `(${key}) = (SELECT ${key} FROM ${name} ORDER BY ${key} LIMIT 1)`;
const another = (column: string, table: string): string => `${column} = (SELECT id FROM ${table} o WHERE o.id <> ${column} LIMIT 1)`;

describe("verify", () => {
  const place = temporaryDirectory();
  const path = place.file("small.db");
  let database: Database.Database;

  beforeAll(async () => {
    await writeSmallArchive(path, { withRename: true });
    database = new Database(path).defaultSafeIntegers(true);
    database.pragma("foreign_keys = OFF");
  });
  afterAll(() => {
    database.close();
  });

  const steps = (slice: Slice) => verify(verifySession(database, path), slice, [judgedRows]);
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
    expect(Object.fromEntries(looked)).toMatchObject({ bytecodes: count("_bytecodes"), snapshots: 3, "tables of spans": 9 });
  });

  test.each(sampled(columns, 12))("finds any single bit turned over in %s", async (_, table, column) =>
    expectFlipsFound(database, [table, column], isTime(table) ? FLIPS_OF_SPANS : FLIPS_PER_COLUMN, damageOf),
  );

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
    expect(found).toBeGreaterThan(FLIPS_IN_FILE * SHARE_FOUND);
  });

  const damage = (table: string, problem: RegExp, row = /./) =>
    expect.objectContaining({ table, row: expect.stringMatching(row), problem: expect.stringMatching(problem) });

  test("names the row and what is wrong with it", async () => {
    const renamed = await damageAfter("UPDATE _functions SET name = name || 'x' WHERE id = (SELECT max(id) FROM _functions)");
    const ofWords = renamed.filter(({ table }) => table === "_search_words").map(({ problem }) => problem.replace(/: `[^`]*`$/, ""));
    expect(new Set(ofWords)).toEqual(new Set(["has a word in the index that is not its own", "lacks a word in the index"]));
    const bytecode = /^\d+ \(SHA-256 [0-9a-f]{64}\)$/;
    expect(renamed.filter(({ table }) => table === "functions")).toEqual([
      damage("functions", /^stored, and not what follows from the bytes: `\[.*"[\w$]+x".*`$/, bytecode),
      damage("functions", /^not stored, and follows from the bytes: `\[.*`$/, bytecode),
    ]);
    const second = /^2 \(SHA-256 [0-9a-f]{64}\)$/;
    const [resized] = await damageAfter("UPDATE _bytecodes SET size = size + 1 WHERE id = 2");
    expect(resized).toEqual(damage("_bytecodes", /^\d+ bytes, and \d+ are said to be$/, second));
    const other =
      "SELECT o.code, NULL FROM _bytecode_blobs o JOIN _bytecodes b USING (id) WHERE base_id IS NULL AND id <> 2 ORDER BY b.size";
    const [exchanged] = await damageAfter(`UPDATE _bytecode_blobs SET (code, base_id) = (${other} LIMIT 1) WHERE id = 2`);
    expect(exchanged).toEqual(damage("_bytecodes", /^the bytes have the SHA-256 [0-9a-f]{64}$/, second));
    const [lost] = await damageAfter("DELETE FROM _bytecode_blobs WHERE id = 2");
    expect(lost).toEqual(damage("_bytecodes", /^cannot be unpacked$/, second));
    // By the checksum of its row, and counted again.
    const gaps = await damageAfter("UPDATE _all_snapshots SET gaps = 1 WHERE status = 'sealed'");
    expect(gaps.map(({ table }) => table)).toEqual(Array(6).fill("_all_snapshots"));
    const [recorded] = await damageAfter("UPDATE _account_spans SET authentication_key = randomblob(32)");
    expect(recorded).toEqual(damage("_all_snapshots", /^its accounts or their records are not those that were sealed$/));
    expect(await damageAfter("DELETE FROM _listing_modules WHERE name = 'future'")).toEqual([
      damage("_listings", /^\d+ modules are said to be on it, and it has \d+$/),
      damage("_listings", /^its modules have the digest/),
      damage("_all_snapshots", /^\d+ modules are stored, and it has \d+$/),
      damage("_all_snapshots", /^its modules have the digest/),
    ]);
  });

  test.each(sampled(Object.values<TableData>(derivedTables), 8))("finds a row that $name lost", async (table) => {
    expect(await damageAfter(`DELETE FROM ${table.name} WHERE ${firstOf(table)}`)).not.toEqual([]);
  });

  test("names the account", async () => {
    const account = "(SELECT address_id FROM _listings WHERE id = (SELECT max(listing_id) FROM _listing_modules))";
    const [{ address }] = database.prepare(`SELECT address FROM _addresses WHERE id = ${account}`).all() as [{ address: string }];
    const last = "listing_id = (SELECT max(listing_id) FROM _listing_modules)";
    const listed = await damageAfter(`UPDATE _listing_modules SET ${another("bytecode_id", "_bytecodes")} WHERE ${last}`);
    expect(listed).toContainEqual(damage("_listings", /^its modules have the digest/, new RegExp(`^\\d+ \\(account ${address}\\)$`)));
    const begun = await damageAfter(`UPDATE _account_spans SET from_version = from_version + 1 WHERE address_id = ${account}`);
    expect(begun).toContainEqual(damage("_account_spans", /begins at no snapshot of the account/, new RegExp(`^account ${address}$`)));
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
      const steps = verification.run(everything, [judgedRows])[Symbol.asyncIterator]();
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
    await using verification = closing(await openVerification(path));
    return (await Array.fromAsync(verification.run(everything, [judgedRows]))).some(({ damage }) => damage.length > 0);
  } catch (error) {
    if (error instanceof StoreError) return true;
    throw error;
  }
}
