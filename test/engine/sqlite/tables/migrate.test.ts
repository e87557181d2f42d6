import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import fc from "fast-check";
import { describe, expect } from "vitest";
import { APPLICATION_ID, openFile } from "../../../../src/core/db/engine/sqlite/open-file.ts";
import { MIGRATIONS, migrateDatabase } from "../../../../src/core/db/engine/sqlite/tables/migrate.ts";
import { openStore } from "../../../../src/core/work/store.ts";
import { sized } from "../../../run-size.ts";
import { addressOf, changeFile, NOON, night, rowsOf, temporaryStore, test } from "../../../support/index.ts";
import { type Older, olderArchives, olderCoverage, olderNights } from "../../support/older-rows.ts";

type Journal = { entries: { idx: number; version: string; when: number; tag: string; breakpoints: boolean }[] };

/** A copy of the migrations with another list of them. */
function copyMigrations(folder: string, change: (entries: Journal["entries"]) => Journal["entries"]): string {
  cpSync(MIGRATIONS, folder, { recursive: true });
  const path = `${folder}/meta/_journal.json`;
  const { entries, ...rest } = JSON.parse(readFileSync(path, "utf8")) as Journal;
  writeFileSync(path, JSON.stringify({ ...rest, entries: change(entries) }));
  return folder;
}

/** The migrations with one more at the end, as the next release would bring. */
function withOneMore(folder: string, ...statements: readonly string[]): string {
  const next = ({ idx, when, ...last }: Journal["entries"][number]) => ({ ...last, idx: idx + 1, when: when + 1, tag: "9999_next" });
  copyMigrations(folder, (entries) => [...entries, ...entries.slice(-1).map(next)]);
  writeFileSync(`${folder}/9999_next.sql`, statements.join("\n--> statement-breakpoint\n"));
  return folder;
}

/** Works on a database's file by hand. */
function byHand(path: string, work: (raw: ReturnType<typeof openFile>) => void): void {
  const raw = openFile(path, "database", {});
  try {
    work(raw);
  } finally {
    raw.close();
  }
}

/** A new database, closed: empty, or with a night of one account. */
async function closedStore(modules?: Readonly<Record<string, string>>) {
  const at = await temporaryStore();
  if (modules !== undefined) await night(at.engine, 10n, [[addressOf(1), { sequence: 1n, modules }]]);
  await at.close();
  return at;
}

const anotherTable = "CREATE TABLE `extra` (`id` integer);";
const rebuildOfAParent = [
  "CREATE TABLE `__new__addresses` (`id` integer PRIMARY KEY NOT NULL, `address` text NOT NULL, `note` text) STRICT;",
  "INSERT INTO `__new__addresses` (`id`, `address`) SELECT `id`, `address` FROM `_addresses`;",
  "DROP TABLE `_addresses`;",
  "ALTER TABLE `__new__addresses` RENAME TO `_addresses`;",
];

