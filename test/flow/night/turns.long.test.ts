import { beforeEach, describe, expect, test } from "vitest";
import { faults, manyAccounts, startSimNode } from "../../../sim/index.ts";
import {
  asWords,
  COUNT,
  ended,
  listings,
  ManualClock,
  quickArchive,
  runCli,
  signalSender,
  twoNights,
  useNights,
} from "../../support/index.ts";

const DAY = 86_400_000;
const at = useNights();
let accounts: readonly string[];
let clock: ManualClock;
let db: string;

beforeEach(async () => {
  accounts = at.scene.addresses.slice(0, COUNT);
  clock = new ManualClock({ skipSleeps: true });
  db = await quickArchive(at.place.file("a.db"));
  await ended(runCli(["targets", "add", "--db", db, ...accounts], { clock }));
});

/** A night in which the node prunes the night's version at a listing, and answers 500 for some accounts. @returns those that it read */
async function prunedNight(listing: number, dead: readonly string[] = [], words: readonly string[] = []): Promise<string[]> {
  const { ledger } = at.scene;
  await clock.advance(DAY);
  ledger.advance(1000n);
  const version = ledger.head;
  const prune = faults.meanwhile("prune", () => {
    ledger.advance(1000n);
    ledger.pruneTo(version + 500n);
  });
  await using node = await at.nodeWith([notAnswering(dead), { fault: prune, match: listings, at: listing }]);
  await ended(runCli(["sync", "--db", db, "--rpc", node.url, "--concurrency", "1", ...words], { clock }), 3);
  return coveredAt(version);
}

const notAnswering = (dead: readonly string[]): Parameters<typeof at.nodeWith>[0][number] => ({
  fault: faults.storageFailure("listing"),
  match: ({ target }) => dead.some((address) => target.includes(`${address}/modules`)),
});

const coveredAt = (version: bigint): string[] =>
  at
    .rows(
      "a.db",
      `SELECT a.address FROM _coverage c JOIN _addresses a ON a.id = c.address_id
       WHERE c.from_version <= ${version} AND coalesce(c.to_version, ${version}) >= ${version} ORDER BY length(a.address), a.address`,
    )
    .flat() as string[];

const everyThird = (): readonly string[] => accounts.filter((_, i) => i % 3 === 1);

describe("a node that prunes in the midst of every night", () => {
  test("reads every account in turn", async () => {
    const nights: string[][] = [];
    for (let i = 0; i < 9; i++) nights.push(await prunedNight(5));
    for (let i = 2; i < 9; i++) expect(new Set(nights.slice(i - 2, i + 1).flat())).toEqual(new Set(accounts));
  });

  test("reads every account that answers in turn beside a third that never does", async () => {
    const dead = everyThird();
    const nights: string[][] = [];
    for (let i = 0; i < 9; i++) nights.push(await prunedNight(20, dead));
    const others = accounts.filter((address) => !dead.includes(address));
    for (let i = 2; i < 9; i++) expect(new Set(nights.slice(i - 2, i + 1).flat())).toEqual(new Set(others));
  });
});

test("a first snapshot that the requests of many nights read comes past a third that never answers, and to its seal; later ones, too", async () => {
  const dead = everyThird();
  await using node = await at.nodeWith([notAnswering(dead)]);
  const first = at.scene.ledger.head + 1000n;
  const read: unknown[] = [];
  for (let i = 0; i < 14; i++) {
    await clock.advance(DAY);
    at.scene.ledger.advance(1000n);
    await runCli(["sync", "--db", db, "--rpc", node.url, "--concurrency", "1", "--max-requests", "16"], { clock });
    read.push(...at.rows("a.db", `SELECT count(*) FROM _visits WHERE ledger_version = ${first} AND state = 'visited'`).flat());
  }
  expect(read.slice(0, 4)).toEqual([1, 7, 8, 8]);
  const [sealed, ...later] = at.rows("a.db", "SELECT ledger_version, status, accounts, gaps FROM _all_snapshots");
  expect(sealed).toEqual([Number(first), "sealed_with_gaps", 8, 4]);
  expect(later).toHaveLength(7);
  const others = accounts.filter((address) => !dead.includes(address));
  expect(new Set(Array.from({ length: 7 }, (_, i) => coveredAt(at.scene.ledger.head - 1000n * BigInt(i))).flat())).toEqual(new Set(others));
});

