import { expect, test } from "vitest";
import { createSampleLedger, startSimNode } from "../../../sim/index.ts";
import { completeAddress } from "../../../src/engine/postgresql/address.ts";
import { eachPostgres } from "../../engine/support/postgres-databases.ts";
import { crawl } from "../../serve/support/served-archive.ts";
import { runCli } from "../../support/run-cli.ts";
import { textOfHtml } from "../support/page-text.ts";
import { servePages } from "../support/served-pages.ts";

const SECRET = "p@ss/word#1";

eachPostgres("the SQL console", (open) => {
  test("asks as a role with a password that may only read, and with no right beyond", async () => {
    const at = await open();
    const sample = createSampleLedger();
    await using node = await startSimNode({ ledger: sample.ledger });
    await crawl(at.url(), node.url, sample.codeAccounts);
    const role = at.name;
    await at.prepare(`CREATE ROLE ${role} LOGIN PASSWORD '${SECRET}'`);
    await at.prepare((await runCli(["schema", "--grants", role])).stdout);
    const path = completeAddress(at.url(`${role}:${encodeURIComponent(SECRET)}`), {});
    expect(path).not.toContain("word");

    await using served = await servePages(path);
    const ask = async (sql: string) => {
      const { status, text } = await served.get(`/sql?sql=${encodeURIComponent(sql)}`);
      return [status, textOfHtml(text)] as const;
    };
    const [status, text] = await ask("SELECT count(*) AS n, current_user AS who FROM snapshots");
    expect([status, text]).toEqual([200, expect.stringMatching(new RegExp(`1 row .*1\\s*${role}`, "s"))]);
    for (const [sql, status, words] of [
      ["DELETE FROM _pins", 400, "give one statement that reads rows"],
      ["WITH gone AS (DELETE FROM _pins RETURNING 1) SELECT * FROM gone", 400, "the query failed"],
      ["SELECT 1; SELECT 2", 400, "the query failed"],
      ["SELECT pg_read_file('/etc/passwd')", 403, "permission denied for function pg_read_file"],
      ["SELECT repeat('x', 50000000)", 422, "too large"],
    ] as const) {
      expect(await ask(sql), sql).toEqual([status, expect.stringContaining(words)]);
    }
    // A file is sent while the server reads on: what fails late is cut off.
    const file = (sql: string) => served.get(`/sql.csv?sql=${encodeURIComponent(sql)}`);
    const most = "generate_series(1, 150000) AS x";
    expect((await file(`SELECT x FROM ${most}`)).text.split("\r\n").length).toBe(150_002);
    await expect(file(`SELECT 1 / (x - 90000) AS x FROM ${most}`)).rejects.toThrow();
    expect((await file("SELECT 1 / 0 AS x")).status).toBe(400);
    // The role is one that could do more, from now on; nothing says which, or where.
    await at.prepare(`GRANT pg_write_server_files TO ${role}`);
    await using other = await servePages(path);
    const refused = await other.get("/sql?sql=SELECT+1");
    expect([refused.status, textOfHtml(refused.text)]).toEqual([403, expect.stringContaining("could do more than read")]);
    expect(refused.text).not.toMatch(new RegExp(`${role}|127\\.0\\.0\\.1|postgres:`));
  });
});
