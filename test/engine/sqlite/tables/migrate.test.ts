import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect } from "vitest";
import { watchQueries } from "../../../../src/capabilities/watch/alerts/watches.ts";
import { APPLICATION_ID, openFile } from "../../../../src/core/db/engine/sqlite/open-file.ts";
import { MIGRATIONS, migrateDatabase } from "../../../../src/core/db/engine/sqlite/tables/migrate.ts";
import { openStore } from "../../../../src/core/work/store.ts";
import { sized } from "../../../run-size.ts";
import { addressOf, changeFile, listsOf, NOON, night, rowsOf, runCli, temporaryStore, test } from "../../../support/index.ts";
import { migratedCoverage, migratedRows, olderAlerts, olderCoverage, olderNights, olderTrace } from "../../support/older-rows.ts";

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

  test("turns the JSON of watches and alerts into rows, and keeps what it says and their checksums", async ({ place }) => {
    await using at = await closedStore();
    rmSync(at.path);
    const { texts, uses, sql } = olderAlerts(String);
    byHand(at.path, (raw) => {
      raw.pragma(`application_id = ${APPLICATION_ID}`);
      migrateDatabase(
        raw,
        at.path,
        NOON,
        copyMigrations(place.path, (entries) => entries.slice(0, 3)),
      );
      raw.exec(`INSERT INTO _archive (id, created_by, created_at) VALUES (1, '0', 1); ${sql}`);
    });
    await (await openStore(at.path, { mode: "write", now: () => NOON })).close();
    expect(listsOf(at.path, "SELECT findings FROM alerts ORDER BY alert").flat()).toEqual(texts);
    expect(listsOf(at.path, "SELECT alert, position, item, callers, readers, own_use FROM alert_findings ORDER BY position")).toEqual([
      [1, 0, "withdraw", "breaking", null, "through others"],
      [1, 1, null, null, null, null],
    ]);
    expect(rowsOf(at.path, "SELECT count(*) AS n FROM _deliveries")).toEqual([{ n: 1 }]);
    await using store = await openStore(at.path, { mode: "read" });
    expect(await watchQueries(store.engine).listWatches()).toMatchObject([{ subject: "mine", uses }]);
    expect((await runCli(["verify", "--db", at.path])).stdout).not.toMatch(/_judgements|_watches/);
    changeFile(at.path, "DELETE FROM _judgement_finding_calls; DELETE FROM _watch_uses WHERE kind = 'function'");
    expect((await runCli(["verify", "--db", at.path])).stdout).toMatch(/_judgements.*_watches|_watches.*_judgements/s);
  });

  test("drops what coordinated processes that share a trace, and keeps what they read", async ({ place }) => {
    await using at = await closedStore();
    rmSync(at.path);
    byHand(at.path, (raw) => {
      raw.pragma(`application_id = ${APPLICATION_ID}`);
      const before = copyMigrations(place.path, (entries) => entries.slice(0, 5));
      migrateDatabase(raw, at.path, NOON, before);
      raw.exec(`INSERT INTO _archive (id, created_by, created_at) VALUES (1, '0', 1); ${olderTrace("1")}`);
      migrateDatabase(raw, at.path, NOON);
    });
    expect(listsOf(at.path, "SELECT name, ledger_version FROM _module_probes")).toEqual([["coin", 7]]);
  });

  test("makes one coverage of two, which says of every account and sealed snapshot what they said, and each declaration once", async ({
    place,
  }) => {
    const before = copyMigrations(place.file("before"), (entries) => entries.slice(0, 7));
    let runs = 0;
    fc.assert(
      fc.property(olderNights, (nights) => {
        const path = place.file(`${runs++}.db`);
        byHand(path, (raw) => {
          migrateDatabase(raw, path, NOON, before);
          raw.exec(olderCoverage(nights, ["1", "x''"]));
          migrateDatabase(raw, path, NOON);
        });
        const rows = listsOf(path, "SELECT address_id, from_version, to_version, reads_record FROM _coverage ORDER BY 1, 2");
        expect(rows).toEqual(migratedCoverage(nights));
        for (const [select, found] of migratedRows) expect(listsOf(path, select)).toEqual(found);
      }),
      { numRuns: sized(10, 100) },
    );
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