test("accounts whose attempts take all requests of a night go behind the others", async () => {
  const inOrder = accounts.toSorted((a, b) => a.length - b.length || (a < b ? -1 : 1));
  await using node = await at.nodeWith([notAnswering(inOrder.slice(0, 2))]);
  const read: unknown[] = [];
  for (let i = 0; i < 4; i++) {
    await clock.advance(DAY);
    at.scene.ledger.advance(1000n);
    await runCli(["sync", "--db", db, "--rpc", node.url, "--concurrency", "2", "--max-requests", "12"], { clock });
    read.push(...at.rows("a.db", "SELECT count(*) FROM _visits WHERE state = 'visited'").flat());
  }
  expect(read).toEqual([0, 0, 5, 10]);
});

test("accounts of more pages than each one's share of the requests are read one after the other", async () => {
  const { ledger, addresses } = manyAccounts(8, { packages: 8, seed: 1, modulesPerPackage: 8, holders: 8 });
  await using node = await startSimNode({ ledger });
  const all = [...addresses()].flatMap((one) => ["--account", one]);
  const words = asWords`--page-size 1 --concurrency 8 --max-requests 30 ${all}`;
  const read: unknown[] = [];
  for (let i = 0; i < 3; i++) {
    const { json } = await ended(runCli(["sync", "--db", at.place.file("b.db"), "--rpc", node.url, "--json", ...words], { clock }));
    read.push(json()["accounts"]);
  }
  expect(read).toEqual([3, 6, 8]);
});

test.each([
  ["requests", ["--max-requests", "10"], ["--max-requests", "40"]],
  ["time", ["--max-duration", "4s"], ["--max-duration", "20s"]],
])("an account that takes more %s than a run has makes each run fail, and its line says why", async (_, words, more) => {
  const { ledger, address } = manyAccounts(1, { packages: 1, seed: 1, modulesPerPackage: 8, holders: 1 });
  const own = new ManualClock();
  await using node = await at.nodeWith([{ fault: faults.meanwhile("time passes", () => void own.advance(1_000)), match: listings }], {
    ledger,
  });
  const sync = ["sync", "--db", at.place.file("b.db"), "--rpc", node.url, "--page-size", "1", "--rate", "0", "--account", address(0)];
  for (let i = 0; i < 2; i++) {
    const { stdout } = await ended(runCli([...sync, ...words], { clock: own }), 1);
    expect(stdout).toMatch(/^not finished: .*, 0 of 1 account read, the budget of this run did not suffice for one account: raise /);
  }
  const { stdout } = await ended(runCli([...sync, ...more], { clock: own }));
  expect(stdout).toMatch(/^sealed: /);
});

test.each([
  ["the first questions alone use up", [1, 2, 3], []],
  ["the wait for a version uses up", [4, 8], ["--lag", "100"]],
  ["does not suffice for one account", [4, 6], []],
])("a budget that %s makes each night fail, and its line says what to raise", async (_, budgets, words) => {
  await using node = await at.nodeWith([]);
  const night = (...more: string[]) => runCli(["night", "--db", db, "--rpc", node.url, "--slices", "0", ...more, ...words], { clock });
  await ended(night());
  for (const requests of budgets) {
    at.scene.ledger.advance(1000n);
    const { stdout, stderr } = await ended(night("--max-requests", `${requests}`, "--trace-requests", "0"), 1);
    expect(stdout).toMatch(/^night: not sealed after .*[Rr]aise --max-requests/);
    expect(stderr).toMatch(/^movedex: .*[Rr]aise --max-requests/m);
  }
  expect(at.rows("a.db", "SELECT exit FROM _runs WHERE command = 'sync'").flat()).toEqual(["done", ...budgets.map(() => "failed")]);
});

