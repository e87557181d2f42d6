import { expect, test } from "vitest";
import { eachPostgres } from "../../engine/support/postgres-databases.ts";
import { ended, runCli, sealModules, temporaryDirectory } from "../../support/index.ts";

eachPostgres("the command line", (open) => {
  test("keeps its list of accounts in the database that --db or DATABASE_URL names, and answers in SQL", async () => {
    const at = await open();
    const missing = await runCli(["targets", "list", "--db", at.url()]);
    expect(missing).toMatchObject({ code: 1, stderr: expect.stringContaining("there is no schema `movedex` of movedex") });
    const added = await runCli(["targets", "add", "0x1", "0xa", "--db", at.url()]);
    expect(added).toMatchObject({
      code: 0,
      stdout: "2 added, 0 already on the list\n",
      stderr: expect.stringContaining("no longer the framework accounts"),
    });
    const env = { DATABASE_URL: at.url() };
    expect((await runCli(["targets", "list"], { env })).stdout).toMatch(/0x1 .*\n0xa /);
    const ask = ["query", "SELECT address, reason FROM target_accounts WHERE address = :a", "-p", "a=0xa", "--json"];
    const asked = await runCli(ask, { env: { DATABASE_URL: await at.reader() } });
    expect(asked).toMatchObject({ code: 0, stderr: "" });
    expect(JSON.parse(asked.stdout)).toEqual([{ address: "0xa", reason: "given" }]);
    const endless = "SELECT count(*) FROM generate_series(1, 100000000000)";
    const late = await runCli(["query", endless, "--timeout", "1s"], {
      env: { DATABASE_URL: at.url(`${at.name.replace("test", "reader")}:reads`) },
    });
    expect(late).toMatchObject({ code: 1, stderr: expect.stringContaining("took longer than 1 s and was stopped") });
  });

  test("keeps to the schema of --schema, and refuses what cannot be one", async () => {
    const at = await open();
    const list = ["targets", "list", "--db", at.url()];
    await ended(runCli(["targets", "add", "0x1", "--db", at.url(), "--schema", "nights"]));
    expect((await runCli([...list, "--schema", "nights"])).stdout).toContain("0x1");
    await ended(runCli(list), 1);
    expect(await runCli([...list, "--schema", 'x"; DROP'])).toMatchObject({
      code: 64,
      stderr: expect.stringContaining("is not the name of a schema"),
    });
    expect(await runCli(["targets", "list", "--db", "a.db", "--schema", "x"])).toMatchObject({
      code: 64,
      stderr: expect.stringContaining("--schema is for a database of PostgreSQL"),
    });
  });

  test("prints no password, whatever goes wrong", async () => {
    const at = await open();
    const secret = at.url("nobody:geheim");
    const argvs = [
      ["targets", "list"],
      ["query", "SELECT 1"],
      ["sync", "--rpc", "http://127.0.0.1:1/v1"],
      ["status"],
      ["backup", "x"],
      ["verify"],
    ];
    for (const argv of argvs) {
      const result = await runCli([...argv, "--db", secret, ...(argv[0] === "targets" ? [] : ["--json"])]);
      expect(result.code, argv[0]).not.toBe(0);
      expect(result.stdout + result.stderr).not.toContain("geheim");
    }
  });

  test.each([
    ["_all_snapshots", 6, "`_all_snapshots`: the table is missing"],
    ["_migrations", 1, "holds tables, but not movedex's"],
  ])("reads nothing from a view in place of the table %s, whose rows would not end", async (table, code, why) => {
    const at = await open();
    using place = temporaryDirectory();
    await sealModules(at.url(), [{ version: 1n, accounts: { "0x1": [] } }]);
    const endless = `WITH RECURSIVE more AS (SELECT 1 AS n UNION ALL SELECT n FROM more) SELECT kept.* FROM kept, more`;
    await at.prepare(`SET search_path = movedex; ALTER TABLE ${table} RENAME TO kept; CREATE VIEW ${table} AS ${endless}`);
    for (const argv of [
      ["import", at.url(), "--db", place.file(`of${table}.db`)],
      ...["status", "verify"].map((name) => [name, "--db", at.url()]),
    ]) {
      const { code: ended, stderr } = await runCli(argv);
      expect([ended, stderr], argv[0]).toEqual([code, expect.stringContaining(why)]);
    }
  });

  test("says which table has other columns, to who reads and to who writes", async () => {
    const at = await open();
    await sealModules(at.url(), [{ version: 1n, accounts: { "0x1": [] } }]);
    await at.prepare("ALTER TABLE movedex._targets ADD COLUMN x int");
    for (const argv of [["status"], ["sync", "--rpc", "http://127.0.0.1:1/v1"], ["targets", "add", "0x1"]]) {
      const { code, stderr } = await runCli([...argv, "--db", at.url()]);
      expect([code, stderr], argv[0]).toEqual([6, expect.stringContaining("`_targets`: the table is not as movedex made it")]);
    }
  });
});
