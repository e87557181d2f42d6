import { copyFileSync, rmSync } from "node:fs";
import Database from "better-sqlite3";
import { beforeAll, describe, expect, test } from "vitest";
import { probeQueries } from "../../../../src/capabilities/trace/probes.ts";
import { capabilityTables } from "../../../../src/capability-tables.ts";
import { APPLICATION_ID, openFile } from "../../../../src/core/db/engine/sqlite/open-file.ts";
import { compareSchema } from "../../../../src/core/db/engine/sqlite/tables/expected-schema.ts";
import { openStore } from "../../../../src/core/work/store.ts";
import { runCli, sealModules, temporaryDirectory, valuesOf } from "../../../support/index.ts";

describe("the schema of a database", () => {
  const place = temporaryDirectory();
  const whole = place.file("whole.db");
  let applied = 0;
  beforeAll(async () => {
    await sealModules(whole, [{ version: 1n, accounts: { "0x1": [] } }]);
    applied = valuesOf<number>(whole, "SELECT count(*) FROM __drizzle_migrations")[0] ?? 0;
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

  const expectRefused = async (found: string, ...argv: readonly string[]) => {
    const { code, stderr } = await runCli(argv);
    expect([code, stderr]).toEqual([6, expect.stringContaining(found)]);
  };

  const alterations: [what: string, sql: string, found: string, schema?: boolean][] = [
    ["a trigger", "CREATE TRIGGER t AFTER INSERT ON _runs BEGIN DELETE FROM _runs; END", "`t`: movedex makes no such trigger"],
    ["a table that works things out", "CREATE TABLE theirs (x, y AS (x + 1))", "`theirs`: movedex makes no such table: it works"],
    ["a virtual table", "CREATE VIRTUAL TABLE theirs USING fts5(x)", "`theirs`: movedex makes no such table: it works"],
    ["a table with a check", "CREATE TABLE theirs (x CHECK (x > 1))", "`theirs`: movedex makes no such table: it works"],
    ["an index", "CREATE UNIQUE INDEX theirs ON _runs (command)", "`theirs`: movedex makes no such index: it refuses rows"],
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
    expect(compareSchema(database, applied)).toEqual({ damage: [], added: [] });
    database.close();
    expect((await runCli(["verify", "--db", whole])).code).toBe(0);
  });

  test.each(alterations)("with %s is refused by verify, backup, restore and import", async (what, sql, found, schema) => {
    const path = altered(`${what}.db`, sql, schema);
    expect((await runCli(["verify", "--db", path, "--json"])).code).toBe(6);
    await expectRefused(found, "backup", place.file(`${what}.copy`), "--db", path);
    await expectRefused(found, "restore", path, "--db", place.file(`${what}.restored`));
    await expectRefused(found, "import", path, "--db", place.file(`${what}.imported`));
  });

  const slow = "instr(hex(zeroblob(2000000)), hex(zeroblob(500000)) || '1')";
  const endless = "AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS";
  const places: typeof alterations = [
    [
      "a table",
      `PRAGMA foreign_keys = OFF; DROP TABLE _all_snapshots; CREATE VIEW _all_snapshots ${endless} ledger_version FROM n`,
      "`_all_snapshots`: the table is missing",
    ],
    ["other columns in", "PRAGMA foreign_keys = OFF; DROP TABLE _targets; CREATE TABLE _targets (a)", "`_targets`: the table is not as"],
    ["a column that is computed in", "ALTER TABLE _runs ADD COLUMN x integer AS (1 + 1)", "`_runs`: the table is not as movedex made it"],
    [
      "a trigger at",
      `CREATE VIEW n ${endless} i FROM n; CREATE TRIGGER t AFTER INSERT ON _RUNS BEGIN SELECT max(i) FROM n; END`,
      "`t`: movedex makes no such trigger",
    ],
    [
      "a trigger of the name of a table after it",
      "CREATE TRIGGER _targets AFTER INSERT ON _runs BEGIN DELETE FROM _runs; END; UPDATE sqlite_schema SET rowid = rowid + 9999 WHERE tbl_name = '_targets'",
      "`_targets`: movedex makes no such trigger",
      true,
    ],
    [
      "the list of migrations",
      `DROP TABLE __drizzle_migrations; CREATE VIEW __drizzle_migrations ${endless} created_at FROM n`,
      "its list of migrations is not as movedex made it",
    ],
    [
      "the list of migrations, in capitals,",
      `DROP TABLE __drizzle_migrations; CREATE VIEW __DRIZZLE_MIGRATIONS ${endless} created_at FROM n`,
      "its list of migrations is not as movedex made it",
    ],
    [
      "the times of migrations",
      `DROP TABLE __drizzle_migrations; CREATE TABLE __drizzle_migrations (hash, created_at AS (${slow}))`,
      "its list of migrations is not as movedex made it",
    ],
    [
      "the documentation of a file without a list of migrations",
      `DROP TABLE __drizzle_migrations; DROP TABLE documentation; CREATE VIEW documentation ${endless} relation, 'view' AS kind FROM n`,
      "its list of migrations is missing",
    ],
    ["numbers in an index of", `CREATE INDEX hx1 ON _Runs (${slow})`, "`hx1`: movedex makes no such index"],
    [
      "a table that refers to",
      `CREATE TABLE theirs (i integer, x integer AS (${slow}) REFERENCES _All_Snapshots (ledger_version) ON DELETE CASCADE)`,
      "`theirs`: movedex makes no such table",
    ],
    ["an index of some rows of", `CREATE INDEX hx1 ON _targets (depth) WHERE depth > 1`, "`hx1`: movedex makes no such index"],
    [
      "an index of movedex's own name of",
      `DROP INDEX called_functions_by_name; CREATE INDEX called_functions_by_name ON _runs (${slow})`,
      "`called_functions_by_name`: the index is not as movedex made it",
    ],
  ];

  test.each(places)(
    "of somebody else with rows without end in the place of %s is refused at every door",
    async (what, sql, found, schema) => {
      const path = altered(`endless ${what}.db`, sql, schema);
      for (const words of [["status"], ["verify"], ["targets", "add", "0x1"]]) await expectRefused(found, ...words, "--db", path);
      await expectRefused(found, "restore", path, "--db", place.file("endless.restored"));
      // Every command goes through one of these doors.
      if (what !== "a table") return;
      for (const words of [
        ["query", "SELECT 1", "--timeout", "1h"],
        ["backup", place.file("endless.copy")],
        ["sync", "--rpc", "http://127.0.0.1:1/v1"],
        ["serve"],
      ])
        await expectRefused(found, ...words, "--db", path);
      await expectRefused(found, "import", path, "--db", place.file("endless.imported"));
    },
  );

  test("that was harmless when it was made is read no further by verify, nor are its rows made again", async () => {
    const made = "CREATE TABLE theirs (x); INSERT INTO theirs VALUES (1), (2); CREATE INDEX hx1 ON theirs (abs(x))";
    const path = altered(
      "harmless.db",
      `${made}; UPDATE sqlite_schema SET sql = replace(sql, 'abs(x)', '${slow.replaceAll("'", "''")}')`,
      true,
    );
    const { code, stdout } = await runCli(["verify", "--db", path]);
    expect([code, stdout]).toEqual([
      6,
      expect.stringContaining("hx1: movedex makes no such index: it works something out for each row; nothing else"),
    ]);
    await expectRefused(
      "`hx1`: movedex makes no such index: it works something out for each row. Take back",
      "verify",
      "--rebuild",
      "--db",
      path,
    );
  });

  test("that has lost its list of migrations is not taken for a new one, and keeps people's views", async () => {
    const path = altered("lost.db", "PRAGMA foreign_keys = OFF; DROP TABLE __drizzle_migrations");
    await expectRefused("its list of migrations is missing", "status", "--db", path);
    const empty = altered("empty.db", "SELECT 1");
    rmSync(empty);
    const database = new Database(empty);
    database.pragma(`application_id = ${APPLICATION_ID}`);
    database.exec("CREATE VIEW other AS SELECT 1 AS one; CREATE VIEW documentation AS SELECT 'other' AS relation, 'view' AS kind");
    database.close();
    await expectRefused("its list of migrations is missing", "targets", "add", "0x1", "--db", empty);
    expect(valuesOf(empty, "SELECT one FROM other")).toEqual([1]);
  });

  test("may have indexes of other people that only order columns, and is backed up and restored with them", async () => {
    const path = altered("indexed.db", "CREATE INDEX theirs ON _runs (command COLLATE NOCASE DESC)");
    const copy = place.file("indexed.copy.db");
    for (const words of [
      ["targets", "add", "0x1", "--db", path],
      ["verify", "--db", path],
      ["backup", copy, "--db", path],
      ["restore", copy, "--db", place.file("indexed.restored.db")],
    ])
      expect(await runCli(words), words.join(" ")).toMatchObject({ code: 0, stderr: expect.not.stringContaining("theirs") });
    expect(valuesOf(place.file("indexed.restored.db"), "SELECT name FROM sqlite_schema WHERE name = 'theirs'")).toEqual(["theirs"]);
  });

  test("may have plain tables of other people, with indexes, references and triggers of their own; verify says so", async () => {
    const made = `CREATE TABLE notes (id integer PRIMARY KEY, text UNIQUE); CREATE TABLE tags (note REFERENCES notes (id), tag DEFAULT (1 + 1));
      CREATE UNIQUE INDEX one_tag ON tags (note, tag); INSERT INTO tags VALUES (7, 'x'); CREATE VIEW mine AS SELECT * FROM notes;
      CREATE TRIGGER t AFTER INSERT ON notes BEGIN INSERT INTO tags (note) VALUES (new.id); END;
      CREATE TRIGGER v INSTEAD OF INSERT ON mine BEGIN INSERT INTO notes VALUES (new.id, new.text); END`;
    const path = altered("noted.db", `PRAGMA foreign_keys = OFF; ${made}`);
    const [copy, restored] = [place.file("noted.copy.db"), place.file("noted.restored.db")];
    for (const words of [
      ["targets", "add", "0x1", "--db", path],
      ["backup", copy, "--db", path],
      ["restore", copy, "--db", restored],
    ])
      expect(await runCli(words), words.join(" ")).toMatchObject({ code: 0 });
    const verified = await runCli(["verify", "--db", restored]);
    expect(verified).toMatchObject({ code: 0, stderr: expect.stringContaining("2 tables of others in the file, let be: notes, tags") });
    expect(valuesOf(restored, "SELECT tag FROM tags")).toEqual(["x"]);
    const held = altered("held.db", "CREATE TABLE theirs (a REFERENCES _addresses (id))");
    const { code, stderr } = await runCli(["backup", place.file("held.copy"), "--db", held]);
    expect([code, stderr]).toEqual([6, expect.stringMatching(/somebody has added .* `theirs`: .* foreign key keeps .* \(`DROP TABLE`\)/)]);
    expect(stderr).not.toMatch(/damaged/);
    expect(await runCli(["verify", "--db", held])).toMatchObject({ code: 6, stderr: expect.not.stringContaining("let be") });
  });

  test("that was made without a capability gets its tables from who writes; where they were dropped, they are missing", async () => {
    const tables = Object.values(capabilityTables).flatMap((some) => Object.values(some).map(({ name }) => name));
    const drops = tables.toReversed().map((name) => `DROP TABLE ${name}`);
    const isBrought = `name IN ('${tables.join("', '")}')`;
    const path = altered("without.db", [...drops, `DELETE FROM documentation WHERE ${isBrought.replace("name", "relation")}`].join("; "));
    for (const mode of ["read", "join"] as const)
      await expect(openStore(path, { mode })).rejects.toMatchObject({ code: "MOVEDEX_STORE_OLDER" });
    await (await openStore(path, { mode: "write", now: () => 0 })).close();
    const texts = `SELECT sql FROM sqlite_schema WHERE tbl_${isBrought} ORDER BY name`;
    expect(valuesOf(path, texts)).toEqual(valuesOf(whole, texts));
    await expectRefused("`: the table is missing", "verify", "--db", altered("dropped.db", drops.join("; ")));
  });

  test("whose public view has the name of a person's is refused, and that view stays", async () => {
    const path = altered(
      "taken.db",
      "DROP VIEW functions_latest; CREATE VIEW Functions_latest AS SELECT 1 AS one; DELETE FROM documentation WHERE relation = 'functions_latest'; UPDATE _archive SET views_digest = 'old'",
    );
    const { code, stderr } = await runCli(["targets", "add", "0x1", "--db", path]);
    expect([code, stderr]).toEqual([1, expect.stringContaining("has a view `Functions_latest` of somebody's, and this version")]);
    expect(valuesOf(path, "SELECT one FROM functions_latest")).toEqual([1]);
    expect((await runCli(["verify", "--rebuild", "--db", path])).stderr).not.toContain("of somebody's");
  });

  test("may have other views in the place of ours, past which changes are read", async () => {
    await using store = await openStore(altered("past.db", "DROP VIEW module_changes; DROP VIEW key_rotations"), { mode: "read" });
    expect(await probeQueries(store.engine).openChanges({})).toEqual([]);
  });

  test("cannot smuggle a statement in as the name of a view", async () => {
    const evil = `CREATE VIEW "x""; DROP TABLE _targets; --" AS SELECT 1 AS one`;
    const documentation = `INSERT INTO documentation VALUES ('x"; DROP TABLE _targets; --', 'view', 0, 'one', 'integer', 'one');
      UPDATE _archive SET views_digest = 'old'`;
    const path = altered("smuggled.db", `${evil}; ${documentation}`);
    await (await openStore(path, { mode: "write", now: () => 0 })).close();
    expect(valuesOf(path, "SELECT name FROM sqlite_schema WHERE name = '_targets'")).toEqual(["_targets"]);
    // The name was read, and the view of that very name taken for movedex's own.
    expect(valuesOf(path, "SELECT name FROM sqlite_schema WHERE name LIKE 'x%'")).toEqual([]);
    expect(valuesOf(path, "SELECT relation FROM documentation WHERE relation LIKE 'x%'")).toEqual([]);
  });

  test("is opened untrusted, and cannot be edited", () => {
    const database = openFile(whole, "database", {});
    expect(database.pragma("trusted_schema", { simple: true })).toBe(0);
    database.pragma("writable_schema = ON");
    expect(() => database.exec("DELETE FROM sqlite_schema")).toThrow("may not be modified");
    database.close();
  });
});
