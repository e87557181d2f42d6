import { existsSync } from "node:fs";
import Database from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { databaseContent } from "../support/database-content.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { runCli } from "../support/run-cli.ts";
import { faults, type SimNode, type SimNodeOptions, startSimNode } from "../support/sim-ledger/index.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import { type TwoNights, twoNights } from "../support/two-nights.ts";

const COUNT = 12;

let scene: TwoNights;
let place: ReturnType<typeof temporaryDirectory>;
let targets: string;
let clock: ManualClock;

beforeEach(() => {
  scene = twoNights(COUNT);
  place = temporaryDirectory();
  targets = scene.targetsFile(place.file("targets.csv"));
  clock = new ManualClock({ skipSleeps: true });
});
afterEach(() => place[Symbol.dispose]());

type Options = Parameters<typeof runCli>[1];

/** `sync` of all accounts at a version. */
function sync(node: SimNode, db: string, version: bigint | undefined, more: readonly string[] = [], options: Options = {}) {
  const at = version === undefined ? [] : ["--ledger-version", `${version}`];
  const argv = ["sync", "--rpc", node.url, "--db", place.file(db), "--rate", "0", "--json", ...at, ...more];
  return runCli(
    more.includes("--account") || more.includes("--stored") ? argv.filter((word) => word !== "--stored") : [...argv, "--targets", targets],
    {
      clock,
      ...options,
    },
  );
}

function nodeWith(planned: Parameters<typeof faults.planFaults>[0], more: Partial<SimNodeOptions> = {}): Promise<SimNode> {
  return startSimNode({ ledger: scene.ledger, faults: faults.planFaults(planned), ...more });
}

function rows(db: string, sql: string): unknown[] {
  const database = new Database(place.file(db), { readonly: true });
  try {
    return database.prepare(sql).raw().all();
  } finally {
    database.close();
  }
}

const listings = ({ target }: { target: string }): boolean => target.includes("/modules");
const ofAccount =
  (address: string) =>
  ({ target }: { target: string }) =>
    target.includes(`/accounts/${address}`);

describe("what a night asks", () => {
  test("one account record and as many pages as there are, for each account, and one question more", async () => {
    await using node = await startSimNode({ ledger: scene.ledger });
    const { code, json } = await sync(node, "a.db", scene.first, ["--page-size", "2"]);
    expect(code).toBe(0);
    const count = (pattern: RegExp) => node.requests.filter(({ path }) => pattern.test(path)).length;
    expect(count(/\/accounts\/0x[0-9a-f]+$/)).toBe(COUNT + 1);
    // Three modules on pages of two; the account without any has one page.
    expect(count(/\/modules$/)).toBe(2 * COUNT + 1);
    expect(node.requests.length).toBe(3 * COUNT + 2 + 1);
    expect(json()["requests"]).toBe(node.requests.length);
    expect(node.requests.filter(({ query }) => query !== "").every(({ query }) => query.includes(`ledger_version=${scene.first}`))).toBe(
      true,
    );
  });

  test("a second night recognises the chain with three questions, and decodes nothing that it knows", async () => {
    await using node = await startSimNode({ ledger: scene.ledger });
    const first = await sync(node, "a.db", scene.first);
    const asked = node.requestCount;
    const second = await sync(node, "a.db", scene.second);
    expect(node.requestCount - asked).toBeLessThanOrEqual(2 * (COUNT + 1) + 4);
    expect(first.json()).toMatchObject({ new_bytecodes: 18, changed_modules: 0 });
    expect(second.json()).toMatchObject({ new_bytecodes: 3, changed_modules: 3 });
  });

  test("at a version that is held it reads nothing", async () => {
    await using node = await startSimNode({ ledger: scene.ledger });
    const first = await sync(node, "a.db", undefined);
    const before = databaseContent(place.file("a.db"));
    const again = await sync(node, "a.db", undefined);
    expect(again.code).toBe(0);
    expect(again.json()["requests"]).toBeLessThanOrEqual(4);
    expect(again.json()).toMatchObject({ digest: first.json()["digest"], accounts: COUNT + 1, status: "sealed" });
    expect(databaseContent(place.file("a.db"))).toEqual(before);
  });

  test("no more at once than --concurrency allows", async () => {
    await using node = await nodeWith([{ fault: faults.late(3), every: 2 }]);
    await sync(node, "a.db", scene.first, ["--concurrency", "3"]);
    expect(node.peakConcurrency).toBeLessThanOrEqual(3);
    expect(node.peakConcurrency).toBeGreaterThan(1);
  });

  test("without targets it reads the framework accounts", async () => {
    await using node = await startSimNode({ ledger: scene.ledger });
    const { json } = await sync(node, "a.db", undefined, ["--stored"]);
    expect(json()).toMatchObject({ accounts: 6, status: "sealed" });
    expect(rows("a.db", "SELECT address FROM accounts_latest ORDER BY length(address), address").flat()).toEqual([
      "0x1",
      "0x3",
      "0x4",
      "0x5",
      "0x7",
      "0xa",
    ]);
  });
});

