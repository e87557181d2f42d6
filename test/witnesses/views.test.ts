import { chmodSync, copyFileSync } from "node:fs";
import Database from "better-sqlite3";
import { beforeAll, describe, expect, test } from "vitest";
import { kinds } from "../../src/core/db/schema/column.ts";
import { tableList } from "../../src/core/db/schema/tables/tables.ts";
import { viewStatements } from "../../src/core/db/schema/view-statements.ts";
import { viewList } from "../../src/core/db/schema/views/views.ts";
import { contractFaults } from "../support/contract.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import { countsOf, makeArchive } from "./archive.ts";
import { missingShell, named, output } from "./programs.ts";

const directory = temporaryDirectory();
const db = directory.file("night.db");
beforeAll(() => makeArchive(db));

describe("the SQL of a file's views", () => {
  test.each(viewStatements("sqlite"))("$name has nothing in it that SQLite 3.37 or DuckDB cannot read", ({ create }) => {
    expect(create).not.toContain("\n");
    // From 3.39 and 3.38 on, and functions of 3.41 and 3.44.
    expect(create).not.toMatch(/IS (?:NOT )?DISTINCT FROM|->|string_agg|unhex|\bconcat\(|\biif\(|unixepoch\(|json_each|movedex_/i);
    // DuckDB gives SQLite its own name for count(*), and does not have the two-argument min and max.
    expect(create).not.toMatch(/count\(\*\)|\b(?:min|max)\([^()]*,/i);
    // An order inside of an aggregate (3.44): of its arguments, not of a question in parentheses or a window.
    expect(create).not.toMatch(/\b(?:group_concat|count|sum|min|max|total|json_group_\w+)\((?:[^()]|\([^()]*\))*\bORDER BY/i);
  });

  test("stands on tables of which no two have the same columns: DuckDB 1.5 takes them for one another", () => {
    const layouts = Map.groupBy(tableList, ({ columns }) =>
      JSON.stringify(Object.entries(columns).map(([name, { kind }]) => [name, kinds[kind].sqlite])),
    );
    const same = [...layouts.values()].filter(({ length }) => length > 1).map((some) => some.map(({ name }) => name));
    expect(same).toEqual([]);
  });

  test("names tables and views of the file alone", () => {
    for (const { create } of viewStatements("sqlite")) expect(create).not.toMatch(/\b(?:FROM|JOIN) (?:pragma_|sqlite_)/i);
  });
});

// One connection for all: SQLite reads the text of all views at each.
let database: Database.Database;
beforeAll(() => {
  database = new Database(db, { readonly: true });
  return () => void database.close();
});

test.each(contractFaults)("%s is as its contract says: %s", (_, question) => {
  expect(database.prepare(question).all()).toEqual([]);
});

test("a number or flag of any view equals its digits as text, by which Datasette's links ask", () => {
  for (const { name, columns } of viewList)
    for (const column of Object.keys(columns).filter((one) => ["int", "version", "bool"].includes(columns[one]?.kind ?? ""))) {
      const value = database.prepare<[], number>(`SELECT ${column} FROM ${name} WHERE ${column} IS NOT NULL LIMIT 1`).pluck().get();
      const asText = database.prepare(`SELECT 1 FROM ${name} WHERE ${column} = ? LIMIT 1`).get(`${value ?? ""}`);
      if (value !== undefined) expect(asText, `${name}.${column}`).toBeDefined();
    }
});

test.skipIf(missingShell)(named("the program sqlite3 finds no fault in a file", missingShell), () => {
  expect(output("sqlite3", ["-readonly", db, "PRAGMA integrity_check(3)"])).toBe("ok\n");
});

const cannotBeOther = missingShell ?? (process.getuid?.() === 0 ? undefined : "not root, so nobody else to be");

describe.skipIf(cannotBeOther)(named("somebody who may only read file and folder", cannotBeOther), () => {
  const question = "SELECT count(*) FROM modules_latest";
  const nobody = { uid: 65_534, gid: 65_534, cwd: "/" } as const;
  const ask = (file: string): number => Number(output("sqlite3", [file, question], nobody));
  const modules = (): number => countsOf(db).get("modules_latest") as number;

  /** A folder with files in it that nobody may write. */
  function readOnly(...suffixes: readonly string[]): ReturnType<typeof temporaryDirectory> {
    const place = temporaryDirectory();
    for (const suffix of suffixes) {
      copyFileSync(db + suffix, place.file(`night.db${suffix}`));
      chmodSync(place.file(`night.db${suffix}`), 0o444);
    }
    chmodSync(place.path, 0o555);
    return place;
  }

  test("reads what a command left", () => {
    using place = readOnly("", "-wal", "-shm");
    expect(ask(place.file("night.db"))).toBe(modules());
  });

  test("reads beside a run, and after one that was killed", () => {
    const run = new Database(db);
    run.exec("INSERT INTO _addresses (address) VALUES ('0xabc')");
    try {
      using place = readOnly("", "-wal", "-shm");
      for (const [path, mode] of [
        [directory.path, 0o555],
        [db, 0o444],
        [`${db}-wal`, 0o444],
        [`${db}-shm`, 0o444],
      ] as const)
        chmodSync(path, mode);
      for (const file of [db, place.file("night.db")])
        expect(output("sqlite3", [file, "SELECT count(*) FROM _addresses WHERE address = '0xabc'"], nobody)).toBe("1\n");
    } finally {
      run.exec("DELETE FROM _addresses WHERE address = '0xabc'");
      run.close();
      chmodSync(directory.path, 0o755);
      chmodSync(db, 0o644);
    }
  });

  test("reads a file alone with `immutable=1`, and not without", () => {
    using place = readOnly("");
    expect(() => ask(place.file("night.db"))).toThrow(/readonly|unable to open/);
    expect(ask(`file:${place.file("night.db")}?immutable=1`)).toBe(modules());
  });
});
