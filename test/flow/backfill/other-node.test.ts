import { expect } from "vitest";
import { manyAccounts, type SimLedger, startSimNode } from "../../../sim/index.ts";
import { databaseContent, ended, listsOf, ManualClock, modulesIn, modulesOn, quickArchive, runCli, test } from "../../support/index.ts";

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

/** A ledger of which a node has pruned what is below the horizon. */
function pruned() {
  const made = scene();
  made.ledger.pruneTo(HORIZON);
  return made;
}

const genesis = ["--every", "2000", "--from", "genesis", "--max-inferred", "any"];

/** Runs a command line on a node and a database, in time of its own. */
function commandOn(db: string, addresses: readonly string[]) {
  const accounts = addresses.flatMap((address) => ["--account", address]);
  return (url: string, command: string, ...words: string[]) => {
    const clock = new ManualClock({ skipSleeps: true, startMs: NOW_MS });
    const scoped = command === "trace" ? words : [...words, ...accounts];
    return runCli([command, "--rpc", url, "--db", db, "--rate", "0", "--json", ...scoped], { clock });
  };
}

/** What a database shows at a version, observed or inferred. */
const held = (db: string, version: bigint) =>
  new Map([...modulesIn(db, "modules_at", version), ...modulesIn(db, "modules_inferred", version)]);

test("what a node has pruned, backfill reads from another node, by halving, and the node's nights go on", async ({ place }) => {
  const { ledger, addresses } = pruned();
  await using node = await startSimNode({ ledger });
  await using other = await startSimNode({ ledger: scene().ledger });
  const db = await quickArchive(place.file("a.db"));
  const run = commandOn(db, addresses);
  const states = () => Object.fromEntries(listsOf<[string, number]>(db, "SELECT state, count(*) FROM backfill GROUP BY state"));
  await ended(run(node.url, "backfill", ...genesis), 3);
  expect(states()).toMatchObject({ lost: 24 });

  const { json } = await ended(run(other.url, "backfill", ...genesis));
  expect(json()).toMatchObject({ lost: 0, lost_now: 0, gaps: 0, planned: 0, refused: 0 });
  expect(Object.keys(states()).toSorted()).toEqual(["inferred", "observed"]);
  for (let version = 0n; version <= HEAD; version += 2000n)
    expect(held(db, version), `at ${version}`).toEqual(modulesOn(scene().ledger, addresses, version));
  // All eight begin between two of the versions, and two of them change twice after: two ends, and a logarithm for each change.
  const listings = other.requests.filter(({ path }) => path.endsWith("/modules"));
  expect(listings.length).toBeLessThanOrEqual(COUNT * (2 + 5) + 2 * 2 * 5 + 6);

  ledger.advance(1000n);
  expect((await ended(run(node.url, "sync"))).json()).toMatchObject({ status: "sealed", changed_modules: 0 });
  expect((await ended(run(node.url, "backfill", ...genesis))).json()).toMatchObject({ lost: 0 });
  await ended(runCli(["verify", "--db", db]));
});

test("a change whose versions the node has pruned is traced at another node", async ({ place }) => {
  const { ledger, addresses } = scene();
  await using node = await startSimNode({ ledger });
  await using other = await startSimNode({ ledger: scene().ledger });
  const db = await quickArchive(place.file("a.db"));
  const run = commandOn(db, addresses);
  for (const version of [15_000n, HEAD]) await ended(run(node.url, "sync", "--ledger-version", `${version}`));
  ledger.pruneTo(HORIZON);
  expect((await ended(run(node.url, "trace"))).json()).toMatchObject({ inexact: 2 });
  expect((await ended(run(other.url, "trace"))).json()).toMatchObject({ inexact: 0 });
  const changes = listsOf<[number, number]>(db, "SELECT DISTINCT at_or_before_version, is_exact FROM module_changes");
  expect(changes.map(([version, isExact]) => [UPGRADES.includes(BigInt(version - 1)), isExact])).toEqual([[true, 1]]);
});

test.for([
  ["another chain id", 5, 4, /is of chain 4/],
  ["the same chain id and another history", 4, 2, /was stored with SHA-256/],
] as const)("a node of %s is refused with exit code 4, and nothing of it is stored", async ([, chainId, every, words], { place }) => {
  const { ledger, addresses } = pruned();
  await using node = await startSimNode({ ledger });
  await using other = await startSimNode({ ledger: scene(chainId, every).ledger });
  const db = await quickArchive(place.file("a.db"));
  const run = commandOn(db, addresses);
  await ended(run(node.url, "backfill", ...genesis), 3);
  const before = databaseContent(db);
  for (const [command, ...more] of [["backfill", ...genesis], ["trace"]] as [string, ...string[]][]) {
    const { stderr } = await ended(run(other.url, command, ...more), 4);
    expect(stderr).toMatch(words);
  }
  expect(databaseContent(db)).toEqual(before);
});
