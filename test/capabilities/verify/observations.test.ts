import Database from "better-sqlite3";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { pointQueries } from "../../../src/capabilities/backfill/point-queries.ts";
import { targetList } from "../../../src/capabilities/targets/target-list.ts";
import { probeQueries } from "../../../src/capabilities/trace/probes.ts";
import { observationCheck } from "../../../src/capabilities/verify/observations.ts";
import { watchQueries } from "../../../src/capabilities/watch/alerts/watches.ts";
import { watchTables } from "../../../src/capabilities/watch/tables.ts";
import { sourceQueries } from "../../../src/core/db/archive/nodes/sources.ts";
import type { Damage } from "../../../src/core/db/engine/check.ts";
import { sqliteSession } from "../../../src/core/db/engine/sqlite/statements.ts";
import { isChecked, type TableData } from "../../../src/core/db/schema/table.ts";
import { tableList } from "../../../src/core/db/schema/tables/tables.ts";
import { runQueries } from "../../../src/core/work/runs/runs.ts";
import { sized } from "../../run-size.ts";
import { addressOf, changeFile, NOON, night, opaqueModule, recordOf, temporaryDirectory, temporaryStore } from "../../support/index.ts";
import { importPath } from "../../support/store/import-store.ts";
import { expectFlipsFound } from "./flip.ts";

const FLIPS_PER_COLUMN = sized(2, 6);

const checked = tableList.filter(isChecked);
/** Lists of rows that have a checksum. */
const lists = [watchTables.watch_uses, watchTables.judgement_findings, watchTables.judgement_finding_calls, watchTables.judgement_renames];
const columns = [...checked, ...lists].flatMap((table) =>
  Object.entries(table.columns)
    .filter(([, { isUnchecked }]) => isUnchecked === undefined)
    .map(([column]): [string, TableData, string] => [`${table.name}.${column}`, table, column]),
);

