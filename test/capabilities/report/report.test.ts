import { readdirSync, readFileSync } from "node:fs";
import { describe, expect } from "vitest";
import { createSampleLedger, faults, startSimNode, writeModule } from "../../../sim/index.ts";
import { openStore } from "../../../src/core/work/store.ts";
import { isLongRun } from "../../run-size.ts";
import { ended, ManualClock, quickArchive, runCli, sealModules, temporaryDirectory, test, testReleases } from "../../support/index.ts";
import { accountOf, changedModules, loadHistory, neighbours, type RecordedRelease, readReleases } from "../../support/recorded-releases.ts";
import { addressOf, NOON, night, type SeenAccount } from "../../support/store/temporary-store.ts";

describe("report", () => {
  test("what backfill puts between two nights hides nothing of the night, and older snapshots are listed", async ({ place }) => {
    const sample = createSampleLedger();
    await using node = await startSimNode({ ledger: sample.ledger });
    const db = await quickArchive(place.file("night.db"));
    const clock = new ManualClock({ skipSleeps: true });
    const run = (...args: string[]) => runCli([...args, "--db", db], { clock });
    await run("targets", "add", ...sample.codeAccounts, sample.trader);
    const sync = ["sync", "--rpc", node.url, "--rate", "0"];
    await run(...sync);
    const before = sample.ledger.info().head;
    await clock.advance(86_400_000);
    sample.passDay();
    await run(...sync);
    const after = sample.ledger.info().head;
    const alone = (await run("report", "--json")).json();
    await clock.advance(60_000);
    const between = [before - 1_000n, after - 1n];
    for (const version of between) {
      const at = ["--from", `${version}`, "--to", `${version}`, "--every", "1"];
      await ended(run("backfill", "--rpc", node.url, "--rate", "0", ...at));
    }
    const { lists, ...totals } = (await run("report", "--json")).json() as { lists: Record<string, unknown[]> };
    const { lists: aloneLists, ...aloneTotals } = alone as { lists: Record<string, unknown[]> };
    expect(aloneTotals).toMatchObject({ modules_added: 1, modules_abi_changed: 2, keys_rotated: 1, older_snapshots: 0 });
    expect(totals).toEqual({ ...aloneTotals, snapshots: 2, older_snapshots: 1 });
    expect(lists["older_snapshots"]).toMatchObject([{ ledger_version: `${before - 1_000n}`, status: "sealed" }]);
    expect(aloneLists["modules_added"]).toHaveLength(1);
    expect((await run("report")).stdout).toContain("\n- 1 older snapshot read or completed\n");
  });

  test("a night that failed is no quiet night", async ({ place }) => {
    const { ledger } = createSampleLedger();
    const refused = faults.planFaults([{ fault: faults.unauthorized() }]);
    await using node = await startSimNode({ ledger });
    await using closed = await startSimNode({ ledger, faults: refused });
    const clock = new ManualClock({ skipSleeps: true });
    await quickArchive(place.file("night.db"));
    const reported = async (url: string, code: number): Promise<string> => {
      const where = ["--db", place.file("night.db"), "--report", place.file(`${url.length}-${code}.md`)];
      await ended(runCli(["night", "--rpc", url, "--rate", "0", "--trace-requests", "0", ...where], { clock }), code);
      return readFileSync(where.at(-1) as string, "utf8");
    };
    const failed = /\n- the last sync, begun \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ, ended with exit code 1\n/;
    expect(await reported(node.url, 0)).not.toMatch(failed);
    const quiet = await reported(closed.url, 1);
    expect(quiet).toContain("\nNothing new: no snapshot is newer than ledger version ");
    expect(quiet).toMatch(failed);
    ledger.advance(1000n);
    expect(await reported(node.url, 0)).not.toMatch(failed);
    await ended(runCli(["sync", "--rpc", closed.url, "--db", place.file("night.db")], { clock }), 1);
    expect((await runCli(["report", "--db", place.file("night.db")])).stdout).toMatch(failed);
  });

  test("a night's line counts what its report does, be it of a snapshot that no night made", async ({ place }) => {
    const sample = createSampleLedger();
    await using node = await startSimNode({ ledger: sample.ledger });
    const clock = new ManualClock({ skipSleeps: true });
    const [db, report] = [await quickArchive(place.file("night.db")), place.file("changes.md")];
    await ended(runCli(["targets", "add", ...sample.codeAccounts, "--db", db], { clock }));
    const source = ["--rpc", node.url, "--rate", "0", "--db", db];
    const night = () => ended(runCli(["night", ...source, "--trace-requests", "0", "--report", report], { clock }));
    await night();
    sample.passDay();
    await ended(runCli(["sync", ...source], { clock }));
    sample.ledger.advance(1000n);
    expect((await night()).stdout).toContain(", 3 modules changed, no gaps, ");
    const [, ...counts] = /(\d+) modules? breaks? somebody, (\d+) may, (\d+) do/.exec(readFileSync(report, "utf8")) ?? [];
    expect(counts.reduce((sum, count) => sum + Number(count), 0)).toBe(3);
  });

  test("what could not be compared may break; removed modules and new accounts are named", async () => {
    const text = await reportOf([
      [10n, { 1: { sequence: 1n, modules: { gone: "a", other: "a" } }, 2: { sequence: null, modules: {} } }],
      [20n, { 1: { sequence: 1n, modules: { other: "b" } }, 2: { sequence: 0n, modules: {} }, 3: { sequence: 5n, modules: {} } }],
    ]);
    expect(text).toContain("1 module breaks somebody, 1 may, 0 do not.");
    expect(text).toContain("- `0x1::gone` was removed: breaks clients and readers\n");
    expect(text).toMatch(/\n- could not be compared: `0x1::other: .*`\n/);
    expect(text).toContain("- 1 new account: `0x2`\n- 1 account read for the first time: `0x3`\n");
    expect(text).not.toContain("rotated");
  });

  test("a module that breaks somebody is also among those that may break somebody else", async ({ place }) => {
    const account = (type: string, functions: string[]) => ({
      "0xcafe": [
        writeModule({
          address: "0xcafe",
          name: "m",
          structs: [{ name: "S", abilities: ["key"], fields: [["value", type]] }],
          functions: functions.map((name) => ({ name, visibility: "public" })),
        }),
      ],
    });
    await sealModules(place.file("night.db"), [
      { version: 10n, accounts: account("u64", ["f", "g"]) },
      { version: 20n, accounts: account("u8", ["f"]) },
    ]);
    const { stdout } = await runCli(["report", "--since", "10", "--db", place.file("night.db")]);
    expect(stdout).toContain("- `0xcafe::m`: `S` has other fields; breaks clients and readers\n");
    expect(stdout).toContain("- `0xcafe::m`: `g` was removed; may break callers\n");
  });

  test("a report of several nights counts each module once, by the worst of its changes", async () => {
    const nights = (...hashes: string[]) =>
      hashes.map((hash, i) => [BigInt(10 + i), { 1: { sequence: 1n, modules: hash === "" ? {} : { m: hash } } }] as const);
    expect(await reportOf(nights("a", "b", "c"), "--since", "10")).toContain("\n\nNo module breaks anybody, 1 may, 0 do not.\n");
    expect(await reportOf(nights("a", "b", "", "c"), "--since", "10")).toContain("\n\n1 module breaks somebody, 0 may, 0 do not.\n");
  });

  test("an account that did not answer is no change, and is named; a quiet night is one line", async () => {
    const text = await reportOf([
      [10n, { 1: { sequence: 1n, modules: { kept: "a" } }, 2: { sequence: 1n, modules: {} } }],
      [20n, { 1: "missed", 2: { sequence: 1n, modules: {} } }],
    ]);
    expect(text).toContain("\n\nNo module changed; 1 account unknown: 0x1.\n\n## Also\n\n- no answer from `0x1`: `gone`\n");
    expect(await reportOf([[10n, { 1: { sequence: 1n, modules: { kept: "a" } } }]])).toContain("\n\nThe first snapshot, 1 module.\n");
    const still = { 1: { sequence: 1n, modules: {} } };
    expect(
      await reportOf([
        [10n, still],
        [20n, still],
      ]),
    ).toMatch(/^Nothing changed on chain \d+ after ledger version 10, up to 20: 1 snapshot, 1 account, 0 modules\.\n$/);
  });

  test("names that would be markup stay text", async () => {
    const names = ["a|b", "`tick`", "<script>alert(1)</script>", "[x](javascript:1)", "@everyone", "\u202Eevil", "**bold**", "#1"];
    const text = await reportOf([
      [10n, { 1: { sequence: 1n, modules: {} } }],
      [20n, { 1: { sequence: 1n, modules: Object.fromEntries(names.map((name) => [name.replaceAll(" ", ""), name])) } }],
    ]);
    const line = text.split("\n").find((one) => one.startsWith("- 8 modules added: ")) ?? "";
    const spans = line.slice("- 8 modules added: ".length).split(", ");
    expect(spans).toHaveLength(5);
    for (const span of spans) expect(span).toMatch(/^(?:`[^`]+`|`` 0x1::`tick` ``)(?: and 3 more)?$/);
    expect(text).not.toContain("\u202E");
  });

  if (isLongRun)
    testReleases("has at most 40 lines and 60 kB on the largest nights of the recorded releases", async ({ place }) => {
      const largest = neighbours(readReleases())
        .map((pair) => ({ pair, changes: changesIn(...pair) }))
        .toSorted((a, b) => b.changes - a.changes)
        .slice(0, 4);
      expect(largest[0]?.changes).toBeGreaterThan(150);
      for (const [i, { pair, changes }] of largest.entries()) {
        const db = place.file(`${i}.db`);
        const store = await openStore(db, { mode: "write", now: () => NOON });
        await loadHistory(store.engine, pair);
        await store.close();
        const report = async (format: string) =>
          (await runCli(["report", "--db", db, "--format", format, "--base-url", "https://archive.example/"])).stdout;
        const [text, html, markdown] = [await report("text"), await report("html"), await report("markdown")];
        expect(text.trimEnd().split("\n").length).toBeLessThanOrEqual(40);
        expect(html.length).toBeLessThanOrEqual(60_000);
        expect(markdown).not.toContain("&#");
        const [, breaking = "", may = "", none = ""] =
          /^(\d+|No) modules? breaks? (?:somebody|anybody), (\d+) may, (\d+) do not\.$/m.exec(text) ?? [];
        expect((Number(breaking) || 0) + Number(may) + Number(none)).toBe(changes);
      }
    });

  test("without a snapshot there is nothing to tell; --out writes a file whole; addresses of pages are those of the web", async ({
    place,
  }) => {
    const db = place.file("empty.db");
    await (await openStore(db, { mode: "write", now: () => NOON })).close();
    const { code, stdout } = await runCli(["report", "--db", db, "--out", place.file("report.md")]);
    expect([code, stdout, readFileSync(place.file("report.md"), "utf8")]).toEqual([0, "", "# No snapshot is held yet\n"]);
    expect(readdirSync(place.path).filter((name) => name.includes("part"))).toEqual([]);
    const wrong = await runCli(["report", "--db", db, "--base-url", "ftp://host"]);
    expect([wrong.code, wrong.stderr]).toEqual([64, expect.stringContaining("--base-url is not a valid address")]);
    const failed = await runCli(["report", "--db", db, "--out", place.file("none/report.md")]);
    expect([failed.code, failed.stderr]).toEqual([
      64,
      expect.stringMatching(/could not write the report `.*none\/report\.md`: no such file or directory \(ENOENT\)/),
    ]);
  });
});

/** How many modules changed from a release to the next, those of accounts that are new left out. */
function changesIn(before: RecordedRelease, after: RecordedRelease): number {
  const accounts = new Set(Array.from(before.modules.keys(), accountOf));
  return [...changedModules(before, after)].filter(([id]) => accounts.has(accountOf(id))).length;
}

/** The report in Markdown of a database of these nights. */
async function reportOf(nights: readonly (readonly [bigint, Readonly<Record<number, SeenAccount>>])[], ...more: string[]): Promise<string> {
  using own = temporaryDirectory();
  const db = own.file("night.db");
  const store = await openStore(db, { mode: "write", now: () => NOON });
  for (const [version, seen] of nights)
    await night(store.engine, version, new Map(Object.entries(seen).map(([n, account]) => [addressOf(Number(n)), account])));
  await store.close();
  const { stdout } = await ended(runCli(["report", "--db", db, ...more]));
  return stdout;
}
