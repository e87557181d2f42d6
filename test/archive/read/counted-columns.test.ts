import { expect, test } from "vitest";
import { formatNodeAbi } from "../../../src/core/abi/node-json/format.ts";
import type { Engine } from "../../../src/core/db/engine/engine.ts";
import { sql, verbatim } from "../../../src/core/db/schema/sql/sql.ts";
import { openStore } from "../../../src/core/work/store.ts";
import { eachPostgres } from "../../engine/support/postgres-databases.ts";
import { isLongRun, sized } from "../../run-size.ts";
import { contractFaults } from "../../support/contract.ts";
import { describeReleases, loadHistory, moduleReader, NOON, readReleases, temporaryStore } from "../../support/index.ts";
import { sharedServers } from "../../support/postgres/servers.ts";

const module = "ledger_version, address, module";
const counted = (view: string, as: string, where = "TRUE", by = module) =>
  `SELECT ${by}, count(1) AS ${as} FROM ${view} WHERE ${where} GROUP BY ${by}`;

/** What one question answers and the other does not. */
const differing = (one: string, other: string) =>
  `SELECT * FROM (${one} EXCEPT ${other}) a UNION ALL SELECT * FROM (${other} EXCEPT ${one}) b`;
const latest = (view: string, columns: string) => `SELECT ${columns}, count(1) FROM ${view} GROUP BY ${columns}`;
const [struct, callee] = ["used_address, used_module, used_struct", "callee_address, callee_module, callee_function"];

/** What has to be empty: rows whose columns are others than the views that they follow from say. */
const wrong: Readonly<Record<string, string>> = {
  "the name by its kind": `SELECT 1 FROM functions_at WHERE function <> name UNION ALL SELECT 1 FROM structs_at WHERE struct <> name
    UNION ALL SELECT 1 FROM fields_at WHERE field <> name`,
  "the entry function": `SELECT 1 FROM functions_at WHERE coalesce(entry_function, '') <>
    CASE WHEN is_entry THEN address || '::' || module || '::' || name ELSE '' END`,
  "the number of parameters": `SELECT 1 FROM functions_at f LEFT JOIN (${counted("function_params_at", "n", "TRUE", `${module}, function`)}) p
    ON p.ledger_version = f.ledger_version AND p.address = f.address AND p.module = f.module AND p.function = f.name WHERE f.params <> coalesce(p.n, 0)`,
  ...Object.fromEntries(
    [
      ["functions", "functions_at", "TRUE"],
      ["public_functions", "functions_at", "visibility = 'public'"],
      ["entry_functions", "functions_at", "is_entry"],
      ["view_functions", "functions_at", "is_view"],
      ["structs", "structs_at", "TRUE"],
      ["errors", "error_codes_at", "TRUE"],
      ["dependencies", "dependencies_at", "TRUE"],
    ].map(([column = "", view = "", where]) => [
      column,
      `SELECT 1 FROM module_sizes_at m LEFT JOIN (${counted(view, "n", where)}) x
        ON x.ledger_version = m.ledger_version AND x.address = m.address AND x.module = m.module WHERE m.${column} <> coalesce(x.n, 0)`,
    ]),
  ),
  "the findings of a change": `SELECT 1 FROM judged_changes j LEFT JOIN (SELECT address, module, at_or_before_version, count(rule) AS n,
      max(CASE WHEN position = 0 THEN rule || severity END) AS first FROM changes GROUP BY address, module, at_or_before_version) c
    ON c.address = j.address AND c.module = j.module AND c.at_or_before_version = j.at_or_before_version
    WHERE c.n IS NULL OR c.first <> j.worst_rule || j.severity
      OR c.n <> j.breaking_findings + j.dangerous_findings + j.behaviour_findings + j.safe_findings + j.silent_findings`,
  ...Object.fromEntries(
    [
      ["params", "function_params"],
      ["returns", "function_returns"],
      ["fields", "fields"],
    ].map(([column, view]) => [
      `how often types are ${column}`,
      differing(`SELECT type, ${column} FROM type_counts_latest WHERE ${column} <> 0`, latest(`${view}_latest`, "type")),
    ]),
  ),
  "how often structs are used": differing(`SELECT ${struct}, uses FROM struct_counts_latest`, latest("type_uses_latest", struct)),
  "how often functions are called": differing(`SELECT ${callee}, callers FROM call_counts_latest`, latest("function_calls_latest", callee)),
  "the long form of another account": `SELECT 1 FROM dependencies_at WHERE length(other_address_long) <> 66 OR other_address_long NOT LIKE '0x%' || substr(other_address, 3)
    UNION ALL SELECT 1 FROM function_calls_at WHERE length(callee_address_long) <> 66 UNION ALL SELECT 1 FROM type_uses_at WHERE length(used_address_long) <> 66`,
};

async function check(engine: Engine, ...picked: readonly number[]): Promise<void> {
  const releases = readReleases().filter((_, i) => picked.includes(i));
  await loadHistory(engine, releases);
  for (const [what, select] of Object.entries(wrong)) expect([what, await engine.all(verbatim(select))]).toEqual([what, []]);
  expect(
    await engine.first(sql`SELECT count(1) > 100 AS is_filled FROM module_sizes_at WHERE functions > 0 AND bytecode_size > 0`),
  ).not.toEqual([0]);
  for (const [view, question] of contractFaults)
    expect([view, question, await engine.all(verbatim(question))]).toEqual([view, question, []]);
  const abis = sql<[abi: string, sha256: string]>`SELECT DISTINCT a.abi, m.bytecode_sha256 FROM modules_abi_at a
    JOIN modules_at m ON m.ledger_version = a.ledger_version AND m.address = a.address AND m.module = a.module`;
  const read = moduleReader();
  for (const [abi, sha256] of await engine.all(abis)) expect(abi).toBe(JSON.stringify(formatNodeAbi(read(sha256).abi)));
  const acquires = sql`SELECT position, struct FROM function_acquires_latest WHERE address = '0x1' AND module = 'account' AND function = 'rotate_authentication_key_internal'`;
  expect(await engine.all(acquires)).toEqual([[0, "Account"]]);
}

describeReleases("columns and keys of views of recorded releases", () => {
  test("say what these say, on a file", async () => {
    await using at = await temporaryStore();
    await check(at.engine, ...sized([], [60]), 133);
  });

  eachPostgres(
    "columns that follow from other views",
    (open) => {
      test("say what these say", async () => {
        await using server = await openStore((await open()).url(), { mode: "write", now: () => NOON });
        await check(server.engine, 133);
      });
    },
    isLongRun ? sharedServers : [],
  );
});
