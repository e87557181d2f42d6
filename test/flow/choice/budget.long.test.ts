import { writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { faults, startSimNode } from "../../../sim/index.ts";
import { asWords, ended, runCli } from "../../support/index.ts";
import { clock, DAY_MS, nextDay, night, node, place, rows, run, scene, useDays } from "./support/days.ts";

/** With the one that holds nothing. */
const COUNT = 13;
useDays(COUNT);

const sync = (...more: string[]) => run("sync", "--rpc", node.url, "--rate", "0", "--json", ...more);
async function everybodyOnce(): Promise<void> {
  expect(await night()).toMatchObject({ accounts: COUNT, status: "sealed" });
}

describe("a night whose budget does not suffice for all targets", () => {
  test("reads as many as it can, seals them, says what it left out and how old that is, and ends with 0", async () => {
    await everybodyOnce();
    await nextDay();
    const before = node.requestCount;
    const result = await ended(sync("--max-requests", "14"));
    const { accounts, accounts_passed_over: passedOver } = result.json() as Record<string, number>;
    expect(result.json()).toMatchObject({
      status: "sealed",
      gaps: 0,
      targets: COUNT,
      targets_never_read: 0,
      oldest_reading_ms: DAY_MS,
      median_reading_ms: DAY_MS,
    });
    expect(accounts).toBeGreaterThanOrEqual(4);
    expect((accounts as number) + (passedOver as number)).toBe(COUNT);
    expect(node.requestCount - before).toBeLessThanOrEqual(14);
    expect(result.stderr).not.toContain("where the snapshot of");
    expect(rows("SELECT accounts_read, accounts_passed_over, gaps FROM snapshot_coverage ORDER BY ledger_version DESC LIMIT 1")).toEqual([
      { accounts_read: accounts, accounts_passed_over: passedOver, gaps: 0 },
    ]);
    expect(rows("SELECT count(*) AS held, count(DISTINCT ledger_version) AS versions FROM covered_latest")).toEqual([
      { held: COUNT, versions: 2 },
    ]);
    const status = await run("status");
    expect(status.stdout).toMatch(
      /^readings +oldest reading 24 h, half of them 24 h or newer, \d accounts not read in the newest snapshot, by choice of its budget$/m,
    );
    expect((await run("status", "--json")).json()).toMatchObject({
      targets_never_read: 0,
      oldest_reading_ms: DAY_MS,
      newest_snapshot: { accounts_passed_over: passedOver },
    });
    await nextDay();
    const words = await run("sync", "--rpc", node.url, "--rate", "0", "--max-requests", "14");
    expect(words.stdout).toMatch(/^ {2}read \d of 13 accounts \(budget\), oldest reading 2 d, half of them 24 h or newer$/m);
  });

  test("reads first what was never read", async () => {
    await everybodyOnce();
    await ended(run("targets", "add", "0xf1", "0xf2", "0xf3"));
    await nextDay();
    expect((await sync("--max-requests", "14")).json()).toMatchObject({ status: "sealed", targets: COUNT + 3, targets_never_read: 0 });
  });

  test("a budget that is spent on retries seals what was read, and leaves the rest to the next night", async () => {
    await everybodyOnce();
    await nextDay();
    await using flaky = await startSimNode({
      ledger: scene.ledger,
      faults: faults.planFaults([
        { fault: faults.unavailable("overloaded"), match: ({ target }) => target.includes("/modules"), every: 2 },
      ]),
    });
    const result = await ended(
      runCli(
        ["sync", "--rpc", flaky.url, "--db", place.file("a.db"), "--rate", "0", "--concurrency", "1", "--max-requests", "14", "--json"],
        { clock },
      ),
    );
    const { accounts, accounts_passed_over: passedOver } = result.json() as Record<string, number>;
    expect(result.json()).toMatchObject({ status: "sealed", gaps: 0 });
    expect(accounts).toBeGreaterThanOrEqual(1);
    expect((accounts as number) + (passedOver as number)).toBe(COUNT);
    expect(rows("SELECT count(*) AS n FROM snapshots WHERE status = 'unsealed'")).toEqual([{ n: 0 }]);
  });

  test("an account that failed before the budget ended is a gap, and not passed over", async () => {
    await everybodyOnce();
    await nextDay();
    let failing: string | undefined;
    const isOfFirst = (target: string): boolean => {
      const address = /accounts\/(0x[0-9a-f]+)\/modules/.exec(target)?.[1];
      // The one that holds nothing has no module to repeat.
      if (address !== "0xdead") failing ??= address;
      return address !== undefined && address === failing;
    };
    const fault = { fault: faults.repeatedModule(), match: ({ target }: { readonly target: string }) => isOfFirst(target), every: 1 };
    await using flaky = await startSimNode({ ledger: scene.ledger, faults: faults.planFaults([fault]) });
    const words = asWords`sync --rpc ${flaky.url} --db ${place.file("a.db")} --rate 0 --concurrency 1 --max-requests 14`;
    const { stdout } = await ended(runCli(words, { clock }), 2);
    expect(stdout).toMatch(new RegExp(`^sealed with gaps: .*\\n  read \\d+ of ${COUNT} accounts \\(budget\\), .*[^]*\\n  1 gap: `));
    expect(rows("SELECT address, is_final FROM gaps")).toEqual([{ address: failing, is_final: 0 }]);
  });
});

test("accounts of a file are chosen among, the unknown ones too", async () => {
  await everybodyOnce();
  await nextDay();
  const list = place.file("list.csv");
  writeFileSync(list, [...scene.addresses, "0xf1"].join("\n"));
  const seen = new Set<string>();
  for (let day = 0; day < 6; day++) {
    const result = await ended(sync("--max-requests", "12", "--max-age", "6d", "--targets", list));
    const { accounts, accounts_passed_over: left } = result.json() as Record<string, number>;
    expect(result.json()).toMatchObject({ status: "sealed" });
    expect((accounts as number) + (left as number)).toBe(scene.addresses.length + 1);
    for (const { address } of rows(
      "SELECT address FROM covered_latest WHERE ledger_version = (SELECT max(ledger_version) FROM snapshots)",
    ) as { address: string }[])
      seen.add(address);
    await nextDay();
  }
  expect(seen.size).toBe(scene.addresses.length + 1);
});

test("twenty thousand targets that come in one night stop neither that night nor those that were known", { timeout: 120_000 }, async () => {
  await everybodyOnce();
  const many = Array.from({ length: 20_000 }, (_, n) => `0x${(0xa000000 + n).toString(16)}`);
  writeFileSync(place.file("many.csv"), `${many.join("\n")}\n`);
  await ended(run("targets", "import", place.file("many.csv")));
  await nextDay();
  const plan = (await sync("--max-requests", "30", "--dry-run")).json() as Record<string, number>;
  expect(plan["requests_for_greatest_age"]).toBeGreaterThan(1200);
  expect(plan["greatest_age_ms"]).toBeGreaterThan(200 * DAY_MS);
  const { oldest_reading_ms: oldest, targets_never_read: never, ...read } = await night("--max-requests", "30");
  expect(read).toMatchObject({ status: "sealed", targets: COUNT + many.length });
  expect(oldest).toBe(DAY_MS);
  expect(never).toBeLessThan(many.length);
  expect(
    rows(`SELECT count(*) > 0 AS known FROM covered_latest c WHERE ledger_version > ${scene.second} AND address NOT LIKE '0xa______'`),
  ).toEqual([{ known: 1 }]);
});

test.each([
  ["404", faults.unknownError(404, "gone")],
  ["500", faults.storageFailure("database")],
])("accounts that were never read, and answer %s, leave the nights to the others", async (_, fault) => {
  await everybodyOnce();
  const failing = ["0xbad1", "0xbad2"];
  await ended(run("targets", "add", ...failing));
  const isFailing = (target: string): boolean => failing.some((address) => target.includes(`/accounts/${address}`));
  await using flaky = await startSimNode({
    ledger: scene.ledger,
    faults: faults.planFaults([{ fault, match: ({ target }) => isFailing(target) }]),
  });
  // Gaps of the first nights are tried again in others.
  for (let day = 0; day < COUNT; day++) {
    await nextDay();
    await run("sync", "--rpc", flaky.url, "--rate", "0", "--max-requests", "10");
    expect(rows("SELECT p.ledger_version FROM _all_snapshots p JOIN _visits v USING (ledger_version) WHERE p.sealed_at > 0")).toEqual([]);
  }
  expect(rows(`SELECT count(*) AS n FROM covered_latest WHERE ledger_version > ${scene.second}`)).toEqual([{ n: COUNT }]);
});

describe("what a budget does not choose", () => {
  test("a first crawl is read whole, in as many runs as it takes", async () => {
    await ended(run("targets", "import", scene.targetsFile(place.file("targets.csv"))));
    const first = await ended(sync("--max-requests", "14"));
    expect(first.json()).toMatchObject({ status: "unsealed" });
    expect(first.json()).not.toHaveProperty("accounts_passed_over");
    const second = await sync("--max-requests", "40");
    expect(second.json()).toMatchObject({ status: "sealed", accounts: COUNT, ledger_version: `${scene.second}` });
  });

  test("an exact version", async () => {
    await everybodyOnce();
    await nextDay();
    const exact = await sync("--max-requests", "10", "--ledger-version", `${scene.first}`);
    expect(exact.json()).not.toHaveProperty("accounts_passed_over");
  });
});