describe("migrateDatabase", () => {
  test("keeps a copy of the older database, and the children of a rebuilt table", async ({ place }) => {
    await using at = await closedStore({ coin: "a" });
    const folder = withOneMore(place.path, ...rebuildOfAParent);
    byHand(at.path, (raw) => {
      for (let times = 0; times < 2; times++) migrateDatabase(raw, at.path, NOON, folder);
      expect(raw.pragma("foreign_keys", { simple: true })).toBe(1);
    });
    expect(rowsOf(at.path, "SELECT address, note FROM _addresses")).toEqual([{ address: "0x1", note: null }]);
    expect(rowsOf(at.path, "SELECT count(*) AS n FROM _listing_spans")).toEqual([{ n: 1 }]);
    const copies = readdirSync(at.path.replace(/\/[^/]*$/, "")).filter((name) => name.includes(".before-"));
    expect(copies).toEqual(["archive.db.before-20231114T221320Z"]);
    expect(rowsOf(`${at.path}.before-20231114T221320Z`, "SELECT * FROM _addresses")).toEqual([{ id: 1, address: "0x1" }]);
  });

  const words = { time: String, now: "1", noBytes: "x''" };
  async function expectMigrated(path: string, { migrations, rows, check }: Older): Promise<void> {
    byHand(path, (raw) => {
      raw.pragma(`application_id = ${APPLICATION_ID}`);
      const before = copyMigrations(`${path}.migrations`, (entries) => entries.slice(0, migrations));
      migrateDatabase(raw, path, NOON, before);
      raw.exec(`INSERT INTO _archive (id, created_by, created_at) VALUES (1, '0', 1); ${rows(words)}`);
    });
    await using store = await openStore(path, { mode: "write", now: () => NOON });
    await check(store.engine);
  }

  test.for(olderArchives)("%s", ([, older], { place }) => expectMigrated(place.file("older.db"), older));

  test("makes one coverage of two, which says of every account and sealed snapshot what they said, and each declaration once", async ({
    place,
  }) => {
    let runs = 0;
    const property = fc.asyncProperty(olderNights, (nights) => expectMigrated(place.file(`${runs++}.db`), olderCoverage(nights)));
    await fc.assert(property, { numRuns: sized(4, 30) });
  });

  test("lets others see people's views all the while, so that being killed loses none", async ({ place }) => {
    await using at = await closedStore();
    changeFile(at.path, "CREATE VIEW mine AS SELECT 1 AS one");
    const seen: unknown[] = [];
    byHand(at.path, (raw) => {
      raw.function("look", () => seen.push(rowsOf(at.path, "SELECT one FROM mine")));
      migrateDatabase(raw, at.path, NOON, withOneMore(place.path, "SELECT look();"));
    });
    expect([...seen, rowsOf(at.path, "SELECT one FROM mine")]).toEqual([[{ one: 1 }], [{ one: 1 }]]);
  });

  test("never writes over an earlier copy", async ({ place }) => {
    await using at = await closedStore();
    writeFileSync(`${at.path}.before-20231114T221320Z`, "an earlier copy");
    byHand(at.path, (raw) => migrateDatabase(raw, at.path, NOON, withOneMore(place.path, anotherTable)));
    expect(readFileSync(`${at.path}.before-20231114T221320Z`, "utf8")).toBe("an earlier copy");
    expect(rowsOf(`${at.path}.before-20231114T221320Z-2`, "SELECT count(*) AS n FROM _archive")).toEqual([{ n: 1 }]);
  });

  test("leaves no copy where it fails, and none of a run that was killed while it copied", async ({ place }) => {
    await using at = await closedStore({});
    const copies = () => readdirSync(dirname(at.path)).filter((name) => name.includes(".before"));
    writeFileSync(`${at.path}.before.part`, "half a copy");
    const failing = withOneMore(place.file("failing"), anotherTable, "SELECT nonsense;");
    for (let night = 0; night < 2; night++) expect(() => byHand(at.path, (raw) => migrateDatabase(raw, at.path, NOON, failing))).toThrow();
    expect(copies()).toEqual([]);
    byHand(at.path, (raw) => migrateDatabase(raw, at.path, NOON, withOneMore(place.file("next"), anotherTable)));
    expect(copies()).toHaveLength(1);
  });

  test("says when rows refer to nothing afterwards", async ({ place }) => {
    await using at = await closedStore({});
    const folder = withOneMore(place.path, "DELETE FROM `_addresses`;");
    const migrating = () => byHand(at.path, (raw) => migrateDatabase(raw, at.path, NOON, folder));
    expect(migrating).toThrow(expect.objectContaining({ code: "MOVEDEX_STORE_MIGRATION" }));
  });

  test("refuses a database that a newer movedex migrated, to read and to write", async ({ place }) => {
    await using at = await closedStore();
    byHand(at.path, (raw) => migrateDatabase(raw, at.path, NOON, withOneMore(place.path, anotherTable)));
    for (const mode of ["read", "write"] as const)
      await expect(openStore(at.path, { mode, now: () => NOON })).rejects.toMatchObject({ code: "MOVEDEX_STORE_NEWER" });
  });
});