describe("a night that is told to end", () => {
  let whole: ReturnType<typeof databaseContent>;

  beforeEach(async () => {
    await using node = await startSimNode({ ledger: scene.ledger });
    expect((await sync(node, "whole.db", scene.second)).code).toBe(0);
    whole = databaseContent(place.file("whole.db"));
  });

  test("at --max-requests ends well with 0, and the same command goes on to the same database", async () => {
    await using node = await startSimNode({ ledger: scene.ledger });
    let runs = 0;
    for (;;) {
      runs += 1;
      // A clock that stands still: else the accounts in hand would have no time to finish.
      const { code, json } = await sync(node, "a.db", scene.second, ["--max-requests", "9"], { clock: new ManualClock() });
      expect(code).toBe(0);
      expect(node.requestCount).toBeLessThanOrEqual(9 * runs);
      if (json()["status"] === "sealed") break;
      expect(json()).toMatchObject({ status: "unsealed", digest: null, gaps: 0 });
      expect(runs).toBeLessThan(10);
    }
    expect(runs).toBeGreaterThan(3);
    expect(databaseContent(place.file("a.db"))).toEqual(whole);
  });

  test("at --max-duration too", async () => {
    await using node = await nodeWith([{ fault: faults.tooManyRequests("60"), match: listings, at: 6, times: 1 }]);
    const own = new ManualClock();
    const running = sync(node, "a.db", scene.second, ["--max-duration", "30s", "--concurrency", "1"], { clock: own });
    while (own.waiting < 2) await new Promise((resolve) => setTimeout(resolve, 2));
    await own.advance(31_000);
    await own.advance(20_000);
    const first = await running;
    expect(first.code, first.stderr).toBe(0);
    expect(first.json()).toMatchObject({ status: "unsealed" });
    const second = await sync(node, "a.db", scene.second);
    expect(second.json()).toMatchObject({ status: "sealed" });
    expect(databaseContent(place.file("a.db"))).toEqual(whole);
  });

  test.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)("%s finishes what is in hand, ends with %i, and the next run goes on", async (signal, exit) => {
    let deliver: (signal: "SIGINT" | "SIGTERM") => void = () => {};
    await using node = await nodeWith([{ fault: faults.meanwhile(signal, () => deliver(signal)), match: listings, at: 5 }]);
    const first = await sync(node, "a.db", scene.second, ["--concurrency", "1"], {
      // Its own time stands still, else the grace time would be over at once.
      clock: new ManualClock(),
      signals: (handler) => {
        deliver = handler;
      },
    });
    expect(first.code).toBe(exit);
    expect(first.stderr).toContain(`${signal}: finishing the accounts in hand; once more stops at once`);
    expect(first.json()).toMatchObject({ status: "unsealed", accounts: 5 });
    const second = await sync(node, "a.db", scene.second);
    expect(second.code).toBe(0);
    expect(databaseContent(place.file("a.db"))).toEqual(whole);
  });

  test("a second signal ends at once, though the node is silent", async () => {
    let deliver: (signal: "SIGINT" | "SIGTERM") => void = () => {};
    const twice = faults.meanwhile("twice", () => {
      deliver("SIGINT");
      deliver("SIGINT");
    });
    await using node = await nodeWith([
      { fault: twice, match: listings, at: 3 },
      { fault: faults.silence(), match: listings, at: 3 },
    ]);
    const first = await sync(node, "a.db", scene.second, ["--concurrency", "1"], {
      clock: new ManualClock(),
      signals: (handler) => {
        deliver = handler;
      },
    });
    expect(first.code).toBe(130);
    expect((await sync(node, "a.db", scene.second)).code).toBe(0);
    expect(databaseContent(place.file("a.db"))).toEqual(whole);
  });

  test("when everything fails, nothing is sealed, the plan is kept, and the next night goes on", async () => {
    await using broken = await nodeWith([{ fault: faults.storageFailure("listing"), match: listings }]);
    const first = await sync(broken, "a.db", scene.second);
    expect(first.code).toBe(1);
    expect(first.json()).toMatchObject({ error: { code: "MOVEDEX_NODE_SERVER_ERROR", facts: { status: 500 } } });
    expect(rows("a.db", "SELECT status, planned FROM pins")).toEqual([["unsealed", COUNT + 1]]);
    expect(rows("a.db", "SELECT * FROM gaps")).toEqual([]);
    await using mended = await startSimNode({ ledger: scene.ledger });
    expect((await sync(mended, "a.db", scene.second)).code).toBe(0);
    expect(databaseContent(place.file("a.db"))).toEqual(whole);
  });
});

