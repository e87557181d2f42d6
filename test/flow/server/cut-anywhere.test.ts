import { beforeAll, expect, test } from "vitest";
import { faults, startSimNode } from "../../../sim/index.ts";
import { seededRandom } from "../../../src/core/base/numbers.ts";
import { eachPostgres } from "../../engine/support/postgres-databases.ts";
import {
  type CliResult,
  cuttingProxy,
  ended,
  ManualClock,
  runCli,
  signalSender,
  temporaryDirectory,
  twoNights,
} from "../../support/index.ts";
import { publicRows } from "./public-rows.ts";

const scene = twoNights(8);
/** What waits for a server is told once, in these words. */
const WAITS = /does not answer \(.*\); waiting for it for up to 5 min, then going on/;

/** Every command that writes, in an order in which each has something to write. */
function steps(node: string, targets: string, other: string, alerts: string): readonly (readonly string[])[] {
  const rpc = ["--rpc", node, "--rate", "0"];
  return [
    ["targets", "import", targets],
    ["targets", "add", "0xbee", "--label", "bee"],
    ["sync", ...rpc, "--ledger-version", `${scene.first}`],
    ["watch", "add", scene.addresses[0] as string, "--level", "any"],
    ["sync", ...rpc, "--ledger-version", `${scene.second}`],
    ["trace", ...rpc],
    ["tell", "--alerts-file", alerts],
    ["backfill", ...rpc, "--every", "5000"],
    ["import", other],
    ["targets", "discover"],
    ["doctor", ...rpc],
    ["night", ...rpc],
    ["watch", "remove", "1"],
    ["targets", "remove", "0xbee"],
  ];
}

/** How a step may end: a night that was cut after its report finds nothing newer when it runs again. */
function endsOf([command]: readonly string[]): readonly number[] {
  return command === "night" ? [0, 7] : [0];
}

/**
 * Rows without the moments at which points were saved, sources taken in and alerts judged: they are others in each database. So is the
 * number of a source, the last column of its view: a server counts on where a transaction was rolled back.
 */
