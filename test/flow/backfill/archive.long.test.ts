import { describe, expect } from "vitest";
import { faults, manyAccounts, type SimLedger, startSimNode } from "../../../sim/index.ts";
import {
  type CliResult,
  databaseContent,
  ended,
  jsonLines,
  listsOf,
  ManualClock,
  quickArchive,
  runCli,
  test,
  valuesOf,
} from "../../support/index.ts";
import { modulesIn, modulesOn } from "../../support/scene/standing-modules.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

const COUNT = 8;
const HEAD = 64_000n;
const HORIZON = 48_000n;
const NOW_MS = 1_767_225_600_000 + 800_000;
const UPGRADES = [20_500n, 30_500n, 57_500n];

/** Eight accounts, of which every fourth upgrades three times; the same ledger each time it is made. */
function scene(chainId = 4, every = 4): { readonly ledger: SimLedger; readonly addresses: readonly string[] } {
  const many = manyAccounts(COUNT, { packages: 4, ledger: { chainId } });
  for (const version of UPGRADES) {
    many.ledger.advanceTo(version);
    many.upgradeEvery(every);
  }
  many.ledger.advanceTo(HEAD);
  return { ledger: many.ledger, addresses: [...many.addresses()] };
}

/** A node that has pruned what is below the horizon, behind a gateway that says where the rest is. */
async function startPruned(archiveUrl: string) {
  const { ledger, addresses } = scene();
  ledger.pruneTo(HORIZON);
  const node = await startSimNode({ ledger, faults: faults.planFaults([{ fault: faults.archiveHint(archiveUrl) }]) });
  return { node, addresses };
}

const loopback = { MOVEDEX_TEST_LOOPBACK_ARCHIVE: "1" };
const genesis = ["--every", "1000", "--from", "genesis", "--max-inferred", "any"];

function backfill(url: string, db: string, addresses: readonly string[], words: readonly string[], env = {}): Promise<CliResult> {
  const accounts = addresses.flatMap((address) => ["--account", address]);
  const clock = new ManualClock({ skipSleeps: true, startMs: NOW_MS });
  return runCli(["backfill", "--rpc", url, "--db", db, "--rate", "0", "--archive-rate", "0", "--json", ...accounts, ...words], {
    clock,
    env: { MOVEDEX_API_KEY: "secret-key", ...env },
  });
}

/** What a database shows at a version, observed or inferred. */
const held = (db: string, version: bigint) =>
  new Map([...modulesIn(db, "modules_at", version), ...modulesIn(db, "modules_inferred", version)]);

