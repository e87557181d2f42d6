import { readdirSync, readFileSync, renameSync } from "node:fs";
import { describe, expect } from "vitest";
import { judgedRows } from "../../../src/capabilities/changes/judge/check-judgements.ts";
import { judgeChanges } from "../../../src/capabilities/changes/judge/judge.ts";
import { searchQueries } from "../../../src/capabilities/search/search.ts";
import { openVerification } from "../../../src/capabilities/verify/verify.ts";
import { derivationQueries } from "../../../src/core/db/archive/content/derive.ts";
import { derivedTables } from "../../../src/core/db/schema/tables/derived.ts";
import { tableList } from "../../../src/core/db/schema/tables/tables.ts";
import { openStore } from "../../../src/core/work/store.ts";
import { changeFile, databaseContent, NOON, rowsOf, runCli, test, valuesOf } from "../../support/index.ts";
import { writeSameNights, writeStartArchive } from "../../support/store/start-archive.ts";

type Row = Record<string, unknown>;

const write = { mode: "write", now: () => NOON } as const;
const everything = { kinds: [], withGone: true, limit: 100 };

/** What the first tables called a table of today. */
const firstName = (name: string): string =>
  ({ _all_snapshots: "pins", _all_gaps: "misses", _all_findings: "disagreements" })[name] ?? name.slice(1);

/** Bytecode of the first tables whose frame follows the version byte 1 and the SHA-256 of an older bytecode. */
const isOnBase = (row: Row): row is { id: number; code: Buffer } => row["code"] instanceof Buffer && row["code"][0] === 1;
const withoutBase = (row: Row): Row => (isOnBase(row) ? { ...row, code: row.code.subarray(33) } : row);

/** The archive of the first tables, opened to write and derived again. */
async function convert(path: string): Promise<void> {
  await using store = await openStore(path, write);
  const underived = await derivationQueries(store.engine).underived();
  expect(underived).toBeGreaterThan(0);
  expect(await derivationQueries(store.engine).derive()).toEqual({ derived: underived, undecodable: 1 });
  await judgeChanges(store.engine);
}