test("a budget that is spent after an earlier night's snapshot was read, on the wait for a version, is a good end", async () => {
  await using node = await at.nodeWith([]);
  const sync = (...more: string[]) =>
    runCli(["sync", "--db", db, "--rpc", node.url, "--concurrency", "1", "--lag", "100", ...more], { clock });
  await ended(sync());
  await clock.advance(DAY);
  at.scene.ledger.advance(1000n);
  await ended(sync("--max-requests", "16", "--ledger-version", `${at.scene.ledger.head}`));
  await clock.advance(DAY);
  at.scene.ledger.advance(1000n);
  const left = Number(at.rows("a.db", "SELECT count(*) FROM _visits WHERE state = 'planned'").flat()[0]);
  expect(left).toBeGreaterThan(0);
  const { stdout } = await ended(sync("--max-requests", `${4 + 2 * left + 2}`));
  expect(stdout).toMatch(/^sealed: ledger version .*, begun by an earlier run; no other was begun: the budget of this run is used up/);
});

describe("thirty accounts that never answer before those that do", () => {
  const many = async () => {
    const { ledger, addresses } = twoNights(40);
    const inOrder = addresses.slice(0, 40).sort((a, b) => a.length - b.length || (a < b ? -1 : 1));
    const path = await quickArchive(at.place.file("many.db"));
    await ended(runCli(["targets", "add", "--db", path, ...inOrder], { clock }));
    const night = async (planned: Parameters<typeof faults.planFaults>[0], options = {}) => {
      await clock.advance(DAY);
      ledger.advance(1000n);
      await using node = await startSimNode({ ledger, faults: faults.planFaults(planned) });
      return await runCli(["sync", "--db", path, "--rpc", node.url, "--concurrency", "1"], { clock, ...options });
    };
    const snapshots = () => at.rows("many.db", "SELECT status, accounts, gaps FROM _all_snapshots ORDER BY ledger_version");
    return { inOrder, night, snapshots };
  };

  test("are gaps of a first night, and no failure of the node", async () => {
    const { inOrder, night, snapshots } = await many();
    await ended(night([notAnswering(inOrder.slice(0, 30))]), 2);
    expect(snapshots()).toEqual([["sealed_with_gaps", 10, 30]]);
  });

  test("cost a night minutes, not one for each of them", async () => {
    const { inOrder, night } = await many();
    const begunMs = clock.now();
    await ended(night([notAnswering(inOrder.slice(0, 30))]), 2);
    expect(clock.now() - begunMs - DAY).toBeLessThan(10 * 60_000);
  });

  test("take no answer from the others of a night that was cut", async () => {
    const { inOrder, night, snapshots } = await many();
    const { signals, send } = signalSender();
    await ended(night([{ fault: { name: "SIGTERM", before: () => send("SIGTERM") }, match: listings, at: 3 }], { signals }), 143);
    const dead = [notAnswering(inOrder.slice(2, 32))];
    await ended(night(dead), 2);
    expect(snapshots()).toEqual([
      ["unsealed", null, null],
      ["sealed_with_gaps", 10, 30],
    ]);
    await ended(night(dead), 2);
    expect(snapshots()).toEqual(Array(3).fill(["sealed_with_gaps", 10, 30]));
  });
});

test("a night that is begun anew again and again under a small budget comes to its seal", async () => {
  await using node = await at.nodeWith([notAnswering(everyThird())]);
  const states: string[] = [];
  for (let i = 0; i < 9; i++) {
    await runCli(["sync", "--db", db, "--rpc", node.url, "--concurrency", "1", "--max-requests", "16"], { clock });
    states.push(...(at.rows("a.db", "SELECT status FROM _all_snapshots").flat() as string[]));
  }
  expect(states.slice(0, 7)).toEqual([...Array(6).fill("unsealed"), "sealed_with_gaps"]);
});