describe("backfill --archive", () => {
  test("from genesis: what the node has pruned is read from its archive, by halving, with its source, rightly", async ({ place }) => {
    await using archive = await startSimNode({ ledger: scene().ledger });
    const { node, addresses } = await startPruned(archive.url);
    await using _ = node;
    const db = await quickArchive(place.file("a.db"));
    const { stdout } = await ended(backfill(node.url, db, addresses, [...genesis, "--archive", "auto"], loopback));
    const [above, below] = jsonLines(stdout);
    expect(above).toMatchObject({ refused: 0, lost: 0 });
    expect(below).toMatchObject({ archive: archive.url, refused: 0, lost: 0, gaps: 0, planned: 0 });
    const { ledger } = scene();
    for (let version = 0n; version <= HEAD; version += 1000n)
      expect(held(db, version), `at ${version}`).toEqual(modulesOn(ledger, addresses, version));
    // All eight begin between two of the versions, and two of them change twice after: two ends, and a logarithm for each change.
    const listings = archive.requests.filter(({ path }) => path.endsWith("/modules"));
    expect(listings.length).toBeLessThanOrEqual(COUNT * (2 + 6) + 2 * 2 * 6 + 6);
    // The node is never asked for what it has pruned, but for the one question that names the archive.
    const pruned = node.requests.filter(({ status }) => status === 410);
    expect(pruned).toHaveLength(1);
    expect(listsOf(db, "SELECT DISTINCT source_kind, source_name FROM snapshot_sources")).toEqual([["node", archive.url]]);
    const from = valuesOf<number>(db, "SELECT ledger_version FROM snapshot_sources");
    expect(Math.max(...from)).toBeLessThan(Number(HORIZON));
    const read = valuesOf<number>(db, `SELECT ledger_version FROM snapshots WHERE status LIKE 'sealed%' AND ledger_version < ${HORIZON}`);
    expect(from.toSorted()).toEqual(read.toSorted());
    await ended(runCli(["verify", "--db", db]));
  });

  test("an archive that is silent until the time is over leaves what the node gave, says so, and the run ends with 0", async ({
    place,
  }) => {
    await using archive = await startSimNode({ ledger: scene().ledger, faults: faults.planFaults([{ fault: faults.silence() }]) });
    const { node, addresses } = await startPruned(archive.url);
    await using _ = node;
    const clock = new ManualClock({ startMs: NOW_MS });
    const accounts = addresses.flatMap((address) => ["--account", address]);
    const words = ["--rate", "0", "--archive-rate", "0", "--json", ...accounts, ...genesis, "--archive", "auto", "--max-duration", "1h"];
    const running = runCli(["backfill", "--rpc", node.url, "--db", place.file("a.db"), ...words], { clock, env: loopback });
    await expect.poll(() => archive.requestCount).toBe(1);
    await clock.advance(3_600_000);
    const { code, stdout, stderr } = await running;
    expect([code, stdout.split("\n").length], stderr).toEqual([0, 2]);
    expect(JSON.parse(stdout)).toMatchObject({ refused: 0, lost: 0 });
    expect(stderr).toContain("the time allowed was over before the archive node had answered; the same command continues");
  });

  test("no key goes there, and nothing goes there unasked", async ({ place }) => {
    const seen: (string | undefined)[] = [];
    await using archive = await startSimNode({
      ledger: scene().ledger,
      faults: {
        pick: ({ headers }) => {
          seen.push(headers["authorization"]);
          return [];
        },
        unmet: () => [],
      },
    });
    const { node, addresses } = await startPruned(archive.url);
    await using _ = node;
    await ended(backfill(node.url, place.file("a.db"), addresses, genesis), 3);
    expect(archive.requestCount).toBe(0);
    await ended(backfill(node.url, place.file("b.db"), addresses, [...genesis, "--archive", archive.url], loopback));
    expect(seen.length).toBeGreaterThan(0);
    expect(new Set(seen)).toEqual(new Set([undefined]));
  });

  test("an address inside the machine or without https is refused, whoever names it", async ({ place }) => {
    await using archive = await startSimNode({ ledger: scene().ledger });
    const { node, addresses } = await startPruned(archive.url);
    await using _ = node;
    const db = await quickArchive(place.file("a.db"));
    expect((await backfill(node.url, db, addresses, [...genesis, "--archive", "auto"])).stderr).toMatch(/is not asked: it is not https/);
    expect((await backfill(node.url, db, addresses, [...genesis, "--archive", "https://127.0.0.1/v1"])).stderr).toMatch(/private network/);
    expect((await backfill(node.url, db, addresses, ["--archive", archive.url], loopback)).stderr).toMatch(/give --from VERSION/);
    expect(archive.requestCount).toBe(0);
  });

  test.each([
    ["another chain id", 5, 4, /chain/],
    ["the same chain id and another history", 4, 2, /differ about account 0x|was stored with SHA-256/],
  ])("an archive of %s is refused with exit code 4, and nothing of it is stored", async (_, chainId, every, words) => {
    await using archive = await startSimNode({ ledger: scene(chainId, every).ledger });
    const { node, addresses } = await startPruned(archive.url);
    await using __ = node;
    using place = temporaryDirectory();
    const [db, reference] = [await quickArchive(place.file("a.db")), await quickArchive(place.file("b.db"))];
    const { code, stderr } = await backfill(node.url, db, addresses, [...genesis, "--archive", "auto"], loopback);
    expect([code, stderr]).toEqual([4, expect.stringMatching(words)]);
    // What the node itself still had is read, and there is nothing else.
    await backfill(node.url, reference, addresses, [...genesis.with(3, `${HORIZON}`)]);
    expect(databaseContent(db)).toEqual(databaseContent(reference));
    expect(listsOf(db, "SELECT count(*) FROM _sources")).toEqual([[0]]);
  });

  test("stopped by its budget again and again it ends in the same database; a slow archive costs nothing but time", async ({ place }) => {
    const late = faults.planFaults([{ fault: faults.late(40), every: 5 }]);
    await using archive = await startSimNode({ ledger: scene().ledger, faults: late });
    const { node, addresses } = await startPruned(archive.url);
    await using _ = node;
    const [whole, pieces] = [await quickArchive(place.file("a.db")), await quickArchive(place.file("b.db"))];
    const words = [...genesis, "--archive", "auto"];
    await ended(backfill(node.url, whole, addresses, words, loopback));
    for (let run = 0; run < 40; run++) {
      const { json } = await ended(backfill(node.url, pieces, addresses, [...words, "--max-requests", "100"], loopback));
      if (json()["archive"] !== undefined && json()["planned"] === 0) break;
      expect(run).toBeLessThan(39);
    }
    expect(databaseContent(pieces)).toEqual(databaseContent(whole));
  });
});

test("trace goes on at the archive where the node has pruned, and each probe keeps where it came from", async ({ place }) => {
  const { ledger, addresses } = scene();
  await using archive = await startSimNode({ ledger: scene().ledger });
  await using node = await startSimNode({ ledger, faults: faults.planFaults([{ fault: faults.archiveHint(archive.url) }]) });
  const db = await quickArchive(place.file("a.db"));
  const clock = new ManualClock({ skipSleeps: true, startMs: NOW_MS });
  const run = (...words: string[]) =>
    ended(runCli([...words, "--rpc", node.url, "--db", db, "--rate", "0", "--json"], { clock, env: loopback }));
  const accounts = addresses.flatMap((address) => ["--account", address]);
  for (const version of [15_000n, HEAD]) await run("sync", ...accounts, "--ledger-version", `${version}`);
  ledger.pruneTo(HORIZON);
  const alone = (await run("trace")).json();
  expect([alone["inexact"], archive.requestCount]).toEqual([2, 0]);
  const [own, other] = jsonLines((await run("trace", "--archive", "auto")).stdout);
  expect([own, other]).toMatchObject([{ inexact: 2 }, { archive: archive.url, inexact: 0 }]);
  const changes = listsOf<[number, number]>(db, "SELECT DISTINCT at_or_before_version, is_exact FROM module_changes");
  expect(changes.map(([version, isExact]) => [UPGRADES.includes(BigInt(version - 1)), isExact])).toEqual([[true, 1]]);
  expect(listsOf(db, "SELECT DISTINCT source, ledger_version < 48000 FROM _module_probes")).toEqual([
    [archive.url, 1],
    [null, 0],
  ]);
});
