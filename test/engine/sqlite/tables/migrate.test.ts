import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { describe, expect } from "vitest";
import { openFile } from "../../../../src/engine/sqlite/open-file.ts";
import { APPLICATION_ID } from "../../../../src/engine/sqlite/ownership.ts";
import { schemaDamage } from "../../../../src/engine/sqlite/tables/expected-schema.ts";
import { MIGRATIONS, migrateDatabase, readSchemaState } from "../../../../src/engine/sqlite/tables/migrate.ts";
import { openStore } from "../../../../src/work/store.ts";
import { rowsOf } from "../../../support/store/ask-file.ts";
import { addressOf, NOON, night, temporaryStore } from "../../../support/store/temporary-store.ts";
import { test } from "../../../support/test.ts";

type Journal = { entries: { idx: number; version: string; when: number; tag: string; breakpoints: boolean }[] };

/** The migrations with one more at the end, as the next release would bring. */
function withOneMore(folder: string, statements: readonly string[]): string {
  cpSync(MIGRATIONS, folder, { recursive: true });
  const path = `${folder}/meta/_journal.json`;
  const journal = JSON.parse(readFileSync(path, "utf8")) as Journal;
  const last = journal.entries.at(-1) as Journal["entries"][number];
  journal.entries.push({ ...last, idx: last.idx + 1, when: last.when + 1, tag: "9999_next" });
  writeFileSync(path, JSON.stringify(journal));
  writeFileSync(`${folder}/9999_next.sql`, statements.join("\n--> statement-breakpoint\n"));
  return folder;
}

/** The first migration alone. */
function withTheFirst(folder: string): string {
  cpSync(MIGRATIONS, folder, { recursive: true });
  const path = `${folder}/meta/_journal.json`;
  const { entries, ...rest } = JSON.parse(readFileSync(path, "utf8")) as Journal;
  writeFileSync(path, JSON.stringify({ ...rest, entries: entries.slice(0, 1) }));
  return folder;
}

const rebuildOfAParent = [
  "CREATE TABLE `__new__addresses` (`id` integer PRIMARY KEY NOT NULL, `address` text NOT NULL, `note` text) STRICT;",
  "INSERT INTO `__new__addresses` (`id`, `address`) SELECT `id`, `address` FROM `_addresses`;",
  "DROP TABLE `_addresses`;",
  "ALTER TABLE `__new__addresses` RENAME TO `_addresses`;",
];

