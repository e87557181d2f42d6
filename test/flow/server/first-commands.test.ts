import { expect, test } from "vitest";
import { eachPostgres } from "../../engine/support/postgres-databases.ts";
import { ended } from "../../support/command/ended.ts";
import { runCli } from "../../support/run-cli.ts";

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

  test("leaves copies to PostgreSQL's own tools, and says how", async () => {
    const at = await open();
    const backup = await runCli(["backup", "night.dump", "--db", at.url()]);
    expect(backup).toMatchObject({
      code: 64,
      stderr: expect.stringContaining(`pg_dump --format=custom --schema=movedex --file='night.dump' '${at.url()}'`),
    });
    const restore = await runCli(["restore", "night.dump", "--db", at.url()]);
    expect(restore).toMatchObject({ code: 64, stderr: expect.stringContaining("pg_restore --clean") });
  });
});
