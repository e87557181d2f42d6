import { describe, expect, onTestFinished } from "vitest";
import { faults, manyAccounts, type SimNode, startSimNode, writeModule } from "../../../sim/index.ts";
import { runQueries } from "../../../src/core/work/runs/runs.ts";
import { openStore } from "../../../src/core/work/store.ts";
import { ended, listings, listsOf, ManualClock, quickArchive, runCli, test, valuesOf } from "../../support/index.ts";

const pace = ["--rate", "0"];

/** Two accounts of three modules; versions 10,000 and 14,000 are snapshots, and what happens between is up to the test. */
function ledgerWith(happens: (many: ReturnType<typeof manyAccounts>) => void) {
  const many = manyAccounts(2, { packages: 2 });
  happens(many);
  many.ledger.advanceTo(15_000n);
  const [first, second] = [many.address(0), many.address(1)];
  const names = many.ledger.modulesAt(first, 0n).map(({ name }) => name) as [string, string, string];
  return { ledger: many.ledger, first, second, names };
}

/** The same behind a node, and a database that holds both snapshots of its first accounts. */
async function held(place: { readonly file: (name: string) => string }, accounts: number, happens: Parameters<typeof ledgerWith>[0]) {
  const { ledger, first, second, names } = ledgerWith(happens);
  const node = await startSimNode({ ledger });
  onTestFinished(() => node.close());
  const db = await quickArchive(place.file("night.db"));
  const scope = [first, second].slice(0, accounts).flatMap((address) => ["--account", address]);
  for (const version of ["10000", "14000"]) {
    await ended(runCli(["sync", "--rpc", node.url, "--db", db, ...scope, "--ledger-version", version, ...pace]));
  }
  return { ledger, first, second, names, node, db };
}

function trace(node: SimNode, db: string, ...args: string[]) {
  return runCli(["trace", ...args, "--rpc", node.url, "--db", db, ...pace, "--json"], { clock: new ManualClock({ skipSleeps: true }) });
}

type Change = {
  readonly module: string | null;
  readonly after_version: string;
  readonly at_or_before_version: string;
  readonly state: string;
  readonly probes: number;
};
const changesOf = (json: Record<string, unknown>): Change[] => json["changes"] as Change[];

