import { copyFileSync } from "node:fs";
import Database from "better-sqlite3";
import { beforeAll, describe, expect, test } from "vitest";
import { openFile } from "../../../../src/engine/sqlite/open-file.ts";
import { schemaDamage } from "../../../../src/engine/sqlite/tables/expected-schema.ts";
import { openStore } from "../../../../src/work/store.ts";
import { runCli } from "../../../support/run-cli.ts";
import { sealModules } from "../../../support/sealed-modules.ts";
import { temporaryDirectory } from "../../../support/temporary-directory.ts";

describe("the schema of a database", () => {
  const place = temporaryDirectory();
  const whole = place.file("whole.db");
  let applied = 0;
  beforeAll(async () => {
    await sealModules(whole, [{ version: 1n, accounts: { "0x1": [] } }]);
    const database = new Database(whole);
    applied = Number(database.prepare("SELECT count(*) FROM __drizzle_migrations").pluck().get());
    database.close();
  });

  /** A copy of the database after somebody's SQL; `schema` edits the text of the schema itself. */
  function altered(name: string, sql: string, schema = false): string {
    const path = place.file(name);
    copyFileSync(whole, path);
    const database = new Database(path);
    if (schema) {
      database.unsafeMode(true);
      database.pragma("writable_schema = ON");
    }
    database.exec(sql);
    database.close();
    return path;
  }

  const alterations: [what: string, sql: string, found: string, schema?: boolean][] = [
    ["a trigger", "CREATE TRIGGER t AFTER INSERT ON _runs BEGIN DELETE FROM _runs; END", "`t`: movedex makes no such trigger"],
    ["a table", "CREATE TABLE theirs (x)", "`theirs`: movedex makes no such table"],
    ["an index", "CREATE UNIQUE INDEX theirs ON _runs (command)", "`theirs`: movedex makes no such index"],
    [
      "another check",
      "UPDATE sqlite_schema SET sql = replace(sql, ') STRICT', ', CHECK (1)) STRICT') WHERE name = '_runs'; UPDATE sqlite_schema SET sql = rtrim(sql) || ' ' WHERE name = '_runs'",
      "`_runs`: the table is not as movedex made it",
      true,
    ],
    ["a missing table", "DROP TABLE _targets", "`_targets`: the table is missing"],
  ];

  test("of a sound database is what its migrations make", async () => {
    const database = new Database(whole);
    expect(schemaDamage(database, applied)).toEqual([]);
    database.close();
    expect((await runCli(["verify", "--db", whole])).code).toBe(0);
  });

  test.each(alterations)("with %s is refused by verify, backup, restore and import", async (what, sql, found, schema) => {
    const path = altered(`${what}.db`, sql, schema);
    const verified = await runCli(["verify", "--db", path, "--json"]);
    expect([what, verified.code]).toEqual([what, 6]);
    const backup = await runCli(["backup", place.file(`${what}.copy`), "--db", path]);
    expect([what, backup.code, backup.stderr]).toEqual([what, 6, expect.stringContaining(found)]);
    const restored = await runCli(["restore", path, "--db", place.file(`${what}.restored`)]);
    expect([what, restored.code, restored.stderr]).toEqual([what, 6, expect.stringContaining(found)]);
    const imported = await runCli(["import", path, "--db", place.file(`${what}.imported`)]);
    expect([what, imported.code, imported.stderr]).toEqual([what, 6, expect.stringContaining(found)]);
  });

  const endless = "AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS";
  test.each([
    ["a table", `PRAGMA foreign_keys = OFF; DROP TABLE _pins; CREATE VIEW _pins ${endless} ledger_version FROM n`, "is missing"],
    [
      "the list of migrations",
      `DROP TABLE __drizzle_migrations; CREATE VIEW __drizzle_migrations ${endless} created_at FROM n`,
      "its list of migrations is no table",
    ],
  ])("of somebody else with rows without end in the place of %s is refused by restore and import", async (what, sql, found) => {
    const path = altered(`endless ${what}.db`, sql);
    const restored = await runCli(["restore", path, "--db", place.file("endless.restored")]);
    expect([restored.code, restored.stderr]).toEqual([6, expect.stringContaining(found)]);
    const imported = await runCli(["import", path, "--db", place.file("endless.imported")]);
    expect([imported.code, imported.stderr]).toEqual([6, expect.stringContaining(found)]);
  });

  test("may have views of other people, which nothing of movedex reads", async () => {
    const path = altered("views.db", "CREATE VIEW mine AS SELECT 1 AS one");
    expect((await runCli(["verify", "--db", path])).code).toBe(0);
    expect((await runCli(["restore", path, "--db", place.file("with-views.db")])).code).toBe(0);
  });

  test("cannot smuggle a statement in as the name of a view", async () => {
    const evil = `CREATE VIEW "x""; DROP TABLE _targets; --" AS SELECT 1 AS one`;
    const documentation = `INSERT INTO documentation VALUES ('x"; DROP TABLE _targets; --', 'view', 0, 'one', 'integer', 'one');
      UPDATE _archive SET views_digest = 'old'`;
    const path = altered("smuggled.db", `${evil}; ${documentation}`);
    await (await openStore(path, { mode: "write", now: () => 0 })).close();
    const database = new Database(path);
    expect(database.prepare("SELECT name FROM sqlite_schema WHERE name = '_targets'").pluck().get()).toBe("_targets");
    // The name was read, and the view of that very name taken for movedex's own.
    expect(database.prepare("SELECT name FROM sqlite_schema WHERE name LIKE 'x%'").pluck().all()).toEqual([]);
    expect(database.prepare("SELECT count(*) FROM documentation WHERE relation LIKE 'x%'").pluck().get()).toBe(0);
    database.close();
  });

  test("is opened untrusted, and cannot be edited", () => {
    const database = openFile(whole, "database", {});
    expect(database.pragma("trusted_schema", { simple: true })).toBe(0);
    database.pragma("writable_schema = ON");
    expect(() => database.exec("DELETE FROM sqlite_schema")).toThrow("may not be modified");
    database.close();
  });
});
