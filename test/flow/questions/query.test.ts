import { describe, expect } from "vitest";
import { SimLedger, startSimNode, writeModule } from "../../../sim/index.ts";
import { ended, ManualClock, runCli, temporaryDirectory, test } from "../../support/index.ts";

const hostile = 'E\u001b[2Jgone, \u202e"end';

const ledger = new SimLedger();
ledger.genesis((writer) => {
  writer.account("0x1", { sequenceNumber: 2n ** 64n - 1n });
  const errors = [{ code: 1, name: "E_BAD", description: hostile }];
  writer.publish("0x1", "coin", writeModule({ address: "0x1", name: "coin", errors, functions: [{ name: "burn", params: ["u64"] }] }));
});
ledger.advance(100n);
await using node = await startSimNode({ ledger });
const place = temporaryDirectory();
const db = place.file("night.db");
const sync = ["sync", "--rpc", node.url, "--db", db, "--rate", "0", "--account", "0x1"];
await ended(runCli(sync, { clock: new ManualClock({ skipSleeps: true }) }));

const query = (...argv: string[]) => runCli(["query", "--db", db, ...argv]);

describe("query", () => {
  test("hostile text cannot reach the terminal, and comes out of JSON as it went in", async () => {
    const ask = "SELECT description FROM error_codes_latest";
    const table = await query(ask);
    expect(table.stdout).toContain('E\\u{1b}[2Jgone, \\u{202e}"end');
    for (const unsafe of ["\u001b", "\u202e"]) expect(table.stdout).not.toContain(unsafe);
    expect(JSON.parse((await query("--format", "jsonl", ask)).stdout)).toEqual({ description: hostile });
    expect((await query("--format", "jsonl", ask)).stdout).not.toMatch(/[\u007f-\u009f\u202e]/);
    expect((await query("--format", "csv", ask)).stdout).toBe('description\r\n"E\\u{1b}[2Jgone, \\u{202e}""end"\r\n');
  });

  test("as CSV, no text begins like a formula", async () => {
    const ask = "SELECT '=HYPERLINK(\"http://evil\")' AS a, '@x' AS b, -1 AS c, char(0xff1d) || 'x' AS d, '' AS e, NULL AS f";
    expect((await query("--format", "csv", ask)).stdout).toBe('a,b,c,d,e,f\r\n"\'=HYPERLINK(""http://evil"")",\'@x,-1,\'\uff1dx,"",\r\n');
  });

  test("as JSON, refuses columns of one name before the first row, which CSV prints", async () => {
    const join = "SELECT a.address, m.address FROM accounts_latest a JOIN modules_latest m ON m.address = a.address";
    for (const [ask, name, format] of [
      ["SELECT 1 AS a, 2 AS a", "a", "jsonl"],
      [`${join} WHERE 0`, "address", "json"],
    ] as const) {
      const { stdout, stderr } = await ended(query("--format", format, ask), 1);
      expect(stdout).toBe("");
      expect(stderr).toContain(`2 columns are named \`${name}\`. Name them apart with AS, or ask for CSV`);
    }
    expect(await query("--format", "csv", join)).toMatchObject({ code: 0, stdout: "address,address\r\n0x1,0x1\r\n", stderr: "" });
  });

  test("with --json, a failure is the last line of stdout as JSON", async () => {
    for (const [code, ...asked] of [
      ["MOVEDEX_STORE_QUERY", "SELECT nope"],
      ["MOVEDEX_STORE_TIMEOUT", "--timeout", "1s", "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"],
    ] as const) {
      const { stdout, stderr } = await ended(query("--json", ...asked), 1);
      const { error } = JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? "");
      expect(error).toMatchObject({ code, message: stderr.replace(/^movedex: /, "").trimEnd() });
    }
  });

  test("stops at the row cap and says so; the cap can be raised", async () => {
    const ask = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1500) SELECT i FROM n";
    const capped = await query("--format", "csv", ask);
    expect(capped.stdout.trimEnd().split("\r\n")).toHaveLength(1001);
    expect(capped.stderr).toContain("stopped after 1,000 rows; there are more. --max-rows 0 prints all");
    const all = await query("--format", "csv", "--max-rows", "0", ask);
    expect(all.stdout.trimEnd().split("\r\n")).toHaveLength(1501);
    expect(all.stderr).toBe("");
  });

  test("takes values by name: whole numbers as numbers, the rest as text", async () => {
    const ask = "SELECT typeof(:v) AS v, typeof(:t) AS t, count(*) AS n FROM snapshots WHERE ledger_version = :v";
    const { stdout } = await query("--format", "jsonl", "-p", "v=100", "-p", "t=it's; DROP", ask);
    expect(JSON.parse(stdout)).toEqual({ v: "integer", t: "text", n: 1 });
    const missing = await ended(query(ask), 1);
    expect(missing.stderr).toBe("movedex: the query failed: there is no value for `:v`. Give it one: `query --param v=…`\n");
    expect((await ended(query("SELECT ?"), 1)).stderr).toContain("there is no value for a parameter. Write it as `:name`");
  });
});

test.each([
  ["SELECT name FROM function_latest", "there is no view or table `function_latest`. Did you mean `functions_latest`"],
  ["SELECT modul FROM functions_latest", "there is no column `modul`. Did you mean `module`"],
  ["SELECT f.signatur FROM functions_latest f", "there is no column `signatur`. Did you mean `signature`?"],
  [
    "SELECT m.signature FROM functions_latest f JOIN modules_latest m USING (address, module)",
    "there is no column `signature`. These views have a column `signature`: functions_latest.",
  ],
  [
    "SELECT is_entry FROM modules_latest",
    "there is no column `is_entry`. These views have a column `is_entry`: functions_at, functions_latest",
  ],
  ["SELECT zzz FROM snapshots", "there is no column `zzz`. The columns of snapshots: chain_id, ledger_version, "],
  ["SELECT zzz", "there is no column `zzz`\n"],
  // The tables behind the views are not offered.
  ["SELECT 1 FROM listings", "there is no view or table `listings`. `movedex schema` lists the views."],
  ["SELECT bytecode_i FROM _listing_modules", "there is no column `bytecode_i`\n"],
])("a slip in the names of a statement %s", async (sql, message) => {
  const { code, stdout, stderr } = await query(sql);
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toContain(`movedex: the query failed: ${message}`);
});

test("a database without a snapshot: an answer without anything says so, and one with rows does not", async ({ place }) => {
  const path = place.file("new.db");
  await ended(runCli(["targets", "add", "0x1", "--db", path]));
  const ask = (sql: string) => runCli(["query", sql, "--format", "csv", "--db", path]);
  const note = "movedex: the database has no snapshot yet, so most views are empty. `movedex sync` takes the first one.\n";
  expect(await ask("SELECT name FROM functions_latest")).toMatchObject({ code: 0, stdout: "name\r\n", stderr: note });
  expect(await ask("SELECT count(*) AS n FROM functions_latest")).toMatchObject({ code: 0, stdout: "n\r\n0\r\n", stderr: note });
  expect(await ask("SELECT address FROM target_accounts")).toMatchObject({ code: 0, stdout: "address\r\n0x1\r\n", stderr: "" });
});
