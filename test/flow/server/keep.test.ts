import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createSampleLedger, type SimNode, startSimNode } from "../../../sim/index.ts";
import { eachPostgres } from "../../engine/support/postgres-databases.ts";
import { asWords } from "../../support/command/as-words.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { runCli } from "../../support/run-cli.ts";
import { changeFile } from "../../support/store/ask-file.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";
import { twoNights } from "../../support/two-nights.ts";

/** Every file of a directory: its path and its bytes. */
function filesIn(directory: string): Map<string, string> {
  const names = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = names.map((entry) => join(entry.parentPath, entry.name)).sort();
  return new Map(paths.map((path) => [path.slice(directory.length), readFileSync(path).toString("latin1")]));
}

eachPostgres("keeping what a server holds", (open) => {
  const sample = createSampleLedger();
  const place = temporaryDirectory();
  const file = place.file("night.db");
  let node: SimNode;
  let server: string;

  const run = async (...argv: string[]) => {
    const result = await runCli(argv, { clock: new ManualClock() });
    expect([argv.join(" "), result.code, result.stderr]).toEqual([argv.join(" "), 0, expect.any(String)]);
    return result;
  };
  const night = async (database: string) => {
    for (const command of ["sync", "trace"]) await run(command, "--rpc", node.url, "--rate", "0", "--db", database);
  };

  beforeAll(async () => {
    const opened = await open();
    server = opened.url();
    node = await startSimNode({ ledger: sample.ledger });
    for (const database of [file, server]) {
      await run("targets", "add", ...sample.codeAccounts, sample.trader, "--db", database);
      await night(database);
    }
    sample.passDay();
    for (const database of [file, server]) await night(database);
    // How well answers compress follows from the order in which they were asked for.
    changeFile(file, "UPDATE _runs SET bytes_received = 0");
    await opened.prepare("UPDATE movedex._runs SET bytes_received = 0");
  });
  afterAll(() => node?.close());

  test.each(["parquet", "csv", "jsonl", "abi-json", "mv", "ts"])("an export in %s has the same files as one of a file", async (format) => {
    const [ofFile, ofServer] = [place.file(`${format}-file`), place.file(`${format}-server`)];
    await run("export", ofFile, "--db", file, "--format", format);
    await run("export", ofServer, "--db", server, "--format", format);
    const expected = filesIn(ofFile);
    expect(expected.size).toBeGreaterThan(4);
    expect(filesIn(ofServer)).toEqual(expected);
  });

  test("an export grows with the database as one of a file does", async () => {
    const directories = [place.file("grown-file"), place.file("grown-server")] as const;
    const first = /"ledger_version":"?(\d+)/.exec((await run("snapshots", "--json", "--db", file)).stdout)?.[1] as string;
    for (const [i, database] of [file, server].entries()) {
      const directory = directories[i] as string;
      await run("export", directory, "--db", database, "--at", first);
      expect((await run("export", directory, "--db", database, "--json")).json()).toMatchObject({ part: 2 });
      expect((await run("export", directory, "--db", database, "--json")).json()).toMatchObject({ part: null, files: 0 });
    }
    expect(filesIn(directories[1])).toEqual(filesIn(directories[0]));
  });

  /** What one database alone did and heard, which an import leaves behind. */
  const ofOneDatabase = ["horizon_samples", "run_history", "snapshot_sources", "target_accounts"];

  /** The tables of an export, but for those of one database alone. */
  const tablesOf = async (database: string, name: string) => {
    await run("export", place.file(name), "--db", database, "--format", "jsonl");
    const files = filesIn(join(place.file(name), "part-000001"));
    for (const view of ofOneDatabase) expect([view, files.delete(`/${view}.jsonl`)]).toEqual([view, true]);
    return files;
  };

  test("an archive moves between files and servers, and stays what it is", async () => {
    const expected = await tablesOf(file, "moved-original");
    const [first, second] = [(await open()).url(), (await open()).url()];
    const moves: readonly (readonly [from: string, to: string])[] = [
      [file, first],
      [first, place.file("moved.db")],
      [first, second],
    ];
    for (const [i, [from, to]] of moves.entries()) {
      expect((await run("import", from, "--db", to, "--json")).json()).toMatchObject({ snapshots: 2, new_snapshots: 2, findings: 0 });
      expect(await tablesOf(to, `moved-${i}`)).toEqual(expected);
      expect((await run("import", from, "--db", to, "--json")).json()).toMatchObject({
        new_snapshots: 0,
        new_answers: 0,
        new_bytecodes: 0,
      });
    }
    const files = place.file("moved-files");
    await run("export", files, "--db", server, "--format", "mv");
    expect((await run("import", join(files, "part-000001"), "--db", first, "--json")).json()).toMatchObject({ new_bytecodes: 0 });
    const empty = (await open()).url();
    const imported = (await run("import", join(files, "part-000001"), "--db", empty, "--json")).json();
    expect(imported["new_bytecodes"]).toBeGreaterThan(10);
  });

  test("what does not belong together is refused by a server too, and nothing is written", async () => {
    const other = twoNights(3, 1, { chainId: 77 });
    const far = await startSimNode({ ledger: other.ledger });
    const at = await open();
    await run("targets", "add", ...other.addresses, "--db", at.url());
    await run("sync", "--rpc", far.url, "--rate", "0", "--db", at.url());
    await far.close();
    const before = await tablesOf(at.url(), "other-before");
    expect(await runCli(["import", file, "--db", at.url()])).toMatchObject({ code: 4, stderr: expect.stringContaining("chain 77") });
    expect(await tablesOf(at.url(), "other-after")).toEqual(before);
    expect(await runCli(["import", server, "--db", server])).toMatchObject({
      code: 64,
      stderr: expect.stringContaining("cannot be imported into itself"),
    });
    const [version] = /\d+/.exec((await run("snapshots", "--json", "--db", server)).stdout) ?? [];
    const fresh = (await open()).url();
    expect((await run("import", server, "--except", version as string, "--db", fresh, "--json")).json()).toMatchObject({ snapshots: 1 });
  });

  test.each([
    ["_all_snapshots", 6, "`_all_snapshots`: the table is missing"],
    ["_migrations", 1, "holds tables, but not movedex's"],
  ])("a view in place of the table %s, whose rows would not end, is not imported", async (table, code, why) => {
    const at = await open();
    await run("import", file, "--db", at.url());
    const endless = `WITH RECURSIVE more AS (SELECT 1 AS n UNION ALL SELECT n FROM more) SELECT kept.* FROM kept, more`;
    await at.prepare(`SET search_path = movedex; ALTER TABLE ${table} RENAME TO kept; CREATE VIEW ${table} AS ${endless}`);
    const taken = await runCli(["import", at.url(), "--db", place.file(`of${table}.db`)]);
    expect([taken.code, taken.stderr]).toEqual([code, expect.stringContaining(why)]);
  });

  test("verify finds the same in both, sound or damaged, as a whole and in slices", async () => {
    const at = await open();
    const copy = place.file("damaged.db");
    for (const database of [copy, at.url()]) await run("import", file, "--db", database);
    const verified = async (...flags: string[]) => {
      const results = [];
      for (const database of [copy, at.url()]) {
        const { code, json } = await runCli(["verify", "--json", "--limit", "1000", ...flags, "--db", database]);
        const { ok, checked, findings } = json() as { ok: boolean; checked: Record<string, number>; findings: Record<string, string>[] };
        const texts = findings.map(({ table, row, problem }) => `${table} ${row?.replaceAll(/\d+(?= \()/g, "n")}: ${problem}`);
        results.push({ code, ok, checked: { ...checked, tables: 0 }, findings: texts.sort() });
      }
      expect(results[1]).toEqual(results[0]);
      return results[0] as (typeof results)[number];
    };
    expect(await verified()).toMatchObject({ code: 0, ok: true, findings: [] });
    expect(await verified("--slice", "2/3")).toMatchObject({ code: 0, ok: true });
    const changes = [
      "UPDATE _account_spans SET from_version = from_version + 1 WHERE address_id = (SELECT max(address_id) FROM _account_spans)",
      "UPDATE _all_snapshots SET gaps = 1 WHERE ledger_version = (SELECT min(ledger_version) FROM _all_snapshots)",
      "UPDATE _functions SET name = name || 'x' WHERE id = (SELECT max(id) FROM _functions f WHERE f.name = 'mint')",
      "UPDATE _bytecodes SET size = size + 1 WHERE sha256 = (SELECT b.sha256 FROM _bytecodes b ORDER BY b.sha256 LIMIT 1)",
      "DELETE FROM _abi_friends",
      "UPDATE _all_gaps SET message = 'x'",
      "UPDATE _module_probes SET ledger_version = ledger_version + 1000000",
      "UPDATE _addresses SET address = '0x0fee' WHERE id = (SELECT max(address_id) FROM _listing_spans)",
      "DELETE FROM _listing_modules WHERE name = 'coin'",
    ];
    changeFile(copy, ...changes);
    for (const change of changes) await at.prepare(`SET search_path TO movedex; ${change}`);
    const { code, findings } = await verified();
    expect(code).toBe(6);
    for (const table of asWords`_account_spans _all_snapshots functions _bytecodes friends _module_probes _addresses _listings`)
      expect(
        findings.filter((text) => text.startsWith(`${table} `)),
        table,
      ).not.toEqual([]);
  });

  test("rows and views on a server are made again", async () => {
    const at = await open();
    await run("import", file, "--db", at.url());
    await at.prepare("SET search_path TO movedex; UPDATE _functions SET name = name || 'x' WHERE id = 1");
    await at.prepare("SET search_path TO movedex; DROP VIEW findings; CREATE VIEW findings AS SELECT 1 AS kind");
    const { rebuilt } = (await run("verify", "--rebuild", "--json", "--db", at.url())).json() as { rebuilt: number };
    expect(rebuilt).toBeGreaterThan(3);
  });
});
