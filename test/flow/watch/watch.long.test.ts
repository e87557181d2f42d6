import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createSampleLedger, type SampleLedger, type SimNode, startSimNode, writeModule } from "../../../sim/index.ts";
import { exchangeAddress } from "../../../sim/sample/exchange.ts";
import { badgesAddress } from "../../../sim/sample/index.ts";
import { servePages } from "../../capabilities/explorer/support/served-pages.ts";
import { ended, jsonLines, ManualClock, quickArchive, rowsOf, runCli, temporaryDirectory, valuesOf } from "../../support/index.ts";
import { listedSample } from "./support/listed-sample.ts";

type AlertRow = { severity: string; address: string; module: string; subject: string; is_exact: number; findings: string };

describe("watching", () => {
  let sample: SampleLedger;
  let node: SimNode;
  let place: ReturnType<typeof temporaryDirectory>;
  let db: string;
  const pool = `${exchangeAddress}::pool`;
  const badge = `${badgesAddress.replace("0x0", "0x")}::badge`;

  const run = async (...argv: string[]) => {
    const result = await ended(runCli([...argv, "--db", db]));
    return result;
  };
  /** A run after which nothing more is to be read ends with 7. */
  const sync = async () => expect([0, 7]).toContain((await runCli(["sync", "--rpc", node.url, "--rate", "0", "--db", db])).code);
  const alerts = (): AlertRow[] => rowsOf(db, "SELECT * FROM alerts ORDER BY alert") as AlertRow[];
  const changes = (sql: string): unknown => valuesOf(db, sql)[0];
  /** A compiled package of one module. */
  const packageOf = (name: string, uses: Partial<Parameters<typeof writeModule>[0]>): string => {
    const folder = join(place.file(name), "build", name, "bytecode_modules");
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(place.file(name), "Move.toml"), `[package]\nname = "${name}"\n`);
    writeFileSync(join(folder, "market.mv"), writeModule({ address: "0xcafe", name: "market", ...uses }));
    return place.file(name);
  };

  beforeEach(async () => {
    sample = createSampleLedger();
    node = await startSimNode({ ledger: sample.ledger });
    place = temporaryDirectory();
    db = await quickArchive(place.file("night.db"));
    await listedSample(db, sample, node.url);
  });
  afterEach(async () => {
    await node?.close();
    place?.[Symbol.dispose]();
  });

  test("a change of what is watched is an alert, once, and known more exactly after a trace", async () => {
    expect((await run("watch", "add", pool, "0x1::coin", "--level", "any")).stdout).toMatch(
      /^watch 1: 0x\w+::pool, changes above .*\nwatch 2: 0x1::coin/,
    );
    expect((await run("watch", "add", pool, "--level", "any")).stdout).toMatch(/^already watched by 1: /);
    expect((await ended(runCli(["watch", "add", "src/core", "--db", db]), 64)).stderr).toContain(
      "`src/core` is a folder. `movedex lock` writes a file of what a build",
    );
    expect((await run("watch", "add", "pool", "--level", "any")).stdout).toBe(`already watched by 1: ${pool}\n`);
    expect((await run("watch", "add", "pool::create")).stdout).toMatch(`watch 3: ${pool}::create, `);
    await run("watch", "remove", "3");
    await sync();
    expect(alerts()).toEqual([]);
    sample.passDay();
    const clock = new ManualClock({ startMs: Date.now(), skipSleeps: true });
    const said = (text: string) => void (text.includes("alert raised") && clock.advance(60_000));
    const timed = await ended(runCli(["sync", "--rpc", node.url, "--rate", "0", "--db", db, "--json"], { clock, said }));
    // What follows the seal is a part of what the run takes.
    expect(timed.json()).toMatchObject({ status: "sealed", duration_ms: 60_000 });
    const [alert, ...more] = alerts();
    expect(more).toEqual([]);
    expect(alert).toMatchObject({ module: "pool", severity: "breaking", is_exact: 0, subject: pool });
    const { findings, total } = JSON.parse(alert?.findings ?? "") as { findings: { rule: string }[]; total: number };
    expect(findings[0]?.rule).toBe("function-removed");
    expect(total).toBe(findings.length);
    await run("trace", "--rpc", node.url, "--rate", "0");
    await sync();
    expect(alerts()).toMatchObject([{ module: "pool", is_exact: 1 }]);
  });

  test.each([
    ["one account", pool, `${exchangeAddress}::pool`],
    ["another", badge, badge],
  ])("trace begins with what is watched, when its budget does not suffice for all: in %s", async (_, subject, expected) => {
    await run("watch", "add", subject, "--level", "any");
    sample.passDay();
    await sync();
    await run("trace", "--rpc", node.url, "--rate", "0", "--max-requests", "30");
    expect(alerts().map(({ address, module, is_exact }) => [`${address}::${module}`, is_exact])).toEqual([[expected, 1]]);
    expect(changes("SELECT count(*) FROM module_changes WHERE is_exact AND ledger_version > 2592000")).toBeLessThanOrEqual(2);
    expect(changes("SELECT count(*) FROM module_changes WHERE NOT is_exact")).toBeGreaterThan(0);
  });

  test("an alert stands in the report, on the pages and in the feed", async () => {
    await run("watch", "add", pool);
    sample.passDay();
    await sync();
    const { stdout } = await run("report");
    expect(stdout).toContain(`- 1 alert: \`${pool}\`\n`);
    expect((await run("report", "--json", "--limit", "0")).json()).toMatchObject({ alerts: 1 });
    expect((await run("report", "--json")).json()["lists"]).toMatchObject({
      alerts: [{ alert: 1, subject: pool, module: "pool", is_exact: false }],
    });
    await using served = await servePages(db);
    const page = async (path: string) => (await served.get(path)).text;
    expect(await page("/")).toContain('<a href="./changes?watched=1">1 alert</a>');
    const changes = await page("/changes");
    expect(changes.match(/<span class="tag watched"/g)).toHaveLength(1);
    expect(changes.match(/class="when"/g)?.length).toBeGreaterThan(1);
    expect((await page("/changes?watched=1")).match(/class="when"/g)).toHaveLength(1);
    const feed = await page("/changes.atom");
    expect(feed).toContain(`<entry><title>alert, breaking: ${exchangeAddress}::pool interface changed</title>`);
    expect(feed.match(/<category term="alert"\/>/g)).toHaveLength(1);
    expect((await page("/changes.atom?watched=1")).match(/<entry>/g)).toHaveLength(1);
  });

  /** A module that was other for a while between two snapshots, each of which shows it as it was before; versions of both and between. */
  const changedForAWhile = async (): Promise<{ between: bigint; last: bigint }> => {
    const publish = (...names: string[]): bigint =>
      sample.ledger.transact((writer) => {
        const functions = names.map((name) => ({ name, visibility: "public" as const }));
        writer.publish(exchangeAddress, "vault", writeModule({ address: exchangeAddress, name: "vault", functions }));
      });
    publish("open", "shut");
    await sync();
    await run("watch", "add", `${exchangeAddress}::vault`, "--level", "dangerous");
    sample.ledger.advance(1000n);
    publish("open");
    const between = sample.ledger.head;
    sample.ledger.advance(1000n);
    publish("open", "shut");
    const last = sample.ledger.head;
    return { between, last };
  };
  const readAt = async (version: bigint) => run("sync", "--rpc", node.url, "--rate", "0", "--ledger-version", `${version}`);

  test("a change that an older snapshot shows, read after the last night, is in its report, on the pages and once in the feed", async () => {
    const { between } = await changedForAWhile();
    await sync();
    sample.passDay();
    await sync();
    expect(alerts()).toEqual([]);
    expect((await run("report", "--json")).json()).toMatchObject({ alerts: 0 });
    await readAt(between);
    expect(alerts()).toHaveLength(1);
    expect((await run("report")).stdout).toMatch(
      /1 older snapshot read or completed; a report from before them: `?movedex report --since \d+/,
    );
    const report = (await run("report", "--json")).json();
    expect(report).toMatchObject({
      alerts: 1,
      lists: { alerts: [{ module: "vault", severity: "dangerous", at_or_before_version: `${between}`, shown_by_version: `${between}` }] },
    });
    await using served = await servePages(db);
    const page = async (path: string) => (await served.get(path)).text;
    expect(await page("/")).toContain('<a href="./changes?watched=1">1 alert</a>');
    expect(await page("/changes?watched=1")).toContain("vault");
    expect(await page("/changes?watched=1&account=0x1")).not.toContain("vault");
    const feed = await page("/changes.atom");
    const ids = Array.from(feed.matchAll(/<id>([^<]*)<\/id>/g), ([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(feed).toMatch(/<title>alert, dangerous: .*::vault/);
    await run("trace", "--rpc", node.url, "--rate", "0", "--max-requests", "20");
    const file = place.file("alerts.jsonl");
    await run("tell", "--alerts-file", file);
    const exact = { is_exact: true, after_version: `${between - 1n}`, at_or_before_version: `${between}`, shown_by_version: `${between}` };
    expect(jsonLines<object>(readFileSync(file, "utf8"))).toMatchObject([exact]);
  });

  test("an alert goes with its change to an older snapshot that shows it too, and is none of the new night", async () => {
    await run("watch", "add", pool);
    sample.passDay();
    const before = sample.ledger.head - 1000n;
    await sync();
    const shownBy = () => changes("SELECT group_concat(ledger_version) FROM alerts");
    expect(shownBy()).toBe(`${sample.ledger.head}`);
    sample.ledger.advance(1000n);
    await sync();
    await readAt(before);
    expect(shownBy()).toBe(`${before}`);
    expect((await run("report", "--json")).json()).toMatchObject({ alerts: 0 });
    await using served = await servePages(db);
    const { text: changesPage } = await served.get(`/changes?watched=1&night=${before}`);
    expect(changesPage.match(/<span class="tag watched"/g)).toHaveLength(1);
  });

  test("what an audience does not hear, and what is milder than the level, is no alert", async () => {
    await run("watch", "add", pool, "--for", "readers");
    await run("watch", "add", `${pool}::create`, "--level", "dangerous");
    await run("watch", "add", `${pool}::Share`, "--level", "any");
    await run("watch", "add", exchangeAddress, "--for", "clients");
    sample.passDay();
    await sync();
    expect(alerts().map(({ subject }) => subject)).toEqual([exchangeAddress]);
    const { stdout } = await run("watch", "list", "--jsonl");
    expect(jsonLines<{ alerts: number }>(stdout).map(({ alerts }) => alerts)).toEqual([0, 0, 0, 1]);
  });

  test("a watch that can hear nothing is said in its list, by doctor, tell and in the night's line", async () => {
    await run("watch", "add", pool, `${pool}::spot_price`, "0xabc", badge);
    const dead = async () =>
      jsonLines<{ hears_nothing: string | null }>((await run("watch", "list", "--jsonl")).stdout).map(({ hears_nothing }) => hears_nothing);
    expect(await dead()).toEqual([null, null, "no snapshot has read 0xabc", null]);
    sample.passDay();
    await run("targets", "remove", badge.split("::")[0] as string);
    const night = await run("night", "--rpc", node.url, "--rate", "0", "--slices", "0");
    expect(night.stdout).toContain("3 watches that can hear nothing (see `movedex watch list`)");
    expect(await dead()).toEqual([
      null,
      expect.stringMatching(/^0x[0-9a-f]+::pool has no function or struct spot_price since ledger version \d+ at the latest$/),
      "no snapshot has read 0xabc",
      expect.stringMatching(/^0x[0-9a-f]+ is no target any more, and was last read at ledger version \d+$/),
    ]);
    const doctor = await runCli(["doctor", "--rpc", node.url, "--db", db]);
    expect(doctor.stdout.match(/^warn {2}watches {3}watch \d of .* hears nothing: .*$/gm)).toHaveLength(3);
    expect((await run("tell")).stdout.match(/hears nothing/g)).toHaveLength(3);
    await run("watch", "remove", "2", "3", "4");
    expect(await dead()).toEqual([null]);
    expect((await run("watch", "list")).stdout).not.toContain("hears_nothing");
    const again = await runCli(["night", "--rpc", node.url, "--rate", "0", "--slices", "0", "--db", db]);
    expect(again.stdout).toMatch(/^night: nothing new after /);
    expect(again.stdout).not.toContain("hear nothing");
  });

  test("own modules are told of what they name themselves, and of no function that they do not call", async () => {
    const share = `${pool}::Share<u8, u8>`;
    const folder = packageOf("market", { functions: [{ name: "hold", visibility: "public", params: [share] }] });
    const lock = join(folder, "movedex.lock");
    await ended(runCli(["lock", join(folder, "Move.toml"), lock, "--against", db]));
    const { stdout } = await run("watch", "add", lock, "--level", "any");
    expect(stdout).toMatch(/^watch 1: market \(0xcafe::market\), .*\n1 module of yours depends on \d+ modules\n$/);
    cpSync(lock, place.file("other.lock"));
    expect((await run("watch", "add", place.file("other.lock"), "--level", "any")).stdout).toMatch(
      /^already watched by 1: \S+ \(0xcafe::market\)\n/,
    );
    await run("watch", "add", lock, "--level", "breaking");
    await run("watch", "add", lock, "--level", "any", "--for", "clients");
    sample.passDay();
    await sync();
    const found = alerts().map(({ subject, severity, module, findings }) => ({
      subject,
      severity,
      module,
      ...(JSON.parse(findings) as object),
    }));
    expect(found).toMatchObject([
      {
        module: "pool",
        severity: "dangerous",
        findings: expect.arrayContaining([expect.objectContaining({ rule: "function-removed", use: "not" })]),
      },
      { module: "pool", severity: "breaking" },
    ]);
  });
});
