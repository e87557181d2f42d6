import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createSampleLedger, type SimNode, startSimNode } from "../../../sim/index.ts";
import { recipeValues } from "../../../src/capabilities/cookbook/recipe-values.ts";
import { recipes } from "../../../src/capabilities/cookbook/recipes/cookbook.ts";
import { databaseAt } from "../../../src/core/db/engine/database-at.ts";
import type { SqlSession } from "../../../src/core/db/engine/sql-session.ts";
import { viewList } from "../../../src/core/db/schema/views/views.ts";
import { eachPostgres, type TestDatabase } from "../../engine/support/postgres-databases.ts";
import { sized } from "../../run-size.ts";
import { asWords, changeFile, ManualClock, runCli, runProcess, temporaryDirectory } from "../../support/index.ts";
import { OF_RUNS, rowsOf } from "./public-rows.ts";

const differing: ReadonlySet<string> = new Set([...OF_RUNS, "judged_at", "removed_at"]);
const rows = (door: SqlSession, sql: string, parameters: Readonly<Record<string, string | bigint>> = {}) =>
  rowsOf(door, sql, differing, parameters);

/** Every file of a directory: its path and its bytes. */
function filesIn(directory: string): Map<string, string> {
  const names = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = names.map((entry) => join(entry.parentPath, entry.name)).sort();
  return new Map(paths.map((path) => [path.slice(directory.length), readFileSync(path).toString("latin1")]));
}