describe("what cannot be read", () => {
  test("an account that fails for ever is a gap with its reason; the others are sealed", async () => {
    const address = scene.addresses[3] as string;
    await using node = await nodeWith([{ fault: faults.storageFailure("deserializing"), match: ofAccount(address) }]);
    const { code, json } = await sync(node, "a.db", scene.second);
    expect(code).toBe(2);
    expect(json()).toMatchObject({ status: "sealed_with_gaps", gaps: 1, accounts: COUNT });
    expect(rows("a.db", "SELECT address, status, reason, error_code, http_status, is_final FROM gaps")).toEqual([
      [address, "sealed_with_gaps", "server_error", "internal_error", 500, 0],
    ]);
    await using mended = await startSimNode({ ledger: scene.ledger });
    const again = await sync(mended, "a.db", scene.second);
    expect(again.code).toBe(0);
    expect(again.json()).toMatchObject({ status: "sealed", gaps: 0, accounts: COUNT + 1 });
    expect(await contentOfQuietNight()).toEqual(databaseContent(place.file("a.db")));
  });

  test("the horizon overtakes the pin in mid-night: what was read is sealed, the rest are gaps, exit 3", async () => {
    const prune = faults.meanwhile("prune", () => scene.ledger.pruneTo(scene.first + 100n));
    await using node = await nodeWith([{ fault: prune, match: listings, at: 6 }]);
    const { code, json } = await sync(node, "a.db", scene.first, ["--concurrency", "1"]);
    expect(code).toBe(3);
    expect(json()).toMatchObject({ status: "sealed_with_gaps", accounts: 5, gaps: COUNT + 1 - 5 });
    expect(rows("a.db", "SELECT DISTINCT reason, is_final FROM gaps")).toEqual([["pruned", 1]]);
    expect(rows("a.db", "SELECT count(*) FROM accounts_at")).toEqual([[5]]);
  });

  test("the horizon overtakes the pin in the middle of a listing: the part is not kept", async () => {
    const prune = faults.meanwhile("prune", () => scene.ledger.pruneTo(scene.first + 100n));
    const lastPages = ({ target }: { target: string }) => target.includes("start=");
    await using node = await nodeWith([{ fault: prune, match: lastPages, at: 3 }]);
    const { code, json } = await sync(node, "a.db", scene.first, ["--concurrency", "1", "--page-size", "2"]);
    expect(code).toBe(3);
    expect(json()["status"]).toBe("sealed_with_gaps");
    const counts = rows("a.db", "SELECT address, count(*) FROM modules_at GROUP BY 1") as [string, number][];
    expect(counts.map(([, modules]) => modules)).toEqual(counts.map(() => 3));
    expect(rows("a.db", "SELECT count(*) FROM gaps WHERE reason = 'pruned'")).toEqual([[COUNT + 1 - (json()["accounts"] as number)]]);
  });

  test("a pin that is pruned between two runs: the second seals what the first read, then takes the newest", async () => {
    await using node = await startSimNode({ ledger: scene.ledger });
    const first = await sync(node, "a.db", scene.first, ["--max-requests", "9"]);
    const accounts = first.json()["accounts"] as number;
    expect(accounts).toBeGreaterThan(0);
    scene.ledger.pruneTo(scene.second - 100n);
    const second = await sync(node, "a.db", undefined);
    expect(second.code).toBe(3);
    expect(second.stderr).toContain(`the snapshot of ledger version ${scene.first} was not finished in time`);
    expect(rows("a.db", "SELECT ledger_version, status, accounts, gaps FROM snapshots ORDER BY 1")).toEqual([
      [Number(scene.first), "sealed_with_gaps", accounts, COUNT + 1 - accounts],
      [Number(scene.second), "sealed", COUNT + 1, 0],
    ]);
    expect((await sync(node, "a.db", undefined)).code).toBe(0);
  });

  test("a pin of which nothing was read is given up, and its version may be taken again", async () => {
    await using node = await startSimNode({ ledger: scene.ledger });
    await sync(node, "a.db", scene.first, ["--max-requests", "1"]);
    scene.ledger.pruneTo(scene.second - 100n);
    const lost = await sync(node, "a.db", undefined);
    expect(lost.code).toBe(3);
    expect(rows("a.db", "SELECT ledger_version FROM snapshots")).toEqual([[Number(scene.second)]]);
    expect(rows("a.db", "SELECT DISTINCT status, reason FROM gaps")).toEqual([["abandoned", "pruned"]]);
    scene.ledger.unpruneTo(0n);
    expect((await sync(node, "a.db", scene.first)).json()).toMatchObject({ status: "sealed", gaps: 0 });
  });

  test("a listing that names a module twice is a gap, not a change", async () => {
    const address = scene.addresses[2] as string;
    const match = (request: { target: string }) => listings(request) && ofAccount(address)(request);
    await using node = await nodeWith([{ fault: faults.repeatedModule(), match }]);
    const { code, json } = await sync(node, "a.db", scene.second);
    expect([code, json()["gaps"]]).toEqual([2, 1]);
  });
});

