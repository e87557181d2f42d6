import { mkdirSync } from "node:fs";
import { beforeEach, describe, expect, test } from "vitest";
import { faults, startSimNode } from "../../../sim/index.ts";
import { ended } from "../../support/command/ended.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { runCli } from "../../support/run-cli.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";
import { type TwoNights, twoNights } from "../../support/two-nights.ts";

let scene: TwoNights;
let place: ReturnType<typeof temporaryDirectory>;
let clock: ManualClock;
let db: string;

beforeEach(() => {
  scene = twoNights(6);
  place = temporaryDirectory();
  // The ledger's own time, so that the two clocks agree.
  clock = new ManualClock({ skipSleeps: true, startMs: Number(scene.ledger.info().timestampUsec / 1000n) });
  db = place.file("night.db");
});

const run = (...argv: string[]) => runCli([...argv, "--db", db], { clock });
const sync = (url: string, ...more: string[]) =>
  run("sync", "--rpc", url, "--rate", "0", "--targets", scene.targetsFile(place.file("targets.csv")), ...more);

describe("status", () => {
  test("of a new database", async () => {
    await run("targets", "add", "0x1");
    const { stdout } = await run("status");
    expect(stdout).toMatch(/^held +no sealed snapshot yet; `movedex sync` makes the first$/m);
    expect(stdout).toMatch(/^targets +1 account on the list$/m);
    expect(stdout).toMatch(/^last run +none yet$/m);
    expect(stdout).toMatch(/^horizon +unknown: no node has been asked yet$/m);
  });

  test("of two nights: what is held, what the last run was, and how fast the horizon rises", async () => {
    await using node = await startSimNode({ ledger: scene.ledger });
    await sync(node.url, "--ledger-version", `${scene.first}`);
    await clock.advance(3_600_000);
    scene.ledger.pruneTo(3_600n);
    await sync(node.url);
    const { stdout } = await run("status");
    expect(stdout).toContain(`2 sealed snapshots from ledger version ${scene.first} to ${scene.second}: 7 accounts`);
    expect(stdout).toMatch(
      new RegExp(`^newest +ledger version ${scene.second}, made .*, sealed .*: 7 accounts, 18 modules; digest [0-9a-f]{64}$`, "m"),
    );
    expect(stdout).toMatch(/^missing +nothing: no gaps$/m);
    expect(stdout).toMatch(/^last run +sync, begun .*Z: done, \d+ requests$/m);
    expect(stdout).toMatch(/^horizon .*: versions 3600 to \d+ readable/m);
    expect(stdout).toMatch(/rises 1\.0 versions\/s/);
    const { json } = await run("status", "--json");
    const iso = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(json()).toMatchObject({
      chain_id: 4,
      snapshots: 2,
      newest_version: `${scene.second}`,
      gaps: 0,
      newest_snapshot: { status: "sealed", ledger_version: `${scene.second}`, created_at: iso, sealed_at: iso },
      unfinished: [],
      last_run: { command: "sync", exit: "done", started_at: iso, finished_at: iso },
      nodes: [{ sampled_at: iso }],
    });
    expect(keysOf(json()).filter((key) => !/^[a-z0-9_]+$/.test(key))).toEqual([]);
  });

  test("what it tells of runs, targets and the horizon is in public views, too", async () => {
    await using node = await startSimNode({ ledger: scene.ledger });
    await run("targets", "add", "0x1");
    await run("targets", "remove", "0x1");
    await sync(node.url, "--ledger-version", `${scene.first}`);
    const ask = async (sql: string) => JSON.parse((await runCli(["query", sql, "--format", "jsonl", "--db", db])).stdout) as unknown;
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT/);
    expect(await ask("SELECT * FROM run_history")).toMatchObject({
      chain_id: 4,
      command: "sync",
      exit: "done",
      ledger_version: Number(scene.first),
      started_at: time,
      finished_at: time,
    });
    expect(await ask("SELECT * FROM target_accounts")).toMatchObject({
      address: "0x1",
      address_long: `0x${"1".padStart(64, "0")}`,
      reason: "given",
      added_at: time,
      removed_at: time,
    });
    const sample = await ask("SELECT * FROM horizon_samples ORDER BY sampled_at DESC LIMIT 1");
    expect(sample).toMatchObject({ node: node.url, sampled_at: time });
    const { head_version, oldest_version, readable_versions } = sample as Record<string, number>;
    expect(readable_versions).toBe((head_version as number) - (oldest_version as number) + 1);
  });

  test("fits a terminal of 80 columns, subjects at its left edge", async () => {
    await using node = await startSimNode({ ledger: scene.ledger });
    await sync(node.url, "--ledger-version", `${scene.first}`);
    const { stdout } = await runCli(["status", "--db", db], { clock, terminal: 80 });
    for (const line of stdout.trimEnd().split("\n")) {
      expect(line).toMatch(/^(?:[a-zA-Z ]{10} {2}\S| {12}\S)/);
      // A path, a URL or a digest has nowhere to break.
      if (line.trim().includes(" ")) expect(line.length).toBeLessThanOrEqual(80);
    }
  });

  test("of an unfinished night", async () => {
    await using node = await startSimNode({ ledger: scene.ledger });
    await sync(node.url, "--ledger-version", `${scene.first}`, "--max-requests", "5");
    expect((await run("status")).stdout).toMatch(
      new RegExp(`^unfinished +ledger version ${scene.first}: \\d of 7 accounts read, begun .*; the next \`sync\` continues it$`, "m"),
    );
  });

  test("of a first crawl that is not finished: views are empty until it is sealed, and a query says so too", async () => {
    await using node = await startSimNode({ ledger: scene.ledger });
    await sync(node.url, "--max-requests", "5");
    const told = /the first (?:snapshot )?is not finished, and until it is sealed the views are empty; `movedex sync` continues it/;
    expect((await run("status")).stdout.replace(/\s+/g, " ")).toMatch(told);
    const count = ["query", "SELECT count(*) AS n FROM accounts_latest", "--json", "--db", db];
    const early = await ended(runCli(count));
    expect(JSON.parse(early.stdout)).toEqual([{ n: 0 }]);
    expect(early.stderr).toBe(
      "movedex: the first snapshot is not finished; the views stay empty until it is sealed. `movedex sync` continues it.\n",
    );
    await sync(node.url);
    expect((await run("status")).stdout).not.toMatch("views are empty");
    expect((await runCli(count)).stderr).toBe("");
  });

  test("of a sealed snapshot with work in hand", async () => {
    await using node = await startSimNode({ ledger: scene.ledger });
    await run("sync", "--rpc", node.url, "--rate", "0", "--account", scene.addresses[0] as string);
    // A run at an exact version reads what it was asked for, in as many runs as it takes: it chooses nothing.
    await sync(node.url, "--max-requests", "8", "--ledger-version", `${scene.ledger.head}`);
    const { stdout } = await run("status");
    expect(stdout).toMatch(/^held +1 sealed snapshot/m);
    expect(stdout).toMatch(/^unfinished +ledger version \d+: \d of 7 accounts read/m);
  });

  test("of gaps, by reason", async () => {
    const match = ({ target }: { target: string }) => target.includes(scene.addresses[2] as string);
    const plan = faults.planFaults([{ fault: faults.storageFailure("listing"), match }]);
    await using node = await startSimNode({ ledger: scene.ledger, faults: plan });
    await ended(sync(node.url), 2);
    expect((await run("status")).stdout).toMatch(/^missing +1 gap \(server_error\); `movedex query "SELECT \* FROM gaps"` names them$/m);
  });
});