describe("trace", () => {
  test("one module that differs is asked for alone, in exactly as many probes as halving needs", async ({ place }) => {
    const { node, db } = await held(place, 1, (many) => {
      many.ledger.advanceTo(12_344n);
      many.upgradeEvery(1);
    });
    const before = node.requests.length;
    const { json } = await ended(trace(node, db));
    expect(changesOf(json())).toMatchObject([{ at_or_before_version: "12345", state: "exact", probes: 12 }]);
    expect(json()).toMatchObject({ probes: 12, least_probes: 12, exact: 1 });
    const probes = node.requests.slice(before).filter(({ query }) => /ledger_version=1[0-4]\d{3}/.test(query));
    expect(probes.filter(({ path }) => path.includes("/modules"))).toEqual([]);
  });

  test("a rotated key is found too, and what is asked for restricts what is traced", async ({ place }) => {
    const { first, names, node, db } = await held(place, 1, (many) => {
      many.ledger.advanceTo(11_110n);
      many.ledger.transact((writer) => writer.account(many.address(0), { authenticationKey: new Uint8Array(32).fill(7) }));
      many.ledger.advanceTo(13_000n);
      many.upgradeEvery(1);
    });
    const plan = await runCli(["trace", first, "--db", db, "--dry-run", "--json"]);
    expect(changesOf(plan.json())).toHaveLength(2);
    const requests = node.requests.length;
    expect((await ended(trace(node, db, "0xdead"), 1)).stderr).toContain("no sealed snapshot has an answer about 0xdead.");
    expect((await ended(trace(node, db, `${first}::none`), 1)).stderr).toContain(`${first}::none is not there at ledger version 14000.`);
    expect((await ended(trace(node, db, `${names[0]}x`), 1)).stderr).toContain(`Did you mean \`${names[0]}\``);
    const planOf = async (name: string) => (await runCli(["trace", name, "--db", db, "--dry-run", "--json"])).json();
    expect(await planOf(names[0])).toEqual(await planOf(`${first}::${names[0]}`));
    expect(node.requests).toHaveLength(requests);
    const none = await trace(node, db, first, "--between", "1", "13000");
    expect(changesOf(none.json())).toEqual([]);
    const both = await trace(node, db, first, "--between", "14000", "10000");
    expect(changesOf(both.json()).map(({ module, at_or_before_version }) => [module === null, at_or_before_version])).toEqual([
      [true, "11111"],
      [false, "13001"],
    ]);
    expect(listsOf(db, "SELECT at_or_before_version, is_exact, to_key FROM key_rotations")).toEqual([[11_111, 1, `0x${"07".repeat(32)}`]]);
  });

  test("what the node has pruned is narrowed to the horizon, and says so", async ({ place }) => {
    const { ledger, node, db } = await held(place, 1, (many) => {
      many.ledger.advanceTo(11_000n);
      many.upgradeEvery(2);
    });
    ledger.pruneTo(12_000n);
    const { json } = await ended(trace(node, db));
    expect(changesOf(json())).toMatchObject([{ at_or_before_version: "12000", state: "unreadable" }]);
    const text = await runCli(["trace", "--rpc", node.url, "--db", db, ...pace]);
    expect(text.stdout).toMatch(/ changed +10000 +12000 +unreadable /);
  });

  test("stopped by its budget it loses nothing: the next runs go on, and the probes add up", async ({ place }) => {
    const { node, db } = await held(place, 2, (many) => {
      many.ledger.advanceTo(11_000n);
      many.upgradeEvery(1);
    });
    let probes = 0;
    for (let run = 0; run < 20; run++) {
      const { json } = await ended(trace(node, db, "--max-requests", "9"));
      probes += json()["probes"] as number;
      if (changesOf(json()).length === 0) break;
    }
    // Two searches of 4,000 versions, of eleven or twelve probes each: none was made twice.
    expect(probes).toBeGreaterThanOrEqual(22);
    expect(probes).toBeLessThanOrEqual(24);
    const rows = valuesOf(db, "SELECT at_or_before_version FROM module_changes WHERE is_exact");
    expect(rows).toEqual([11_001, 11_001]);
  });

  test("an account that keeps failing is named with its reason, and the rest is traced", async ({ place }) => {
    const { ledger, second, db } = await held(place, 2, (many) => {
      many.ledger.advanceTo(11_000n);
      many.upgradeEvery(1);
    });
    const broken = { fault: faults.gatewayPage(502), match: ({ target }: { target: string }) => target.includes(`${second}/module/`) };
    await using node = await startSimNode({ ledger, faults: faults.planFaults([broken]) });
    const { json } = await ended(trace(node, db), 2);
    expect(
      changesOf(json())
        .map(({ state }) => state)
        .sort(),
    ).toEqual(["exact", "failed"]);
  });

  describe("where a node lists no module between two snapshots that have some, an interval stays open", () => {
    /** Listings at versions that are no snapshot, and those of the framework: a whole index, or one that is being built. */
    const between = ({ target }: { readonly target: string }): boolean => listings({ target }) && !/=1[04]000/.test(target);
    const isBuilt = ({ target }: { readonly target: string }): boolean => between({ target }) && !target.includes("/0x1/");
    const listsNothing = faults.emptyListing();
    const unknown = faults.unknownError(404, "account_not_found");

    test.for([
      ["an empty list, as for every account", { fault: listsNothing, match: between }, /lists no module at .* not even of 0x1/],
      ["an empty list, as for some accounts", { fault: listsNothing, match: isBuilt }, /lists no module of 0x\w+ at/],
      ["that there is no such account", { fault: unknown, match: isBuilt }, /lists no module of 0x\w+ at/],
      [
        "no such module",
        {
          fault: faults.unknownError(404, "module_not_found"),
          match: ({ target }: { target: string }) => /\/module\/.*=1(?![04]000)/.test(target),
        },
        /has no module `\w+` of 0x\w+ at ledger version \d+, where it stands before and after/,
      ],
    ] as const)("where it answers %s", async ([what, fault, reason], { place }) => {
      const { ledger, node, db } = await held(place, 1, (many) => {
        many.ledger.advanceTo(12_000n);
        const changed = what === "no such module" ? 1 : 2;
        many.ledger.transact((writer) => {
          for (const { name } of many.ledger.modulesAt(many.address(0), 0n).slice(0, changed))
            writer.publish(many.address(0), name, writeModule({ address: many.address(0), name, functions: [{ name: "newer" }] }));
        });
      });
      await using broken = await startSimNode({ ledger, faults: faults.planFaults([fault]) });
      const failed = await ended(trace(broken, db), 2);
      expect(failed.stderr + failed.stdout).toMatch(reason);
      // A module that is left alone is asked for by name, which needs no index.
      expect(listsOf(db, "SELECT count(*) FROM _module_probes WHERE bytecode_id IS NULL")).toEqual([[0]]);
      expect(listsOf(db, "SELECT count(*) > 0 FROM module_changes WHERE NOT is_exact")).toEqual([[1]]);
      await ended(trace(node, db));
      const changes = "SELECT DISTINCT at_or_before_version, is_exact, to_sha256 IS NULL FROM module_changes WHERE after_version > 9999";
      expect(listsOf(db, changes)).toEqual([[12_001, 1, 0]]);
    });
  });

  test("a node that has not reached a change is not asked for it, and says so; what it has reached is narrowed", async ({ place }) => {
    const { ledger, db } = await held(place, 1, (many) => {
      many.ledger.advanceTo(13_000n);
      many.upgradeEvery(1);
    });
    for (const [behind, after] of [
      [6_000n, "10000"],
      [4_500n, "10500"],
    ] as const) {
      await using late = await startSimNode({ ledger, behind: [behind] });
      const clock = new ManualClock({ skipSleeps: true });
      const { json } = await ended(runCli(["trace", "--rpc", late.url, "--db", db, ...pace, "--json"], { clock }));
      expect(changesOf(json())).toMatchObject([{ state: "behind", after_version: after, at_or_before_version: "14000" }]);
      expect(json()).toMatchObject({ exact: 0, inexact: 1 });
      expect(clock.slept).toEqual([]);
      expect(late.requestCount).toBeLessThanOrEqual(6);
    }
  });

  test("changes of several modules and of a key are exact in the views, and nothing is left to trace", async ({ place }) => {
    const { node, db } = await held(place, 2, (many) => {
      const address = many.address(0);
      many.ledger.advanceTo(11_000n);
      many.upgradeEvery(1);
      many.ledger.advanceTo(12_700n);
      many.ledger.transact((writer) => writer.account(address, { authenticationKey: new Uint8Array(32).fill(7) }));
      many.ledger.advanceTo(13_300n);
      many.ledger.transact((writer) => {
        for (const { name } of many.ledger.modulesAt(address, 0n)) writer.publish(address, name, writeModule({ address, name }));
      });
    });
    const { json } = await ended(trace(node, db));
    expect(json()).toMatchObject({ exact: 6, inexact: 0 });
    const rows = (sql: string) => valuesOf(db, sql);
    const changes = rows("SELECT DISTINCT at_or_before_version FROM module_changes WHERE is_exact ORDER BY 1");
    expect(changes).toEqual([11_001, 13_301]);
    expect(rows("SELECT at_or_before_version FROM key_rotations WHERE is_exact")).toEqual([12_701]);
    expect((await trace(node, db)).json()).toMatchObject({ changes: [], inexact: 0, probes: 0 });
  });

  test("the budget goes to the changes that no report has named yet, and it says what is left", async ({ place }) => {
    const { ledger, first } = ledgerWith((many) => {
      many.ledger.advanceTo(10_500n);
      many.upgradeEvery(2);
      many.ledger.advanceTo(13_000n);
      many.ledger.transact((writer) => {
        const [, { name = "" } = {}] = many.ledger.modulesAt(many.address(0), 0n);
        writer.publish(many.address(0), name, writeModule({ address: many.address(0), name }));
      });
    });
    await using node = await startSimNode({ ledger });
    const scope = ["--account", first];
    for (const [reported, exact] of [
      [undefined, "10501"],
      [12_000n, "13001"],
    ] as const) {
      const db = place.file(`night-${exact}.db`);
      for (const version of ["10000", "12000", "14000"]) {
        await runCli(["sync", "--rpc", node.url, "--db", db, ...scope, "--ledger-version", version, ...pace]);
      }
      if (reported !== undefined) {
        await using store = await openStore(db, { mode: "join" });
        await runQueries(store.engine).noteReport({ ledgerVersion: reported, appVersion: "0", now: 0 });
      }
      const { json } = await ended(trace(node, db, "--max-requests", "16", "--concurrency", "1"));
      expect(changesOf(json()).filter(({ state }) => state === "exact")).toMatchObject([{ at_or_before_version: exact }]);
      expect(json()).toMatchObject({ exact: 1, inexact: 1, stopped_by: "budget" });
    }
  });
});
