import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { describe, expect } from "vitest";
import { openPostgres } from "../../src/capabilities/postgresql/open-server.ts";
import { migratePostgres } from "../../src/capabilities/postgresql/tables/migrate.ts";
import { capabilityTables } from "../../src/capability-tables.ts";
import { closing } from "../../src/core/base/async.ts";
import { packageFile } from "../../src/core/base/files.ts";
import { readMigrations } from "../../src/core/db/engine/migrations.ts";
import { openFile } from "../../src/core/db/engine/sqlite/open-file.ts";
import { migrateDatabase } from "../../src/core/db/engine/sqlite/tables/migrate.ts";
import { referencesOf } from "../../src/core/db/schema/table.ts";
import { broughtTables, tableList } from "../../src/core/db/schema/tables/tables.ts";
import { openStore } from "../../src/core/work/store.ts";
import { eachPostgres } from "../engine/support/postgres-databases.ts";
import { test, valuesOf } from "../support/index.ts";

const brought = broughtTables.map(({ name }) => name);
const ENGINES = ["sqlite", "postgresql"] as const;
const write = { mode: "write", now: () => 0, appVersion: "0" } as const;

/** The migrations with some more at the end, by their names. */
function withMore(folder: string, engine: (typeof ENGINES)[number], more: Readonly<Record<string, string>>): string {
  cpSync(packageFile(`migrations/${engine}`), folder, { recursive: true });
  const path = `${folder}/meta/_journal.json`;
  const { entries, ...rest } = JSON.parse(readFileSync(path, "utf8"));
  for (const [tag, text] of Object.entries(more)) {
    writeFileSync(`${folder}/${tag}.sql`, text);
    entries.push({ ...entries.at(-1), idx: entries.length, when: entries.at(-1).when + 1, tag });
  }
  writeFileSync(path, JSON.stringify({ ...rest, entries }));
  return folder;
}

/** A new table, and two changes of one that is there: the second finds the name that the first gives it. */
const MORE = {
  "0008_of_watch_notes": 'CREATE TABLE "_notes" (id bigint)',
  "0009_of_watch_names": 'ALTER TABLE "_watches" RENAME TO "_named"',
  "0010_of_watch_colors": 'ALTER TABLE "_named" ADD color text',
};
const forget = `${brought
  .toReversed()
  .map((name) => `DROP TABLE ${name} CASCADE`)
  .join("; ")}; DELETE FROM documentation WHERE relation IN ('${brought.join("', '")}')`;

describe("tables that capabilities bring", () => {
  test("are referred to by no table of the core", () => {
    const references = tableList.filter(({ name }) => !brought.includes(name)).flatMap(referencesOf);
    expect(references.length).toBeGreaterThan(40);
    expect(references.filter(({ parent }) => brought.includes(parent))).toEqual([]);
  });

  test.for(ENGINES)("come with migrations of their own that bear the capability's name, but for the first eight: %s", (engine) => {
    const changed = /\b(?:TABLE|UPDATE|INTO|DELETE FROM|INDEX \S+ ON) ["`]?(?:__new_)?(\w+)/g;
    const wrong = readMigrations(packageFile(`migrations/${engine}`)).filter(({ tag, text }) => {
      const names = Array.from(text.matchAll(changed), ([, name = ""]) => name);
      const owners = Object.keys(capabilityTables).filter((owner) =>
        Object.values(capabilityTables[owner] ?? {}).some(({ name }) => names.includes(name)),
      );
      return owners.length > 1 || owners.some((owner) => !tag.slice(5).startsWith(`of_${owner}_`));
    });
    expect(wrong.map(({ tag }) => tag.slice(0, 4)).filter((number) => number > "0007")).toEqual([]);
    expect(wrong.length).toBeGreaterThan(3);
  });

  test("get nothing of these migrations in a file that was made without them", async ({ place }) => {
    const [path, folder] = [place.file("night.db"), withMore(place.file("migrations"), "sqlite", MORE)];
    await (await openStore(path, write)).close();
    const migrate = (before: string): string[] => {
      const copy = place.file(`${before.length}.db`);
      cpSync(path, copy);
      const raw = openFile(copy, "database", {});
      raw.exec(before);
      migrateDatabase(raw, copy, 0, folder);
      raw.close();
      expect(valuesOf(copy, "SELECT count(*) FROM __drizzle_migrations")).toEqual([11]);
      return valuesOf(copy, "SELECT name FROM sqlite_schema WHERE name IN ('_notes', '_named', '_watches') OR sql LIKE '%color%'");
    };
    expect(migrate("")).toEqual(["_named"]);
    expect(migrate(`PRAGMA foreign_keys = OFF; ${forget.replaceAll(" CASCADE", "")}`)).toEqual([]);
  });
});

eachPostgres("tables that capabilities bring", (open) => {
  test("get nothing of these migrations in a schema that was made without them", async ({ place }) => {
    const folder = withMore(place.file("migrations"), "postgresql", MORE);
    for (const [before, tables] of [
      ["SELECT 1", [["_named"]]],
      [`SET search_path TO movedex; ${forget}`, []],
    ] as const) {
      const at = await open();
      await using engine = closing(await openPostgres(at.url(), write));
      await at.prepare(before);
      await migratePostgres(engine, { schema: "movedex", label: "it", now: 0, appVersion: "0" }, folder);
      expect(await at.rows("SELECT count(*)::int FROM movedex._migrations")).toEqual([[11]]);
      expect(
        await at.rows(
          "SELECT DISTINCT table_name::text FROM information_schema.columns WHERE table_name IN ('_notes', '_named', '_watches')",
        ),
      ).toEqual(tables);
    }
  });
});