describe("nodes of every kind", () => {
  const kinds: readonly (readonly [string, Partial<SimNodeOptions>])[] = [
    ["two at different heights behind one address", { behind: [0n, 60n] }],
    ["one that refuses BCS", { disabledFormats: ["bcs"] }],
    ["one that refuses JSON", { disabledFormats: ["json"] }],
    ["one that spells its headers as the specification does", { headerSpelling: "node" }],
    ["one with pages of two modules", { maxPageSize: 2 }],
  ];
  test.each(kinds)("%s: the same modules", async (_, options) => {
    await using node = await startSimNode({ ledger: scene.ledger, ...options });
    const { code, json, stderr } = await sync(node, "a.db", scene.second - 60n);
    expect(code, stderr).toBe(0);
    await using plain = await startSimNode({ ledger: scene.ledger });
    const quiet = await sync(plain, "b.db", scene.second - 60n);
    expect(json()).toMatchObject({ digest: quiet.json()["digest"], status: "sealed" });
    expect(rows("a.db", "SELECT * FROM functions_latest ORDER BY address, module, name")).toEqual(
      rows("b.db", "SELECT * FROM functions_latest ORDER BY address, module, name"),
    );
  });

  test("bytecode newer than movedex knows: the node's own ABI is asked for, once for each bytecode", async () => {
    const code = scene.ledger.modulesAt(scene.addresses[0] as string, scene.second)[0]?.code;
    const newer = code?.asVersion(11) as NonNullable<typeof code>;
    scene.ledger.transact((writer) => {
      for (const address of scene.addresses.slice(0, 4)) writer.publish(address, "newer", newer);
    });
    await using node = await startSimNode({ ledger: scene.ledger, maxBytecodeVersion: 11 });
    const { code: exit, json } = await sync(node, "a.db", undefined, ["--concurrency", "1"]);
    expect(exit).toBe(0);
    expect(json()["status"]).toBe("sealed");
    expect(node.requests.filter(({ path }) => path.endsWith("/module/newer")).length).toBe(1);
    expect(rows("a.db", "SELECT count(*), min(bytecode_version) FROM modules_latest WHERE name = 'newer'")).toEqual([[4, 11]]);
    const [[functions]] = rows("a.db", "SELECT count(*) FROM functions_latest WHERE module = 'newer'") as [[number]];
    expect(functions).toBeGreaterThan(0);
  });

  test("bytecode that neither movedex nor the node can read is kept, without an ABI", async () => {
    scene.ledger.transact((writer) =>
      writer.publish(scene.addresses[0] as string, "odd", Uint8Array.of(0xa1, 0x1c, 0xeb, 0x0b, 99, 0, 0, 10)),
    );
    await using node = await startSimNode({ ledger: scene.ledger });
    const { code } = await sync(node, "a.db", undefined);
    expect(code).toBe(0);
    expect(rows("a.db", "SELECT name, bytecode_size FROM modules_latest WHERE name = 'odd'")).toEqual([["odd", 8]]);
    expect(rows("a.db", "SELECT * FROM functions_latest WHERE module = 'odd'")).toEqual([]);
  });
});