describe("an archive of the first tables", () => {
  test("holds what one of today has of the same nights, once it is opened to write and derived", async ({ place }) => {
    const [path, today] = [writeStartArchive(place.file("start.db")), place.file("today.db")];
    await convert(path);
    await writeSameNights(today);
    const [found, wanted] = [databaseContent(path), databaseContent(today)];
    expect(Object.keys(found)).toEqual(Object.keys(wanted));
    // An alert keeps the severity for callers that it was made with. It is that of what uses the item, since 0.2.0.
    const asWeighed = (rows: unknown): unknown => JSON.parse(JSON.stringify(rows).replaceAll(/(callers\\+"[:,]\\+")\w+/g, "$1"));
    for (const [name, rows] of Object.entries(wanted)) expect(asWeighed(found[name]), name).toEqual(asWeighed(rows));
    const verification = await openVerification(path);
    for await (const { damage } of verification.run({ part: 0, of: 1 }, [judgedRows])) expect(damage).toEqual([]);
    await verification.close();
    const answers = [path, today].map(async (of) => {
      const store = await openStore(of, { mode: "read" });
      const hits = await Promise.all(["e", "coin", "pool", "called"].map((words) => searchQueries(store.engine).search(words, everything)));
      await store.close();
      return hits;
    });
    expect(await answers[0]).toEqual(await answers[1]);
  });

  test("keeps every row that cannot be derived again", async ({ place }) => {
    const path = writeStartArchive(place.file("start.db"));
    const stood = new Set(valuesOf<string>(path, "SELECT name FROM sqlite_schema WHERE type = 'table'"));
    const derived = new Set<string>(Object.values(derivedTables).map(({ name }) => name));
    // Modules are the names that ABIs refer to.
    const kept = tableList.filter(({ name }) => !derived.has(name) && name !== "_modules" && /^_/.test(name) && stood.has(firstName(name)));
    expect(kept.length).toBeGreaterThan(24);
    const before = new Map(kept.map(({ name }) => [name, rowsOf(path, `SELECT * FROM ${firstName(name)}`) as Row[]]));
    expect([...before.values()].filter((rows) => rows.length > 0).length).toBeGreaterThan(15);
    await convert(path);
    // Lists of watches and judgements are rows now. What says how bytecode was derived, and which views there are, is written again, with
    // its checksum.
    const told = ({ derived_by, abi_id, calls_id, views_digest, findings, uses, checksum, ...row }: Row) =>
      views_digest === undefined ? { ...row, ...(checksum === undefined ? {} : { checksum }) } : row;
    // An empty listing has no row any more: where it stands the span says null.
    const isEmpty = ({ modules }: Row) => modules === 0;
    const empty = new Set(
      before
        .get("_listings")
        ?.filter(isEmpty)
        .map(({ id }) => id),
    );
    expect(empty.size).toBeGreaterThan(0);
    for (const { name, columns: today } of kept) {
      const all = before.get(name) ?? [];
      const rows = name === "_listings" ? all.filter((row) => !isEmpty(row)) : all;
      // A seal covers rows that had a checksum of their own.
      const kept = (row: Row) =>
        Object.fromEntries(
          Object.entries(told(row)).flatMap(([column, cell]) =>
            column === "checksum" && !(column in today) ? [] : [[column, column === "listing_id" && empty.has(cell) ? null : cell]],
          ),
        );
      const columns = Object.keys(kept(rows[0] ?? {}));
      const now = columns.length === 0 ? [] : rowsOf(path, `SELECT ${columns} FROM ${name}`);
      expect(now, name).toEqual(rows.map(name === "_bytecode_blobs" ? withoutBase : kept));
    }
    const alerts = (before.get("_judgements") ?? []).filter(({ is_alert }) => is_alert === 1);
    expect(valuesOf(path, "SELECT findings FROM alerts ORDER BY alert")).toEqual(alerts.map(({ findings }) => findings));
    // The digest of an older bytecode that stood before the frame is a reference now, to the same.
    const bases = (before.get("_bytecode_blobs") ?? []).filter(isOnBase).map(({ id, code }) => ({ id, base: code.subarray(1, 33) }));
    expect(bases.length).toBeGreaterThan(0);
    const now = rowsOf(path, "SELECT l.id, b.sha256 AS base FROM _bytecode_blobs l JOIN _bytecodes b ON b.id = l.base_id ORDER BY 1");
    expect(now).toEqual(bases);
  });

  test("what was wrong with it before the upgrade is found after it", async ({ place }) => {
    const path = writeStartArchive(place.file("start.db"));
    changeFile(path, "UPDATE account_spans SET sequence_number = sequence_number || '1' WHERE to_version IS NULL");
    await convert(path);
    expect((await runCli(["verify", "--db", path])).stdout).toMatch(
      /^_all_snapshots \d+: its accounts or their records are not those that were sealed/m,
    );
  });

  test("keeps bytes as they are where the older bytecode that they need is not there", async ({ place }) => {
    const path = writeStartArchive(place.file("start.db"));
    const lost = Buffer.concat([Buffer.of(1), Buffer.alloc(32, 7), Buffer.from("frame")]);
    const { id } = (rowsOf(path, "SELECT * FROM bytecode_blobs") as Row[]).find(isOnBase) ?? expect.fail();
    changeFile(path, `UPDATE bytecode_blobs SET code = x'${lost.toString("hex")}' WHERE id = ${id}`);
    await (await openStore(path, write)).close();
    expect(rowsOf(path, `SELECT code, base_id FROM _bytecode_blobs WHERE id = ${id}`)).toEqual([{ code: lost, base_id: null }]);
  });

  test("keeps people's own views, also those made from movedex's", async ({ place }) => {
    const path = writeStartArchive(place.file("start.db"));
    const own = `CREATE VIEW "my ""own" AS SELECT address, name FROM functions_latest WHERE is_entry`;
    changeFile(path, `${own}; CREATE VIEW _one AS SELECT 1 AS one`);
    const before = rowsOf(path, 'SELECT * FROM "my ""own" ORDER BY 1, 2');
    expect(before.length).toBeGreaterThan(0);
    await convert(path);
    expect(rowsOf(path, 'SELECT * FROM "my ""own" ORDER BY 1, 2')).toEqual(before);
    expect(rowsOf(path, "SELECT one FROM _one")).toEqual([{ one: 1 }]);
    expect(rowsOf(path, `SELECT sql FROM sqlite_schema WHERE name = 'my "own'`)).toEqual([{ sql: own }]);
  });

  test("says what to do where it may only be read, and is left as it is", async ({ place }) => {
    const path = writeStartArchive(place.file("start.db"));
    const bytes = readFileSync(path);
    const older = {
      code: "MOVEDEX_STORE_OLDER",
      message: `\`${path}\` has older tables (1 of 8 migrations), and reading may not change it. Run \`movedex sync\` once, or without a node \`movedex tell\`.`,
    };
    await expect(openStore(path, { mode: "read" })).rejects.toMatchObject(older);
    for (const words of [
      ["search", "coin"],
      ["query", "SELECT count(*) FROM functions_latest"],
    ]) {
      const { code, stdout, stderr } = await runCli([...words, "--db", path]);
      expect([code === 0, stdout, stderr]).toEqual([false, "", expect.stringContaining("Run `movedex sync`")]);
    }
    expect(readdirSync(place.path).filter((name) => name.includes(".before-"))).toEqual([]);
    expect(readFileSync(path)).toEqual(bytes);
    const { code, stderr } = await runCli(["tell", "--db", path]);
    const [copy = ""] = readdirSync(place.path).filter((name) => name.includes(".before-"));
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining(`the database as it was stays as \`${place.file(copy)}\` until you delete it`),
    ]);
    expect(rowsOf(place.file(copy), "SELECT * FROM pins").length).toBe(3);
    expect((await runCli(["query", "SELECT count(*) FROM modules_latest", "--db", path])).stdout).toMatch(/\b16\b/);
  });

  test("is copied and put back as it is, and gives way to newer backups", async ({ place }) => {
    const path = writeStartArchive(place.file("night.db"));
    const seals = rowsOf(path, "SELECT * FROM pins");
    const made = await runCli(["backup", place.file("kept/"), "--db", path]);
    expect([made.code, made.stdout]).toEqual([0, expect.stringContaining("3 sealed snapshots, the newest at ledger version 3456005")]);
    const [name] = readdirSync(place.file("kept"));
    const restored = await runCli(["restore", place.file(`kept/${name}`), "--db", place.file("back.db")]);
    expect([restored.code, restored.stdout]).toEqual([0, expect.stringContaining("checked: pages, references; its tables are older")]);
    expect(rowsOf(place.file("back.db"), "SELECT * FROM pins")).toEqual(seals);
    await convert(path);
    renameSync(place.file(`kept/${name}`), place.file("kept/night-20200101.db"));
    const next = await runCli(["backup", place.file("kept"), "--keep", "1", "--db", path]);
    expect([next.code, next.stderr]).toEqual([0, ""]);
    expect(readdirSync(place.file("kept"))).toEqual([name]);
  });
});