function timeless(rows: Readonly<Record<string, readonly string[]>>): Record<string, string[]> {
  const numbered = (view: string, row: string): string => (view === "snapshot_sources" ? row.replace(/"\d+n"\]$/, '"…"]') : row);
  return Object.fromEntries(
    Object.entries(rows).map(([view, all]) => [view, all.map((row) => numbered(view, row).replace(/"20[0-9]{2}-[^"]*Z"/g, '"…"')).sort()]),
  );
}

eachPostgres("a way to the server that is cut once in each command", (open, version) => {
  let quiet: Record<string, string[]>;
  const place = temporaryDirectory();
  const [targets, other] = [scene.targetsFile(place.file("targets.csv")), place.file("other.db")];

  beforeAll(async () => {
    const clock = new ManualClock({ skipSleeps: true });
    await using node = await startSimNode({ ledger: scene.ledger });
    await runCli(["sync", "--rpc", node.url, "--rate", "0", "--db", other, "-a", "0x1"], { clock });
    const db = (await open()).url();
    for (const step of steps(node.url, targets, other, place.file("quiet.jsonl"))) {
      const { code, stderr } = await runCli([...step, "--db", db], { clock });
      expect(endsOf(step), step.join(" ") + stderr).toContain(code);
    }
    quiet = timeless(await publicRows(db));
  });

  test.each(version === 18 ? [2, 6] : [5])("nothing is lost, nothing is done twice, and what waits says so (%i)", async (seed) => {
    // One for each: a clock that skips sleeps keeps a list of them.
    const clock = new ManualClock({ skipSleeps: true });
    await using node = await startSimNode({ ledger: scene.ledger });
    const at = await open();
    await using proxy = await cuttingProxy(at.port);
    const random = seededRandom(seed);
    let waited = 0;
    for (const [i, step] of steps(node.url, targets, other, place.file(`${seed}.jsonl`)).entries()) {
      const run = (): Promise<CliResult> => runCli([...step, "--db", at.url("postgres", proxy.port)], { clock });
      const n = 1 + Math.floor(random() ** 2 * 200);
      // In turns the one connection, all with those that are tried next, and one that has committed and does not hear of it.
      const turn = (i + seed) % 3;
      proxy.cutAtMessage(turn === 0 ? n : 0);
      if (turn === 1) proxy.closeAtMessage(n, 3);
      if (turn === 2) proxy.cutNextCommit("unanswered", 1 + (n % 8));
      let result = await run();
      const title = `${step.join(" ")}\n${result.stderr}`;
      expect(result.stderr, title).not.toContain("bug in movedex");
      if (WAITS.test(result.stderr)) waited += 1;
      if (!endsOf(step).includes(result.code)) {
        // Where the opening is cut, a command ends at once, in words.
        expect(result.code, title).toBe(1);
        expect(result.stdout + result.stderr, title).toMatch(/could not (?:open|read or write the database) `postgres:/);
        proxy.cutAtMessage(0);
        await proxy.letGoOn();
        result = await run();
      }
      expect(endsOf(step), title).toContain(result.code);
    }
    expect(waited).toBeGreaterThan(0);
    expect(timeless(await publicRows(at.url()))).toEqual(quiet);
  });

  // These wait for real time limits, beside one another.
  test.concurrent.each([
    ["SIGTERM", [], 143, "stopped by SIGTERM while the database gave no answer"],
    ["its budget", ["--max-requests", "10"], 1, "no answer came in time"],
  ] as const)("a server that falls silent keeps nobody from ending a run by %s", async (by, words, expected, said) => {
    const clock = new ManualClock({ skipSleeps: true });
    const at = await open();
    await using proxy = await cuttingProxy(at.port);
    const { signals, send } = signalSender();
    const silence = faults.meanwhile("silence", () => {
      proxy.fallSilent();
      if (by === "SIGTERM") send(by);
    });
    await using node = await startSimNode({ ledger: scene.ledger, faults: faults.planFaults([{ fault: silence, at: 9 }]) });
    const what = ["--rpc", node.url, "--rate", "0", "--targets", targets, "--db", at.url("postgres", proxy.port)];
    const { code, stderr } = await runCli(["sync", ...what, ...words], { clock, signals });
    expect(code, stderr).toBe(expected);
    expect(stderr).toContain(said);
    expect(stderr).not.toMatch(WAITS);
  });

  test.concurrent("a way that is cut in a run of so many seconds is waited for that long at most, as is said", async () => {
    await using node = await startSimNode({ ledger: scene.ledger });
    const at = await open();
    await using proxy = await cuttingProxy(at.port);
    proxy.closeAtMessage(60, 3);
    const what = ["--rpc", node.url, "--rate", "0", "--max-duration", "50s", "--db", at.url("postgres", proxy.port)];
    const { stderr } = await ended(runCli(["sync", ...what, "-a", "0x1"]));
    expect(stderr).toMatch(/does not answer \(.*\); waiting for it for up to [1-5]?\d s, then going on/);
  });

  test.concurrent.each(["fallSilent", "deafen"] as const)(
    "a way that dies in a night (%s) is given up, waited for and found again",
    async (how) => {
      const clock = new ManualClock({ skipSleeps: true });
      await using node = await startSimNode({ ledger: scene.ledger });
      const at = await open();
      await using proxy = await cuttingProxy(at.port);
      const [first, second] = [scene.first, scene.second].map((version) => ["--ledger-version", `${version}`]) as [string[], string[]];
      const what = ["sync", "--rpc", node.url, "--rate", "0", "--targets", targets];
      const quietNight = (await open()).url();
      for (const version of [first, second]) await ended(runCli([...what, ...version, "--db", quietNight], { clock }));
      const db = `${at.url("postgres", proxy.port)}?connect_timeout=5`;
      await ended(runCli([...what, ...first, "--db", db], { clock }));
      proxy[how](40);
      const night = runCli([...what, ...second, "--db", db], { clock });
      await proxy.isNoticed;
      await proxy.letGoOn();
      const { stderr } = await ended(night);
      expect(stderr).toMatch(WAITS);
      expect(timeless(await publicRows(at.url()))).toEqual(timeless(await publicRows(quietNight)));
    },
  );
});
