import pg from "pg";
import { expect } from "vitest";
import { createSampleLedger, startSimNode } from "../../../sim/index.ts";
import { readMetrics } from "../../../src/capabilities/monitoring/metrics.ts";
import { eachPostgres } from "../../engine/support/postgres-databases.ts";
import { readerStatements, writerStatements } from "../../engine/support/reader-role.ts";
import { ended, runCli, test } from "../../support/index.ts";
import { servePages } from "../explorer/support/served-pages.ts";
import { crawl } from "../serve/support/served-archive.ts";

eachPostgres("the role of docs/postgresql.md that writes", (open) => {
  test("archives and verifies, however its sessions are told to print", async () => {
    const at = await open();
    const owner = `${at.name}_owner`;
    await at.prepare(writerStatements(owner, at.name));
    const printing = {
      quote_all_identifiers: "on",
      extra_float_digits: "-15",
      bytea_output: "escape",
      IntervalStyle: "iso_8601",
      DateStyle: "SQL, DMY",
      standard_conforming_strings: "off",
      TimeZone: "Asia/Kolkata",
    };
    for (const [name, value] of Object.entries(printing)) await at.prepare(`ALTER ROLE ${owner} SET ${name} = '${value}'`);
    const sample = createSampleLedger();
    await using node = await startSimNode({ ledger: sample.ledger });
    const store = ["--db", at.url(`${owner}:secret`)];
    for (let night = 0; night < 2; night++) {
      await ended(runCli(["targets", "add", ...sample.codeAccounts, ...store]));
      await ended(runCli(["night", "--rpc", node.url, "--rate", "0", "--slices", "1", ...store]));
      sample.passDay();
    }
    await ended(runCli(["verify", ...store]));
    const other = new pg.Client(at.url());
    await other.connect();
    await other.query("BEGIN; LOCK TABLE movedex._runs");
    const run = { command: "night", startedMs: 0, finishedMs: 0, durationMs: 0 };
    const how = { archive: "a", before: 'movedex_snapshots{archive="a"} 2\n', hooks: [], chooser: undefined };
    // The lock is held until both have ended: who waited for it without an end would not come back.
    for (const exit of ["terminated", "failed"] as const) {
      const metrics = await readMetrics(at.url(), { ...run, exit }, how);
      expect(metrics.map(({ name }) => name)).toEqual(expect.arrayContaining(["movedex_run_success", "movedex_snapshots"]));
    }
    await other.end();
  });
});

eachPostgres("the role of docs/postgresql.md that can only read", (open) => {
  test("suffices for query, show and serve, also for what is made later, and can change nothing", async () => {
    const at = await open();
    const [owner, role] = [`${at.name}_owner`, `${at.name}_reader`];
    await at.prepare(`CREATE ROLE ${owner} LOGIN PASSWORD 'writes'; GRANT CREATE ON DATABASE ${at.name} TO ${owner}`);
    const writer = at.url(`${owner}:writes`);
    const reader = at.url(`${role}:reads`);
    const sample = createSampleLedger();
    await using node = await startSimNode({ ledger: sample.ledger });
    await crawl(writer, node.url, sample.codeAccounts);

    const statements = readerStatements({ role, owner });
    expect(statements.trim().split("\n")).toHaveLength(6);
    await at.prepare(statements);
    const ask = async (...args: string[]) => (await ended(runCli([...args, "--db", reader]))).stdout;
    expect(await ask("query", "SELECT count(*) AS n FROM functions_latest", "--format", "csv")).toMatch(/^n\r\n[1-9]\d*\r\n$/);
    expect(await ask("show", "0x1::coin")).toContain("module 0x1::coin");
    expect(await ask("status")).toContain("1 sealed snapshot");
    await using served = await servePages(reader);
    expect((await served.get("/module/0x1/coin")).status).toBe(200);
    expect((await served.get("/v1/accounts/0x1/module/coin")).headers["x-movedex-source"]).toBe("archive");

    sample.passDay();
    await crawl(writer, node.url, sample.codeAccounts);
    const made = new pg.Client(writer);
    await made.connect();
    await made.query("CREATE TABLE movedex.later (x int); CREATE VIEW movedex.later_view AS SELECT count(*)::int AS n FROM movedex.later");
    await made.end();
    // As psql would: without movedex, and without the schema's name.
    const client = new pg.Client(reader);
    await client.connect();
    expect((await client.query("SHOW TimeZone")).rows).toEqual([{ TimeZone: "UTC" }]);
    expect((await client.query("SELECT n FROM later_view")).rows).toEqual([{ n: 0 }]);
    expect((await client.query("SELECT count(*)::int AS n FROM snapshots")).rows).toEqual([{ n: 2 }]);
    for (const change of ["DELETE FROM _all_snapshots", "CREATE TABLE movedex.mine (x int)", "CREATE SCHEMA mine", "TRUNCATE later"])
      await expect(client.query(change), change).rejects.toThrow("permission denied");
    await client.end();
    await ended(runCli(["targets", "add", "0x9", "--db", reader]), 1);
    const doctor = ["doctor", "--rpc", node.url, "--rate", "0"];
    expect((await ended(runCli([...doctor, "--db", reader]), 1)).stdout).toMatch(
      /^fail {2}database {2}could not .* no right to do that\./m,
    );
    expect((await ended(runCli([...doctor, "--db", `${reader}?schema=none`]), 1)).stdout).toContain("no right to do that");
    const standing = () => at.rows("SELECT relname FROM pg_class ORDER BY 1");
    const before = await standing();
    for (const schema of ["movedex", "none"]) await ended(runCli([...doctor, "--db", `${writer}?schema=${schema}`]));
    expect(await standing()).toEqual(before);
  });
});