describe("a scope that grows while the head stands still", () => {
  test("accounts added after the seal are read into the same snapshot", async () => {
    await using node = await startSimNode({ ledger: scene.ledger });
    const some = scene.addresses.slice(0, 5).flatMap((address) => ["--account", address]);
    const first = await sync(node, "a.db", scene.second, some);
    expect(first.json()).toMatchObject({ accounts: 5, status: "sealed" });
    const dry = await sync(node, "a.db", scene.second, ["--dry-run"]);
    expect(dry.json()).toMatchObject({ held: true, accounts: COUNT + 1 - 5 });
    const asked = node.requestCount;
    const second = await sync(node, "a.db", scene.second);
    expect(node.requestCount - asked).toBeLessThanOrEqual(2 * (COUNT + 1 - 5) + 4);
    expect(second.json()).toMatchObject({ accounts: COUNT + 1, status: "sealed", gaps: 0 });
    expect(databaseContent(place.file("a.db"))).toEqual(await contentOfQuietNight());
  });

  test("an interrupted run goes on with the accounts that were added meanwhile", async () => {
    await using node = await startSimNode({ ledger: scene.ledger });
    const some = scene.addresses.slice(4).flatMap((address) => ["--account", address]);
    const first = await sync(node, "a.db", scene.second, [...some, "--max-requests", "9"]);
    expect(first.json()["status"]).toBe("unsealed");
    const second = await sync(node, "a.db", scene.second);
    expect(second.json()).toMatchObject({ accounts: COUNT + 1, status: "sealed" });
    expect(databaseContent(place.file("a.db"))).toEqual(await contentOfQuietNight());
  });

  test("an extension that is interrupted is finished by the next run, whatever that one is asked for", async () => {
    await using node = await startSimNode({ ledger: scene.ledger });
    await sync(node, "a.db", scene.first, ["--account", scene.addresses[0] as string]);
    const cut = await sync(node, "a.db", scene.first, ["--max-requests", "9"]);
    expect(cut.json()).toMatchObject({ status: "unsealed", digest: null });
    expect(rows("a.db", "SELECT ledger_version, accounts FROM snapshots")).toEqual([[Number(scene.first), 1]]);
    const next = await sync(node, "a.db", undefined);
    expect(next.code).toBe(0);
    expect(rows("a.db", "SELECT ledger_version, accounts, status FROM snapshots ORDER BY 1")).toEqual([
      [Number(scene.first), COUNT + 1, "sealed"],
      [Number(scene.second), COUNT + 1, "sealed"],
    ]);
  });
});

describe("--dry-run", () => {
  test("makes no file, and its numbers hold", async () => {
    await using node = await startSimNode({ ledger: scene.ledger });
    const dry = await sync(node, "a.db", scene.first, ["--dry-run", "--rate", "2"]);
    expect(dry.code).toBe(0);
    expect(dry.json()).toMatchObject({ dry_run: true, accounts: COUNT + 1, held: false, above_horizon: `${scene.first}`, unfinished: [] });
    expect(existsSync(place.file("a.db"))).toBe(false);
    expect(dry.json()["duration_ms"]).toBe((dry.json()["requests_at_least"] as number) * 500);
    const run = await sync(node, "a.db", scene.first);
    expect(run.json()["requests"]).toBe(dry.json()["requests_at_least"]);
  });

  test("over an unfinished snapshot says what is left, and changes nothing", async () => {
    await using node = await startSimNode({ ledger: scene.ledger });
    await sync(node, "a.db", scene.first, ["--max-requests", "9"]);
    const before = databaseContent(place.file("a.db"));
    const dry = await sync(node, "a.db", scene.first, ["--dry-run"]);
    expect(databaseContent(place.file("a.db"))).toEqual(before);
    const [left] = dry.json()["unfinished"] as [{ accounts_left: number }];
    expect(dry.json()).toMatchObject({ accounts: 0 });
    const run = await sync(node, "a.db", scene.first);
    expect(run.json()["requests"]).toBe(dry.json()["requests_at_least"]);
    expect(run.json()["accounts"]).toBe(COUNT + 1);
    expect(left.accounts_left).toBeLessThan(COUNT + 1);
  });
});

/** The content of a database in which the second version was read without any trouble. */
async function contentOfQuietNight(): Promise<ReturnType<typeof databaseContent>> {
  await using node = await startSimNode({ ledger: scene.ledger });
  expect((await sync(node, "quiet.db", scene.second)).code).toBe(0);
  return databaseContent(place.file("quiet.db"));
}