describe("observations that are in no seal", () => {
  const place = temporaryDirectory();
  const path = place.file("copy.db");
  let database: Database.Database;

  beforeAll(async () => {
    const [coin, other] = [addressOf(0xc0), addressOf(0xd0)];
    await using theirs = await temporaryStore();
    await night(theirs.engine, 10n, [[addressOf(0xe0), { sequence: 4n, modules: {} }]]);
    await using at = await temporaryStore();
    const { engine } = at;
    await night(engine, 10n, [
      [coin, { sequence: 1n, modules: { coin: "1" } }],
      [other, { sequence: 9n, modules: {} }],
    ]);
    await night(engine, 100n, [
      [coin, { sequence: 2n, modules: { coin: "2" } }],
      [addressOf(0xdead), "missed"],
    ]);
    await importPath(engine, theirs.path);
    await targetList(engine).addTargets([{ address: coin, reason: "friend", via: "0x1::coin", depth: 2 }], NOON);
    await runQueries(engine).addHeadSample({
      node: "https://node.example",
      sampledAt: NOON,
      headVersion: 100n,
      oldestVersion: 1n,
      timestampUsec: 7n,
    });
    await sourceQueries(engine).recordBuild({ node: "https://node.example", gitHash: "abc" }, NOON);
    const values = { subject: "0xc0::coin", stored: "absent", found: "00", origin: "https://node.example" };
    await sourceQueries(engine).addFinding({ kind: "module", fromVersion: 10n, toVersion: 10n, ...values }, NOON);
    await probeQueries(engine).commitModuleProbes(coin, 50n, ["coin"], [opaqueModule("coin", "1")]);
    await probeQueries(engine).commitModuleProbes(coin, 60n, ["coin"], []);
    await probeQueries(engine).commitAccountProbe(coin, 50n, recordOf(1n));
    await probeQueries(engine).commitAccountProbe(coin, 60n, null);
    await pointQueries(engine).askPoints(
      [{ version: 30n, wantedTime: NOON, timeErrorMs: 5, estimate: { ms: NOON, errorMs: 5 } }],
      NOON,
      1_000n,
    );
    await pointQueries(engine).decidePoint(30n, { state: "refused", reason: "too late", accountsRead: 1, accountsInferred: 2 }, NOON);
    const uses = { own: ["0xe::mine"], modules: ["0xc0::coin"], functions: [], structs: [] };
    const { id } = await watchQueries(engine).addWatch({ subject: "mine", audience: "callers", level: "any", uses, since: 9n }, NOON);
    const change = { address: coin, module: "coin", from: "aa", to: "bb", afterVersion: 10n, atOrBeforeVersion: 100n, shownBy: 100n };
    const finding = { rule: "function-removed", item_kind: "function", item: "a", worst: "breaking", upgrade: "refused" } as const;
    const witness = { severity: { callers: "breaking", clients: "safe", readers: "safe" }, before: "a", after: "b" } as const;
    const renamed = [{ item_kind: "struct", from_name: "A", to_name: "B" }] as const;
    const findings = [{ ...finding, ...witness, use: "through others", chain: ["0xc0::coin::a"] }] as const;
    const judged = [{ ...change, severity: "breaking", isAlert: true, findings: { findings, total: 1, reason: "b", renamed } } as const];
    await watchQueries(engine).addJudgements(id, { judged, tightened: [] }, NOON);
    await watchQueries(engine).addJudgements(
      id,
      { judged: [], tightened: [{ id: 1, afterVersion: 20n, atOrBeforeVersion: 90n, shownBy: 90n }] },
      NOON,
    );
    await watchQueries(engine).addWatch({ subject: "0xc0", audience: null, level: "any", uses: null, since: null }, NOON);
    // Once more by the same call, whose COMMIT went unanswered; another call finds none.
    for (const [now, isRemoved] of [
      [NOON, true],
      [NOON, true],
      [NOON + 1, false],
    ] as const)
      expect(await watchQueries(engine).removeWatch(id, now)).toBe(isRemoved);
    await runQueries(engine).noteReport({ appVersion: "movedex 0", now: NOON, ledgerVersion: 100n });
    changeFile(at.path, `VACUUM INTO '${path}'`);
    database = new Database(path).defaultSafeIntegers(true);
    database.pragma("foreign_keys = OFF");
  });
  afterAll(() => {
    database.close();
  });

  const damageOf = async (slice = { part: 0, of: 1 }): Promise<Damage[]> =>
    (await Array.fromAsync(observationCheck(sqliteSession(database, path), slice).steps())).flat();
  const damageAfter = async (sql: string): Promise<Damage[]> => {
    database.exec("BEGIN");
    try {
      database.exec(sql);
      return await damageOf();
    } finally {
      database.exec("ROLLBACK");
    }
  };

  test("every table of them has rows to damage, and is sound", async () => {
    expect([...checked, ...lists].filter(({ name }) => database.prepare(`SELECT 1 FROM ${name}`).get() === undefined)).toEqual([]);
    expect(await damageOf()).toEqual([]);
  });

  test.each(columns)("verify finds any single bit turned over in %s", async (_, table, column) =>
    expectFlipsFound(database, [table, column], FLIPS_PER_COLUMN, damageOf),
  );

  const otherCode = "(SELECT id FROM _bytecodes WHERE sha256 <> (SELECT sha256 FROM _bytecodes WHERE id = bytecode_id))";
  test.each([
    ["_module_probes", `SET bytecode_id = ${otherCode} WHERE bytecode_id IS NOT NULL`, "account 0xc0, module coin, ledger version 50"],
    ["_account_probes", "SET sequence_number = '3' WHERE ledger_version = 50", "account 0xc0, ledger version 50"],
    ["_all_gaps", "SET is_final = 0", "ledger version 100, account 0xdead"],
    ["_archive", "SET chain_id = 0", "id 1"],
    ["_backfill_points", "SET checksum = NULL", "ledger version 30"],
    ["_all_snapshots", "SET head_timestamp_usec = '5' WHERE ledger_version = 100", "ledger version 100"],
  ])("verify names the row of %s that was changed (%s)", async (table, change, row) => {
    const problem = change === "SET checksum = NULL" ? "it has no checksum" : "it was changed or damaged: its checksum is of other values";
    expect(await damageAfter(`UPDATE ${table} ${change}`)).toEqual([{ table, row, problem }]);
  });

  test("verify finds an account that became another one", async () => {
    const damage = await damageAfter("UPDATE _addresses SET address = '0xbeef' WHERE address = '0xdead'");
    expect(damage).toMatchObject([{ table: "_all_gaps", row: "ledger version 100, account 0xbeef" }]);
  });

  test("each is looked at once by the slices of a part-time verify", async () => {
    database.exec("BEGIN");
    for (const { name } of checked) database.exec(`UPDATE ${name} SET checksum = NULL`);
    const whole = await damageOf();
    const parts = (await Promise.all([0, 1, 2].map((part) => damageOf({ part, of: 3 })))).flat();
    database.exec("ROLLBACK");
    const texts = (damage: readonly Damage[]) => damage.map((row) => JSON.stringify(row)).sort();
    expect(whole.length).toBeGreaterThan(checked.length);
    expect(texts(parts)).toEqual(texts(whole));
  });
});
