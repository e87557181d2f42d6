import { describe, expect, test } from "vitest";
import { serveDatabase } from "../../capabilities/serve/support/served-archive.ts";
import { asWords, databaseContent, ended, runCli } from "../../support/index.ts";
import { nextDay, night, node, place, rows, run, scene, useDays } from "./support/days.ts";

/** With the one that holds nothing. */
const COUNT = 5;
useDays(COUNT);

const account = () => scene.addresses[0] as string;

/** The views that tell what was read of accounts. */
const ofRecords = asWords`snapshots snapshot_coverage covered_at covered_latest accounts_at accounts_latest modules_at key_rotations`;

describe("--records", () => {
  test("never: one request an account instead of two, and nothing is said of any record", async () => {
    const summary = await night("--records", "never");
    expect(summary).toMatchObject({ status: "sealed", accounts: COUNT, records_unread: COUNT, gaps: 0 });
    expect(rows("SELECT accounts_read, records_read FROM snapshot_coverage")).toEqual([{ accounts_read: COUNT, records_read: 0 }]);
    expect(rows("SELECT DISTINCT has_record FROM covered_at")).toEqual([{ has_record: null }]);
    expect(rows("SELECT * FROM accounts_at UNION ALL SELECT * FROM accounts_latest")).toEqual([]);
    await ended(run("verify"));
    const shown = await run("show", account());
    expect(shown.stdout).toContain(
      `the account record was not read at ledger version ${summary["ledger_version"]}; no snapshot has read it`,
    );
    expect(summary["requests"]).toBeLessThan(2 * COUNT);
    await nextDay();
    expect((await night())["requests"]).toBeGreaterThanOrEqual(2 * COUNT);
    // The first reading of a record is no new account.
    const report = await run("report", "--last");
    expect(report.stdout).not.toMatch(/new account/i);
  });

  test("a snapshot that is held without records says so when it is asked for with them, and is left as it is", async () => {
    const { ledger_version: version } = await night("--records", "never");
    const again = ["sync", "--rpc", node.url, "--rate", "0", "--json", "--ledger-version", `${version}`];
    const asked = await run(...again, "--records", "nightly");
    expect(asked.stderr).toContain(`ledger version ${version} is held already, but without the records of ${COUNT} accounts`);
    expect(asked.json()).toMatchObject({ records_unread: COUNT });
    expect((await run(...again, "--records", "never")).stderr).not.toContain("without the records");
    expect(rows("SELECT records_read FROM snapshot_coverage")).toEqual([{ records_read: 0 }]);
  });

  test("weekly: a record is read once its newest reading is older than seven days by the ledger's time", async () => {
    const unread: unknown[] = [];
    for (let day = 0; day <= 8; day++) {
      const isPlanned = day < 2 || day === 8;
      const dry = ["sync", "--rpc", node.url, "--rate", "0", "--records", "weekly", "--dry-run", "--json"];
      const plan = isPlanned ? (await run(...dry)).json() : undefined;
      const summary = await night("--records", "weekly");
      unread.push(summary["records_unread"] ?? 0);
      // The index is among the requests of both.
      if (plan !== undefined) expect(plan["requests_at_least"], `day ${day}`).toBe(summary["requests"]);
      await nextDay();
    }
    expect(unread).toEqual([0, ...Array.from({ length: 7 }, () => COUNT), 0]);
    await ended(run("verify"));
    // A record that stands still has one row however often it is left unread.
    expect(rows("SELECT count(*) AS n FROM _account_spans GROUP BY address_id")).toEqual(Array.from({ length: COUNT }, () => ({ n: 1 })));
    expect((await run("status")).stdout).toContain("24 h");
  });

  test("in between the record is not covered, and the modules are: in views, from serve, in show, and after an import", async () => {
    const first = await night();
    await nextDay();
    scene.ledger.transact((writer) => writer.account(account(), { sequenceNumber: 4000n }));
    const second = await night("--records", "never");
    await nextDay();
    const third = await night();
    const [a, b, c] = [first, second, third].map((summary) => String(summary["ledger_version"])) as [string, string, string];
    expect(rows(`SELECT ledger_version FROM accounts_at WHERE address = '${account()}' ORDER BY 1`)).toEqual(
      [a, c].map((version) => ({ ledger_version: Number(version) })),
    );
    expect((await run("show", `${account()}@${b}`)).stdout).toContain(`was not read at ledger version ${b}; the newest that has: ${c}`);
    {
      await using service = await serveDatabase(place.file("a.db"));
      const ask = (path: string, version: string) => fetch(`${service.url}/accounts/${account()}${path}?ledger_version=${version}`);
      expect((await ask("", a)).status).toBe(200);
      expect((await ask("", c)).status).toBe(200);
      expect((await ask("/modules", b)).status).toBe(200);
      const refused = await ask("", b);
      expect(refused.status).toBe(404);
      expect(await refused.json()).toMatchObject({
        error_code: "version_not_found",
        message: expect.stringContaining(`read the modules of account ${account()} and not its record`),
      });
      expect([...refused.headers].find(([name]) => name.includes("nearest"))?.[1]).toBe(`${a}, ${c}`);
    }
    const copy = place.file("copy.db");
    await ended(runCli(["import", place.file("a.db"), "--db", copy]));
    const [theirs, ours] = [copy, place.file("a.db")].map((path): Record<string, unknown> => databaseContent(path));
    for (const view of ofRecords) expect(theirs?.[view], view).toEqual(ours?.[view]);
    await ended(runCli(["verify", "--db", copy]));
  });

  test("backfill reads code alone where it is told to", async () => {
    await night();
    for (let day = 0; day < 3; day++) await nextDay();
    await night();
    const before = node.requestCount;
    const at = Number(rows<{ v: number }>("SELECT min(ledger_version) AS v FROM snapshots")[0]?.v) + 1000;
    await ended(
      run(
        ...asWords`backfill --rpc ${node.url} --rate 0 --json --records never --from ${at} --to ${at} --every 1`,
        ...["--max-inferred", "1"],
      ),
    );
    expect(rows(`SELECT accounts_read, records_read FROM snapshot_coverage WHERE ledger_version = ${at}`)).toEqual([
      { accounts_read: COUNT, records_read: 0 },
    ]);
    expect(node.requestCount - before).toBeLessThan(2 * COUNT);
    await ended(run("verify"));
  });
});
