import { beforeAll, beforeEach, expect, test } from "vitest";
import { manyAccounts, type SimLedger, type SimNode, startSimNode } from "../../../sim/index.ts";
import { eachPostgres } from "../../engine/support/postgres-databases.ts";
import { isLongRun } from "../../run-size.ts";
import { ended } from "../../support/command/ended.ts";
import { runCli } from "../../support/run-cli.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";
import { countIn, expectSamePublicRows, publicRows } from "./public-rows.ts";

const SNAPSHOTS = ["10000", "15000"];

/** Accounts that upgrade at several versions between two snapshots; one rotates its key. */
function scene(): { readonly ledger: SimLedger; readonly accounts: readonly string[] } {
  const many = manyAccounts(8, { packages: 4 });
  many.ledger.advanceTo(10_700n);
  many.upgradeEvery(5);
  many.ledger.advanceTo(12_345n);
  many.upgradeEvery(2);
  many.ledger.transact((writer) => writer.account(many.address(2), { authenticationKey: new Uint8Array(32).fill(9) }));
  many.ledger.advanceTo(16_000n);
  return { ledger: many.ledger, accounts: [...many.addresses()] };
}

/** What was asked of accounts between the snapshots: what is asked first is about the snapshots themselves. */
function probesOf(node: SimNode, since = 0): string[] {
  return node.requests
    .slice(since)
    .filter(({ path, query }) => path.includes("/accounts/") && !SNAPSHOTS.some((version) => query.includes(`ledger_version=${version}`)))
    .map(({ path, query }) => `${path}?${query}`);
}

eachPostgres("a trace that several processes search", (open, version) => {
  let ledger: SimLedger;
  let accounts: readonly string[];
  let database: string;
  let quiet: ReturnType<typeof temporaryDirectory>;
  let expected: Awaited<ReturnType<typeof publicRows>>;
  let alone: { readonly probes: number; readonly json: Record<string, unknown> };

  const source = (node: SimNode, db: string) => ["--rpc", node.url, "--db", db, "--rate", "0", "--concurrency", "3", "--json"];
  const snapshots = async (node: SimNode, db: string) => {
    const scope = accounts.flatMap((address) => ["--account", address]);
    for (const version of SNAPSHOTS) {
      await ended(runCli(["sync", ...source(node, db), ...scope, "--ledger-version", version]));
    }
  };
  const rowsLeft = () => Promise.all(["_traces", "_trace_groups", "_leases", "_workers"].map((table) => countIn(database, table)));

  beforeAll(async () => {
    ({ ledger, accounts } = scene());
    quiet = temporaryDirectory();
    await using node = await startSimNode({ ledger });
    const file = quiet.file("quiet.db");
    await snapshots(node, file);
    const before = node.requests.length;
    const { json } = await ended(runCli(["trace", ...source(node, file)]));
    expected = await publicRows(file);
    alone = { probes: probesOf(node, before).length, json: json() };
  });
  beforeEach(async () => {
    await using node = await startSimNode({ ledger });
    database = (await open()).url();
    await snapshots(node, database);
  });

  test("is one: nothing is asked twice, all say what it came to, and its rows are those of one process on a file", async () => {
    await using node = await startSimNode({ ledger });
    const traces = await Promise.all([1, 2].map(() => runCli(["trace", ...source(node, database)])));
    for (const { code, stderr } of traces) expect(code, stderr).toBe(0);
    const probes = probesOf(node);
    expect(new Set(probes).size).toBe(probes.length);
    expect(probes.length).toBeLessThanOrEqual(alone.probes * 1.01);
    await expectSamePublicRows(database, expected);
    // One that came when all was done had nothing to trace.
    const searched = traces.map(({ json }) => json()).filter(({ changes }) => (changes as unknown[]).length > 0);
    expect(searched.length).toBeGreaterThan(0);
    for (const { changes, exact, inexact, least_probes } of searched)
      expect({ changes: (changes as unknown[]).length, exact, inexact, least_probes }).toEqual({
        changes: (alone.json["changes"] as unknown[]).length,
        exact: alone.json["exact"],
        inexact: 0,
        least_probes: alone.json["least_probes"],
      });
    expect(await rowsLeft()).toEqual([0, 0, 0, 0]);
  });

  test.runIf(isLongRun && version === 18)("ends with its budget, which is of all together, and the next one goes on", async () => {
    await using node = await startSimNode({ ledger });
    const budget = 40;
    const search = () => runCli(["trace", ...source(node, database), "--max-requests", `${budget}`]);
    // One may come when the other has spent the budget: then it searches what is left with one of its own.
    const searched = await Promise.all([ended(search()), ended(search())]);
    // Each process may be within one search of an interval per account that it has in hand when the budget ends.
    expect(Math.max(...searched.map(({ json }) => json()["inexact"] as number))).toBeGreaterThan(0);
    expect(probesOf(node).length).toBeLessThanOrEqual(budget + 2 * 3 * 13);
    const second = await ended(runCli(["trace", ...source(node, database)]));
    expect(second.json()["inexact"]).toBe(0);
    const probes = probesOf(node);
    expect(new Set(probes).size).toBe(probes.length);
    await expectSamePublicRows(database, expected);
    expect(await rowsLeft()).toEqual([0, 0, 0, 0]);
  });
});