eachPostgres("a file and a server", (open) => {
  const sample = createSampleLedger();
  const place = temporaryDirectory();
  const file = place.file("night.db");
  let node: SimNode;
  let server: string;
  let at: TestDatabase;
  let doors: { readonly file: SqlSession; readonly server: SqlSession };
  const grid = ["--every", "200000", "--from", "2600000", "--to", "3400000", "--max-inferred", "any"];
  const both = async (...argv: string[]) => {
    const results = [];
    for (const database of [file, server])
      results.push(await runCli([...argv, "--db", database], { clock: new ManualClock({ skipSleeps: true }) }));
    return results as [Awaited<ReturnType<typeof runCli>>, Awaited<ReturnType<typeof runCli>>];
  };

  beforeAll(async () => {
    at = await open();
    server = at.url();
    node = await startSimNode({ ledger: sample.ledger });
    const done = async (...argv: string[]) => {
      for (const { code, stderr } of await both(...argv)) expect(code, `${argv.join(" ")}: ${stderr}`).toBe(0);
    };
    await done("targets", "add", ...sample.codeAccounts, sample.trader);
    // One account at a time: whether one without modules is asked about again goes by who ends first.
    await done("sync", "--rpc", node.url, "--rate", "0", "--concurrency", "1");
    await done("watch", "add", sample.codeAccounts[2] as string, "0x1::coin::transfer", "--level", "any");
    await done("watch", "add", sample.codeAccounts[1] as string, "--for", "readers", "--level", "dangerous");
    await done("watch", "remove", "2");
    sample.passDay();
    await done("sync", "--rpc", node.url, "--rate", "0", "--concurrency", "1");
    await done("trace", "--rpc", node.url, "--rate", "0", "--concurrency", "8");
    await done("backfill", ...grid, "--rpc", node.url, "--rate", "0");
    doors = { file: await databaseAt(file).openToQuery(), server: await databaseAt(server).openToQuery() };
  });
  afterAll(async () => {
    await doors?.file.close();
    await doors?.server.close();
    await node?.close();
  });

  test("hold the same rows in every public view, digests included", async () => {
    for (const { name } of viewList) {
      const [ofFile, ofServer] = [await rows(doors.file, `SELECT * FROM ${name}`), await rows(doors.server, `SELECT * FROM ${name}`)];
      expect(ofServer.sort(), name).toEqual(ofFile.sort());
    }
    for (const name of asWords`
      snapshots module_changes functions_at type_uses_at error_codes_at key_rotations horizon_samples watch_list alerts
      backfill accounts_inferred modules_inferred
    `)
      expect(await rows(doors.file, `SELECT * FROM ${name} LIMIT 1`), name).toHaveLength(1);
  });

  test("plan the same, without a lock", async () => {
    const words = ["--every", "100000", "--from", "2600000", "--to", "3400000", "--max-inferred", "any", "--rpc", node.url, "--rate", "0"];
    const [ofFile, ofServer] = await both("backfill", ...words, "--dry-run", "--json");
    expect([ofFile.code, ofServer.code, ofServer.stderr]).toEqual([0, 0, ""]);
    expect(ofServer.json()).toEqual(ofFile.json());
    expect(ofFile.json()["requests"]).toBeGreaterThan(0);
  });

  test("a sample is read again without asking a connection for two things at once", async () => {
    const argv = ["bin/movedex.mjs", "verify", "--db", server, "--against", node.url, "--rate", "0", "--sample", "20"];
    const env = { ...process.env, NODE_OPTIONS: "--throw-deprecation" };
    const { code, stderr } = await runProcess(process.execPath, argv, { env });
    expect([code, stderr]).toEqual([0, expect.not.stringContaining("Deprecation")]);
  });

  test.each([
    "delete from snapshots",
    "select * from nothing_here",
    "select nothing_here from snapshots",
    "selec 1",
    "select (1",
    "select 1,",
  ])("say alike why they do not answer: %s", async (statement) => {
    const said = async (door: SqlSession): Promise<string> =>
      await door.query(statement).then(
        () => "nothing",
        (error: Error) => error.message,
      );
    // As a reader: what movedex itself asks on a server is not judged.
    expect(await said(doors.server)).toBe(await said(doors.file));
  });

  test("answer every recipe of the cookbook alike, in the same order", async () => {
    for (const { name, sql, parameters } of recipes) {
      const given = Object.fromEntries(Object.entries(parameters).map(([key, { example }]) => [key, example]));
      const recipe = recipes.find((one) => one.name === name) as (typeof recipes)[number];
      const values = Object.fromEntries(
        Object.entries(recipeValues(recipe, given)).map(([key, text]) => [key, /^\d+$/.test(text) ? BigInt(text) : text]),
      );
      expect(await rows(doors.server, sql, values), name).toEqual(await rows(doors.file, sql, values));
    }
  });

  test.each([
    ["uses", "0x1::coin"],
    ["show", "pool::quote"],
    ["show", "0x1"],
    ["show", "0x1::coin", "--json"],
    ["diff", "previous", "latest"],
    ["diff", "previous", "latest", "--format", "json"],
    ["explain", "pool", "3"],
    ["search", "place", "order"],
    ["search", "cap", "--all", "--json"],
    ["search", "mintt"],
    ["search", "->(u64,u64)"],
    ["search", "(&signer, u64) -> Coin"],
    ["report"],
    ["gaps"],
    ["targets", "list"],
    ["targets", "discover", "--dry-run"],
    ["snapshots"],
    ["runs"],
  ])("answer `%s %s` alike", async (...argv) => {
    const [ofFile, ofServer] = await both(...argv.filter((word) => word !== undefined));
    expect(ofFile.stdout + ofFile.stderr).not.toBe("");
    const named = (text: string) =>
      text.replaceAll(server, "HERE").replaceAll(at.name, "HERE").replaceAll(file, "HERE").replaceAll("night.db", "HERE");
    expect([ofServer.code, named(ofServer.stdout), named(ofServer.stderr)]).toEqual([
      ofFile.code,
      named(ofFile.stdout),
      named(ofFile.stderr),
    ]);
  });

  test("answer `status --json` alike, but for the size and the name of the database", async () => {
    const [ofFile, ofServer] = (await both("status", "--json")).map((result) => result.json());
    const plain = (status: Record<string, unknown> | undefined) =>
      JSON.parse(
        JSON.stringify(status)
          .replaceAll(/"(?:database_bytes|file_bytes|bytes|started_at|finished_at|bytes_received|duration_ms)":[^,}]*/g, '"x":0')
          .replaceAll(JSON.stringify(file).slice(1, -1), "here")
          .replaceAll(server, "here"),
      );
    expect(plain(ofServer)).toEqual(plain(ofFile));
  });

  test.each(sized<readonly string[]>([], ["parquet", "csv", "jsonl", "abi-json", "mv", "ts"]))(
    "export the same files as %s",
    async (format) => {
      // How well answers compress follows from the order in which they were asked for. Nothing verifies after this.
      changeFile(file, "UPDATE _runs SET bytes_received = 0");
      await at.prepare("UPDATE movedex._runs SET bytes_received = 0");
      const [ofFile, ofServer] = [place.file(`${format}-file`), place.file(`${format}-server`)];
      const every = ["parquet", "csv", "jsonl"].includes(format) ? ["--view", "all"] : [];
      for (const [directory, database] of [
        [ofFile, file],
        [ofServer, server],
      ] as const)
        expect(await runCli(["export", directory, "--db", database, "--format", format, ...every])).toMatchObject({ code: 0 });
      const expected = filesIn(ofFile);
      expect(expected.size).toBeGreaterThan(4);
      expect(filesIn(ofServer)).toEqual(expected);
    },
  );
});