describe("doctor", () => {
  test("of a node and a database that are fit", async () => {
    await using node = await startSimNode({ ledger: scene.ledger });
    await sync(node.url);
    const { stdout } = await ended(run("doctor", "--rpc", node.url));
    expect(stdout).toMatch(/^ok +database .* is of chain 4 and holds 1 sealed snapshot$/m);
    expect(stdout).toMatch(/^ok +node .* answers for chain 4 as full_node, build 5e1f0d3c$/m);
    expect(stdout).toMatch(/^ok +node +account records come as BCS$/m);
    expect(stdout).toMatch(/^ok +node +readable versions: 0 to \d+/m);
  });

  test("of a node on another chain, a clock that is wrong, and a node that is not there", async () => {
    await using node = await startSimNode({ ledger: scene.ledger });
    await sync(node.url);
    await using other = await startSimNode({ ledger: twoNights(6, 1, { chainId: 9 }).ledger });
    await clock.advance(3_600_000);
    const wrong = await ended(run("doctor", "--rpc", other.url), 1);
    expect(wrong.stdout).toMatch(/^fail +node +the database is of chain 4, the node of chain 9: `sync` would refuse \(exit code 4\)$/m);
    expect(wrong.stdout).toMatch(/^warn +node +the node's newest version is 1 h.* old/m);
    const gone = await ended(run("doctor", "--rpc", "http://127.0.0.1:9/v1", "--json"), 1);
    expect(gone.json()).toMatchObject({ fit: false });
  });

  test("of a proxy: that it is used, that it is set and not used, and nothing where there is none", async () => {
    await using node = await startSimNode({ ledger: scene.ledger });
    const words = async (env: Record<string, string>) => (await runCli(["doctor", "--rpc", node.url, "--db", db], { clock, env })).stdout;
    // The node itself as proxy: it is asked for a whole address, which it does not know.
    const proxy = new URL(node.url).origin;
    expect(await words({ http_proxy: `${proxy.replace("//", "//user:secret@")}/` })).toMatch(
      new RegExp(`^ok +node +requests go through the proxy ${proxy}$`, "m"),
    );
    expect(await words({ HTTP_PROXY: proxy, NO_PROXY: "127.0.0.1" })).toMatch(
      /^ok +node +HTTP_PROXY or HTTPS_PROXY is set, and this node is asked without a proxy$/m,
    );
    expect(await words({})).not.toContain("proxy");
    expect(await words({ HTTP_PROXY: `${proxy}/?key=secret` })).not.toContain("secret");
  });

  test("of a database that cannot be used", async () => {
    await using node = await startSimNode({ ledger: scene.ledger });
    mkdirSync(db);
    const { stdout } = await ended(run("doctor", "--rpc", node.url), 1);
    expect(stdout).toMatch(/^fail +database /m);
  });

  test("without a database and with no node named", async () => {
    const { stdout } = await ended(run("doctor"), 1);
    expect(stdout).toMatch(/^ok +database .* is not there yet; the first `sync` makes it$/m);
    expect(stdout).toMatch(/^fail +node +no node is named/m);
  });
});

describe("snapshots and runs", () => {
  test("list what is held and what was run, newest first", async () => {
    await using node = await startSimNode({ ledger: scene.ledger });
    expect(await run("targets", "add", "0x1")).toMatchObject({ code: 0 });
    expect((await run("snapshots")).stderr).toContain("no snapshot yet");
    expect((await run("runs")).stderr).toContain("no run yet");
    await sync(node.url, "--ledger-version", `${scene.first}`);
    await clock.advance(60_000);
    await sync(node.url);
    const snapshots = JSON.parse((await run("snapshots", "--json")).stdout);
    expect(snapshots).toMatchObject([
      { ledger_version: `${scene.second}`, status: "sealed", accounts: 7, modules: 18, gaps: 0 },
      { ledger_version: `${scene.first}`, status: "sealed", accounts: 7 },
    ]);
    const one = await run("snapshots", "--limit", "1");
    expect(one.stdout.trimEnd().split("\n")).toHaveLength(3);
    expect(one.stderr).toContain("1 older snapshot not printed");
    const runs = JSON.parse((await run("runs", "--json")).stdout);
    expect(runs).toMatchObject([
      { command: "sync", exit: "done", ledger_version: `${scene.second}`, gaps: 0 },
      { command: "sync", exit: "done", ledger_version: `${scene.first}` },
    ]);
    for (const words of [["snapshots"], ["runs"]]) {
      const { stdout } = await runCli([...words, "--db", db], { terminal: 80 });
      for (const line of stdout.split("\n")) expect(line.length).toBeLessThanOrEqual(80);
    }
  });
});

/** All keys of a value, however deep; the reasons of gaps are values that serve as keys. */
function keysOf(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, part]) => [
    ...(Array.isArray(value) ? [] : [key]),
    ...(key === "gap_reasons" ? [] : keysOf(part)),
  ]);
}