describe("migrateDatabase", () => {
  test("keeps a copy of the older database, and the children of a rebuilt table", async ({ place }) => {
    await using at = await temporaryStore();
    await night(at.store, 10n, [[addressOf(1), { sequence: 1n, modules: { coin: "a" } }]]);
    await at.store.close();
    const raw = openFile(at.path, "database", {});
    const folder = withOneMore(place.path, rebuildOfAParent);
    migrateDatabase(raw, at.path, NOON, folder);
    migrateDatabase(raw, at.path, NOON, folder);
    expect(raw.pragma("foreign_keys", { simple: true })).toBe(1);
    raw.close();
    expect(rowsOf(at.path, "SELECT address, note FROM _addresses")).toEqual([{ address: "0x1", note: null }]);
    expect(rowsOf(at.path, "SELECT count(*) AS n FROM _listing_spans")).toEqual([{ n: 1 }]);
    const copies = readdirSync(at.path.replace(/\/[^/]*$/, "")).filter((name) => name.includes(".before-"));
    expect(copies).toEqual(["archive.db.before-20231114T221320Z"]);
    expect(rowsOf(`${at.path}.before-20231114T221320Z`, "SELECT * FROM _addresses")).toEqual([{ id: 1, address: "0x1" }]);
  });

  test("takes over a database whose tables had the names of views to come, with its rows and views", async ({ place }) => {
    await using at = await temporaryStore();
    await at.store.close();
    rmSync(at.path);
    const raw = openFile(at.path, "database", {});
    raw.pragma(`application_id = ${APPLICATION_ID}`);
    migrateDatabase(raw, at.path, NOON, withTheFirst(place.path));
    raw.exec("INSERT INTO addresses (address) VALUES ('0x1'); INSERT INTO archive (id, created_by, created_at) VALUES (1, '0', 1)");
    raw.exec("INSERT INTO bytecodes (id, sha256, size) VALUES (1, zeroblob(32), 9), (2, randomblob(32), 9)");
    raw.exec(`INSERT INTO bytecode_blobs (id, code) VALUES (1, x'28b5'), (2, x'01${"00".repeat(32)}28b52f')`);
    raw.exec("CREATE VIEW gaps AS SELECT * FROM misses");
    raw.exec("CREATE VIRTUAL TABLE search_index USING fts5(words_7, content='', detail=none, columnsize=0)");
    expect(schemaDamage(raw, 1)).toEqual([]);
    raw.close();
    await (await openStore(at.path, { mode: "write", now: () => NOON })).close();
    expect(rowsOf(at.path, "SELECT address FROM _addresses")).toEqual([{ address: "0x1" }]);
    expect(rowsOf(at.path, "SELECT reason FROM gaps")).toEqual([]);
    const packed = [
      { base_id: null, code: "28B5" },
      { base_id: 1, code: "28B52F" },
    ];
    expect(rowsOf(at.path, "SELECT base_id, hex(code) AS code FROM _bytecode_blobs ORDER BY id")).toEqual(packed);
    const made = openFile(at.path, "database", { readonly: true });
    expect(schemaDamage(made, readSchemaState(made, at.path).applied)).toEqual([]);
    made.close();
  });

  test("never writes over an earlier copy", async ({ place }) => {
    await using at = await temporaryStore();
    await at.store.close();
    writeFileSync(`${at.path}.before-20231114T221320Z`, "an earlier copy");
    const raw = openFile(at.path, "database", {});
    migrateDatabase(raw, at.path, NOON, withOneMore(place.path, ["CREATE TABLE `extra` (`id` integer);"]));
    raw.close();
    expect(readFileSync(`${at.path}.before-20231114T221320Z`, "utf8")).toBe("an earlier copy");
    expect(rowsOf(`${at.path}.before-20231114T221320Z-2`, "SELECT count(*) AS n FROM _archive")).toEqual([{ n: 1 }]);
  });

  test("says when rows refer to nothing afterwards", async ({ place }) => {
    await using at = await temporaryStore();
    await night(at.store, 10n, [[addressOf(1), { sequence: 1n, modules: {} }]]);
    await at.store.close();
    const raw = openFile(at.path, "database", {});
    const folder = withOneMore(place.path, ["DELETE FROM `_addresses`;"]);
    expect(() => migrateDatabase(raw, at.path, NOON, folder)).toThrow(expect.objectContaining({ code: "MOVEDEX_STORE_MIGRATION" }));
    raw.close();
  });

  test("refuses a database that a newer movedex migrated, to read and to write", async ({ place }) => {
    await using at = await temporaryStore();
    await at.store.close();
    const raw = openFile(at.path, "database", {});
    migrateDatabase(raw, at.path, NOON, withOneMore(place.path, ["CREATE TABLE `extra` (`id` integer);"]));
    raw.close();
    for (const mode of ["read", "write"] as const) {
      await expect(() => openStore(at.path, { mode, now: () => NOON })).rejects.toThrow(
        expect.objectContaining({ code: "MOVEDEX_STORE_NEWER" }),
      );
    }
  });

  test("tells a database of an unreleased build from a newer one", async () => {
    await using at = await temporaryStore();
    await at.store.close();
    const raw = openFile(at.path, "database", {});
    raw.exec("DELETE FROM __drizzle_migrations WHERE created_at > (SELECT min(created_at) FROM __drizzle_migrations)");
    raw.exec("UPDATE __drizzle_migrations SET created_at = created_at - 1");
    raw.close();
    for (const mode of ["read", "write"] as const) {
      await expect(() => openStore(at.path, { mode, now: () => NOON })).rejects.toThrow(/was made by an unreleased movedex/);
    }
  });

  test("will not migrate a database that is opened to read", async () => {
    await using at = await temporaryStore();
    await at.store.close();
    const raw = openFile(at.path, "database", {});
    raw.exec("DELETE FROM __drizzle_migrations");
    expect(readSchemaState(raw, at.path)).toMatchObject({ applied: 0 });
    raw.close();
    await expect(() => openStore(at.path, { mode: "read" })).rejects.toThrow(expect.objectContaining({ code: "MOVEDEX_STORE_OLDER" }));
  });
});
