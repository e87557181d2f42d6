import { beforeAll, beforeEach, expect, test } from "vitest";
import { faults, manyAccounts, type SimLedger, type SimNode, startSimNode } from "../../../sim/index.ts";
import { openStore } from "../../../src/work/store.ts";
import { eachPostgres } from "../../engine/support/postgres-databases.ts";
import { isLongRun } from "../../run-size.ts";
import { ended } from "../../support/command/ended.ts";
import { signalSender } from "../../support/command/signal-sender.ts";
import { type CliResult, runCli } from "../../support/run-cli.ts";
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
  /** `work`, and a way to stop it. */
  const worker = (node: SimNode): { readonly ended: Promise<CliResult>; readonly stop: () => void } => {
    const { signals, send } = signalSender();
    return { ended: runCli(["work", ...source(node, database)], { signals }), stop: () => send("SIGTERM") };
  };

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
    const helper = worker(node);
    const traces = await Promise.all([1, 2].map(() => runCli(["trace", ...source(node, database)])));
    helper.stop();
    for (const { code, stderr } of [...traces, await helper.ended]) expect(code, stderr).toBe(0);
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

  test.runIf(isLongRun && version === 18)("is continued by a worker that waits for work, when who began it was told to stop", async () => {
    await using node = await startSimNode({ ledger });
    const { signals, send } = signalSender();
    const begun = runCli(["trace", ...source(node, database), "--rate", "20"], { signals });
    await expect.poll(() => probesOf(node).length).toBeGreaterThan(3);
    send("SIGTERM");
    await ended(begun, 143);
    const helper = worker(node);
    const inexact = async () => {
      const store = await openStore(database, { mode: "read" });
      const left = (await store.openChanges({})).length;
      await store.close();
      return left;
    };
    await expect.poll(inexact).toBe(0);
    await expect
      .poll(async () => (await runCli(["status", "--db", database, "--json"])).json()["workers"])
      .toMatchObject([{ intervals: null }]);
    helper.stop();
    const { json } = await ended(helper.ended);
    expect(json()).toMatchObject({ ledger_versions: [], traces: 1 });
    const probes = probesOf(node);
    expect(new Set(probes).size).toBe(probes.length);
    await expectSamePublicRows(database, expected);
    expect(await rowsLeft()).toEqual([0, 0, 0, 0]);
  });

  test.runIf(isLongRun && version === 18)("is left by workers that cannot read it to those that can: nothing is given up", async () => {
    await using node = await startSimNode({ ledger });
    const isAbout = ({ target }: { readonly target: string }) => target.includes("/accounts/");
    const isProbe = (request: { readonly target: string }) =>
      isAbout(request) && !SNAPSHOTS.some((at) => request.target.includes(`=${at}`));
    const pruned = faults.planFaults([{ fault: faults.prunedState(14_000n, 14_001n), match: isAbout }]);
    const refused = faults.planFaults([{ fault: faults.unknownError(418, "teapot"), match: isProbe }]);
    await using poor = await startSimNode({ ledger, faults: pruned });
    await using odd = await startSimNode({ ledger, faults: refused });
    const helpers = [worker(poor), worker(odd)];
    const waiting = async () => ((await runCli(["status", "--db", database, "--json"])).json()["workers"] as unknown[]).length;
    await expect.poll(waiting).toBe(2);
    const traced = await ended(runCli(["trace", ...source(node, database), "--rate", "10"]));
    expect(traced.json()).toMatchObject({ exact: alone.json["exact"], inexact: 0 });
    // They have tried.
    expect(probesOf(poor).length + probesOf(odd).length).toBeGreaterThan(0);
    for (const { stop } of helpers) stop();
    for (const { code, stderr } of await Promise.all(helpers.map(({ ended }) => ended))) expect(code, stderr).toBe(0);
    await expectSamePublicRows(database, expected);
    expect(await rowsLeft()).toEqual([0, 0, 0, 0]);
  });

  test.runIf(isLongRun && version === 18)("ends with its budget, which is of all together, and the next one goes on", async () => {
    await using node = await startSimNode({ ledger });
    const helper = worker(node);
    const budget = 40;
    const first = await ended(runCli(["trace", ...source(node, database), "--max-requests", `${budget}`]));
    // Each process may be within one search of an interval per account that it has in hand when the budget ends.
    expect(first.json()["inexact"]).toBeGreaterThan(0);
    expect(probesOf(node).length).toBeLessThanOrEqual(budget + 2 * 3 * 13);
    const second = await ended(runCli(["trace", ...source(node, database)]));
    helper.stop();
    await ended(helper.ended);
    expect(second.json()["inexact"]).toBe(0);
    const probes = probesOf(node);
    expect(new Set(probes).size).toBe(probes.length);
    await expectSamePublicRows(database, expected);
    expect(await rowsLeft()).toEqual([0, 0, 0, 0]);
  });
});
