import { readdirSync, readFileSync } from "node:fs";
import { describe, expect } from "vitest";
import { createSampleLedger, startSimNode } from "../../../sim/index.ts";
import { markdownCode } from "../../../src/base/document/markdown.ts";
import { openStore } from "../../../src/work/store.ts";
import { ended } from "../../support/command/ended.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { runCli } from "../../support/run-cli.ts";
import { addressOf, NOON, night, type SeenAccount } from "../../support/store/temporary-store.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";
import { test } from "../../support/test.ts";

describe("report", () => {
  test("tells of a day: a new module, changed ABIs, a rotated key; and --since of everything", async ({ place }) => {
    const sample = createSampleLedger();
    await using node = await startSimNode({ ledger: sample.ledger });
    const db = place.file("night.db");
    await runCli(["targets", "add", ...sample.codeAccounts, sample.trader, "--db", db]);
    const sync = ["sync", "--rpc", node.url, "--db", db, "--rate", "0"];
    await runCli(sync);
    sample.passDay();
    await runCli(sync);
    const last = await runCli(["report", "--json", "--db", db]);
    expect(last.json()).toMatchObject({
      snapshots: 1,
      gaps: 0,
      new_accounts: 0,
      first_read_accounts: 0,
      modules_added: 1,
      modules_abi_changed: 2,
      modules_bytes_changed: 0,
      modules_removed: 0,
      keys_rotated: 1,
      modules_breaking: 1,
      modules_dangerous: 1,
      lists: {
        breaks: [{ module: "pool", findings: [{ rule: "function-removed", item: "spot_price", users: [] }] }, { module: "badge" }],
        modules_added: [{ module: "orders", from_sha256: null, is_exact: false, ledger_time: "2026-01-05T00:00:00.400Z" }],
        keys_rotated: [{ address: sample.trader }],
      },
    });
    // A night runs it so: no lists, and all the numbers.
    const short = (await runCli(["report", "--json", "--limit", "0", "--db", db])).json();
    expect(short).toMatchObject({ modules_compared: 2, modules_breaking: 1, modules_dangerous: 1, modules_abi_changed: 2 });
    expect(short["lists"]).toMatchObject({ modules_abi_changed: [], modules_added: [], keys_rotated: [] });
    const all = await runCli(["report", "--since", "0", "--json", "--db", db]);
    expect(all.json()).toMatchObject({ snapshots: 2, first_read_accounts: 5, modules_added: 1, keys_rotated: 1 });
    const text = await runCli(["report", "--db", db]);
    expect(text.stdout).toContain("3 modules changed: 1 breaking, 1 dangerous, 1 safe.\n");
    expect(text.stdout).toContain("## What breaks: 2 modules\n");
    expect(text.stdout).toMatch(/`function-removed` function `spot_price`: .* for callers/);
    expect(text.stdout).toContain("## Modules with another ABI: 2\n");
    expect(text.stdout).toMatch(
      /\| `0x\w+::orders` \| `[0-9a-f]{12}` \| after \d+, at or before \d+; about [\d-]+T[\d:]+Z \(± [^)]+\) \|\n/,
    );
  });

  test("is written as Markdown, HTML for mail and text, the worst first, with links where the pages have an address", async ({ place }) => {
    const sample = createSampleLedger();
    await using node = await startSimNode({ ledger: sample.ledger });
    const db = place.file("night.db");
    await runCli(["targets", "add", ...sample.codeAccounts, sample.trader, "--db", db]);
    const sync = ["sync", "--rpc", node.url, "--db", db, "--rate", "0"];
    await runCli(sync);
    sample.passDay();
    await runCli(sync);
    const report = async (...more: string[]) => (await runCli(["report", "--db", db, ...more])).stdout;
    const links = ["--base-url", "https://archive.example/x"];
    const [markdown, text] = [await report(...links), await report("--format", "text", ...links)];
    await report("--out", place.file("report.html"), ...links);
    const page = readFileSync(place.file("report.html"), "utf8");
    for (const written of [markdown, text, page]) {
      const places = ["1 breaking, 1 dangerous, 1 safe", "spot_price", "variant-added", "Modules added", "Keys rotated", "Snapshots"];
      expect(places.map((words) => written.indexOf(words)).toSorted((a, b) => a - b)).toEqual(
        places.map((words) => written.indexOf(words)),
      );
      expect(places.filter((words) => !written.includes(words))).toEqual([]);
      expect(written).toMatch(/https:\/\/archive\.example\/x\/diff\/0x\w+\/pool\?from=\d+&(?:amp;)?to=\d+/);
    }
    // What mail programs know: styles at the elements, nothing that is loaded or runs.
    expect(page).toMatch(/^<!doctype html>/);
    expect(page).not.toMatch(/<(?:script|style|link|img|svg|details)\b|class=|src=/);
    expect(await report()).not.toContain("https://");
    const wrong = await runCli(["report", "--db", db, "--base-url", "ftp://host"]);
    expect([wrong.code, wrong.stderr]).toEqual([64, expect.stringContaining("--base-url is not a valid address")]);
  });

  test("what backfill puts between two nights hides nothing of the night, and older snapshots are listed", async ({ place }) => {
    const sample = createSampleLedger();
    await using node = await startSimNode({ ledger: sample.ledger });
    const db = place.file("night.db");
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
      const at = ["--from", `${version}`, "--to", `${version}`, "--count", "1"];
      await ended(run("backfill", "--rpc", node.url, "--rate", "0", ...at));
    }
    const { lists, ...totals } = (await run("report", "--json")).json() as { lists: Record<string, unknown[]> };
    const { lists: aloneLists, ...aloneTotals } = alone as { lists: Record<string, unknown[]> };
    expect(aloneTotals).toMatchObject({ modules_added: 1, modules_abi_changed: 2, keys_rotated: 1, older_snapshots: 0 });
    expect(totals).toEqual({ ...aloneTotals, snapshots: 2, older_snapshots: 1 });
    expect(lists["older_snapshots"]).toMatchObject([{ ledger_version: `${before - 1_000n}`, status: "sealed" }]);
    expect(aloneLists["modules_added"]).toHaveLength(1);
    expect((await run("report")).stdout).toContain("## Older snapshots read or completed: 1\n");
  });

  test("bytes that changed under an equal ABI, undecodable ones, removed modules and new accounts are lists of their own", async () => {
    const text = await reportOf([
      [10n, { 1: { sequence: 1n, modules: { gone: "a", other: "a" } }, 2: { sequence: null, modules: {} } }],
      [20n, { 1: { sequence: 1n, modules: { other: "b" } }, 2: { sequence: 0n, modules: {} }, 3: { sequence: 5n, modules: {} } }],
    ]);
    expect(text).toContain("## New accounts: 1\n\n| account | first in |\n| --- | --- |\n| `0x2` | 20 |\n");
    expect(text).toContain("## Accounts read for the first time: 1\n\n| account | first in |\n| --- | --- |\n| `0x3` | 20 |\n");
    expect(text).toContain("## Modules removed: 1\n");
    expect(text).toContain("## Modules changed, their ABI unclear: 1\n");
    expect(text).not.toContain("Keys rotated");
  });

  test("an account that did not answer is no change, and counts as a gap", async () => {
    const text = await reportOf([
      [10n, { 1: { sequence: 1n, modules: { kept: "a" } }, 2: { sequence: 1n, modules: {} } }],
      [20n, { 1: "missed", 2: { sequence: 1n, modules: {} } }],
    ]);
    // A quiet night is one line.
    expect(text).toMatch(/^Nothing changed of chain \d+ after ledger version 10, up to 20: 1 snapshot, 1 account, 0 modules, 1 gap\.\n$/);
  });

  test("names that would be markup stay text", async () => {
    const names = ["a|b", "`tick`", "<script>alert(1)</script>", "[x](javascript:1)", "@everyone", "\u202Eevil", "**bold**", "#1"];
    const text = await reportOf([
      [10n, { 1: { sequence: 1n, modules: {} } }],
      [20n, { 1: { sequence: 1n, modules: Object.fromEntries(names.map((name) => [name.replaceAll(" ", ""), name])) } }],
    ]);
    const cells = text.split("\n").filter((line) => line.includes("0x1"));
    expect(cells).toHaveLength(names.length);
    for (const line of cells) {
      expect(line.split("|")).toHaveLength(5);
      expect(line).toMatch(/^\| <code>[A-Za-z0-9&#; ]+<\/code> \| `[0-9a-f]{12}` \| after 10, at or before 20 \|$/);
    }
  });

  test("lists end at the limit and say how much more there is", async () => {
    const modules = Object.fromEntries(Array.from({ length: 7 }, (_, n) => [`m${n}`, `code ${n}`]));
    const text = await reportOf(
      [
        [10n, { 1: { sequence: 1n, modules: {} } }],
        [20n, { 1: { sequence: 1n, modules } }],
      ],
      "--limit",
      "3",
    );
    expect(text).toContain("## Modules added: 7\n");
    expect(text.match(/0x1::m\d/g)).toHaveLength(3);
    expect(text).toContain("\nand 4 more\n");
  });

  test("without a snapshot there is nothing to tell; --out writes a file whole", async ({ place }) => {
    const db = place.file("empty.db");
    await (await openStore(db, { mode: "write", now: () => NOON })).close();
    const { code, stdout } = await runCli(["report", "--db", db, "--out", place.file("report.md")]);
    expect([code, stdout, readFileSync(place.file("report.md"), "utf8")]).toEqual([0, "", "# No snapshot is held yet\n"]);
    expect(readdirSync(place.path).filter((name) => name.includes("part"))).toEqual([]);
    const failed = await runCli(["report", "--db", db, "--out", place.file("none/report.md")]);
    expect([failed.code, failed.stderr]).toEqual([
      64,
      expect.stringMatching(/could not write the report `.*none\/report\.md`: no such file or directory \(ENOENT\)/),
    ]);
  });
});

test("markdownCode keeps plain names readable", () => {
  expect(markdownCode("0x1::coin")).toBe("`0x1::coin`");
  expect(markdownCode("a`b")).toBe("<code>a&#96;b</code>");
});

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
