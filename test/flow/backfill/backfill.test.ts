import { readFileSync } from "node:fs";
import { describe, expect } from "vitest";
import { faults, manyAccounts, SimLedger, startSimNode, writeModule } from "../../../sim/index.ts";
import {
  asWords,
  databaseContent,
  ended,
  listings,
  listsOf,
  ManualClock,
  modulesIn,
  modulesOn,
  quickArchive,
  runCli,
  test,
  valuesOf,
} from "../../support/index.ts";

const COUNT = 12;
const NOW_MS = 1_767_225_600_000 + 400_000;

/** Twelve accounts of three modules; two of them upgrade in the middle of versions 10,000 to 14,000. A hundred versions a second. */
function scene() {
  const many = manyAccounts(COUNT, { packages: 4 });
  many.ledger.advanceTo(11_400n);
  const first = many.upgradeEvery(6);
  many.ledger.advanceTo(15_000n);
  return { ledger: many.ledger, addresses: [...many.addresses()], upgradedAt: first };
}

/** A hundred versions a second. */
const DAY_VERSIONS = 8_640_000n;

/** Accounts that stand as they are for so many versions. */
function manyLater(count: number, versions: bigint) {
  const many = manyAccounts(count, { packages: 1 });
  many.ledger.advance(versions);
  return { ledger: many.ledger, addresses: [...many.addresses()] };
}

type Place = { readonly url: string; readonly db: string; readonly addresses: readonly string[]; readonly clock?: ManualClock };

function backfill({ url, db, addresses, clock = new ManualClock({ skipSleeps: true, startMs: NOW_MS }) }: Place, ...args: string[]) {
  const accounts = addresses.flatMap((address) => ["--account", address]);
  return runCli(["backfill", "--rpc", url, "--db", db, "--rate", "0", "--json", ...accounts, ...args], { clock });
}

const grid = ["--every", "1000", "--from", "10000", "--to", "14000"];

describe("backfill", () => {
  test("a version of which the node lists nothing any more stays unfinished (2), and the others are read", async ({ place }) => {
    const { ledger, addresses } = scene();
    const nothing = { fault: faults.emptyListing(), match: ({ target }: { readonly target: string }) => /modules.*=12000/.test(target) };
    await using node = await startSimNode({ ledger, faults: faults.planFaults([nothing]) });
    const db = await quickArchive(place.file("archive.db"));
    const { json, stderr } = await ended(backfill({ url: node.url, db, addresses }, ...grid), 2);
    const states = (result: Record<string, unknown>) => (result["versions"] as { state: string }[]).map(({ state }) => state);
    expect(states(json())).toEqual(["observed", "observed", "planned", "observed", "observed"]);
    expect(stderr).toContain(`ledger version 12000 stays unfinished: ${node.url} lists no module at`);
    await using mended = await startSimNode({ ledger });
    expect(states((await ended(backfill({ url: mended.url, db, addresses }, ...grid))).json())).toEqual(Array(5).fill("observed"));
  });

  test("reads both ends whole, and between them only what differs; the rest is inferred, kept apart, and right", async ({ place }) => {
    const { ledger, addresses } = scene();
    await using node = await startSimNode({ ledger });
    const db = await quickArchive(place.file("archive.db"));
    const { json } = await ended(backfill({ url: node.url, db, addresses }, ...grid));
    const versions = json()["versions"] as Record<string, unknown>[];
    const facts = ["ledger_version", "state", "accounts_read", "accounts_inferred"];
    expect(versions.map((one) => facts.map((fact) => one[fact]))).toEqual([
      ["10000", "observed", 12, 0],
      ["11000", "observed", 2, 10],
      ["12000", "observed", 2, 10],
      // What was read at 12,000 equals the newer end already.
      ["13000", "inferred", 0, 12],
      ["14000", "observed", 12, 0],
    ]);
    // One of them for the ledger's pace, which a fresh database does not know.
    expect(json()["requests"]).toBe(2 * (12 + 2 + 2 + 12) + 3);
    for (const version of [10_000n, 11_000n, 12_000n, 13_000n, 14_000n]) {
      const [observed, inferred] = [modulesIn(db, "modules_at", version), modulesIn(db, "modules_inferred", version)];
      expect([...observed.keys()].filter((id) => inferred.has(id))).toEqual([]);
      expect(new Map([...observed, ...inferred])).toEqual(modulesOn(ledger, addresses, version));
    }
    // Asked again, there is nothing to read, and nothing changes.
    const before = databaseContent(db);
    const again = await ended(backfill({ url: node.url, db, addresses }, ...grid));
    expect(again.json()["requests"]).toBeLessThanOrEqual(5);
    expect(databaseContent(db)).toEqual(before);
    // An export has all of it, though no snapshot has the version 13,000.
    await ended(runCli(["export", place.file("export"), "--db", db, "--format", "jsonl"]));
    for (const view of ["backfill", "accounts_inferred", "modules_inferred"]) {
      const lines = readFileSync(place.file(`export/part-000001/${view}.jsonl`), "utf8")
        .trimEnd()
        .split("\n");
      expect([view, lines.length]).toEqual([view, Number(valuesOf(db, `SELECT count(*) FROM ${view}`)[0])]);
    }
  });

  test("a month of accounts that never change costs its anchors alone, on a fresh database too", async ({ place }) => {
    const { ledger, addresses } = manyLater(5, 30n * DAY_VERSIONS);
    // The ledger goes on while its pace is asked for.
    const moves = faults.planFaults([{ fault: faults.meanwhile("moves", () => ledger.advance(1500n)), at: 3 }]);
    await using node = await startSimNode({ ledger, faults: moves });
    const at = { url: node.url, db: place.file("month.db"), addresses };
    const { json, stderr } = await ended(backfill(at, "--every", `${(11n * DAY_VERSIONS) / 24n}`));
    expect(stderr).toContain("waiting 15 s, so that two answers of the node tell");
    const versions = json()["versions"] as Record<string, number | string>[];
    expect(versions.length).toBeGreaterThan(60);
    for (const { accounts_read: read, accounts_inferred: inferred } of versions) expect((read as number) + (inferred as number)).toBe(5);
    expect(json()["requests"]).toBeLessThanOrEqual(70);
    const apart = valuesOf(at.db, "SELECT max(versions_apart) FROM accounts_inferred")[0] as number;
    expect(BigInt(apart)).toBeLessThanOrEqual((7n * DAY_VERSIONS * 11n) / 10n);
  });

  test("nothing is sealed of a node whose index is missing, one version alone is begun, and one that has it reads the same versions", async ({
    place,
  }) => {
    const { ledger, addresses } = scene();
    await using node = await startSimNode({ ledger });
    const fault = { fault: faults.emptyListing(), match: listings };
    await using emptied = await startSimNode({ ledger, faults: faults.planFaults([fault]) });
    const db = await quickArchive(place.file("archive.db"));
    const failed = await ended(backfill({ url: emptied.url, db, addresses }, ...grid), 1);
    expect(failed.stderr).toContain("lists no module at ledger version 10000, not even of 0x1");
    expect(listsOf(db, "SELECT status FROM _all_snapshots")).toEqual([["unsealed"]]);
    const { json } = await ended(backfill({ url: node.url, db, addresses }, ...grid));
    expect(json()).toMatchObject({ gaps: 0, planned: 0, lost: 0 });
    expect(listsOf(db, "SELECT DISTINCT modules / accounts FROM snapshots")).toEqual([[3]]);
  });

  test("what changed and changed back is not inferred, as its sequence number rose; over any distance it is, and says so", async ({
    place,
  }) => {
    const address = "0xa1";
    const ledger = new SimLedger({});
    const publish = (name: string, sequenceNumber: bigint): void => {
      ledger.transact((writer) => {
        writer.account(address, { sequenceNumber });
        writer.publish(address, "only", writeModule({ address, name: "only", functions: [{ name, visibility: "public" }] }));
      });
    };
    publish("first", 1n);
    ledger.advanceTo(11_500n);
    publish("second", 2n);
    ledger.advanceTo(12_500n);
    publish("first", 3n);
    ledger.advanceTo(15_000n);
    await using node = await startSimNode({ ledger });
    const at = (db: string) => ({ url: node.url, db: place.file(db), addresses: [address] });
    const rows = (db: string, sql: string): unknown[] => listsOf(place.file(db), sql);
    await ended(backfill(at("near.db"), ...grid, "--max-inferred", "4000"));
    expect(rows("near.db", "SELECT ledger_version FROM accounts_inferred WHERE ledger_version = 12000")).toEqual([]);
    expect(rows("near.db", "SELECT count(DISTINCT bytecode_sha256) FROM modules_at")).toEqual([[2]]);
    await ended(backfill(at("any.db"), ...grid, "--max-inferred", "any"));
    expect(rows("any.db", "SELECT ledger_version, is_record_equal FROM accounts_inferred")).toEqual([
      [11_000, 0],
      [12_000, 0],
      [13_000, 0],
    ]);
  });

  test("the views show nothing beyond --max-inferred at versions that were asked for and not read", async ({ place }) => {
    const { ledger, addresses } = scene();
    await using node = await startSimNode({ ledger });
    const inferredAt = async (db: string, ...flags: string[]) => {
      const at = { url: node.url, db: place.file(db), addresses };
      for (const edge of ["10000", "14000"]) await ended(backfill(at, "--every", "1", "--from", edge, "--to", edge, ...flags));
      // Enough to see that it is the same ledger, and not for a version between: those are refused, or inferred.
      await backfill(at, ...grid, ...flags, "--max-requests", "12");
      return ["accounts_inferred", "modules_inferred"].map((view) => valuesOf(at.db, `SELECT count(*) > 0 FROM ${view}`)[0]);
    };
    expect(await inferredAt("near.db", "--max-inferred", "3999")).toEqual([0, 0]);
    expect(await inferredAt("any.db", "--max-inferred", "4000")).toEqual([1, 1]);
  });

  test("with a horizon that rises at every answer and no limit, the oldest come first and all are saved", async ({ place }) => {
    const { ledger, addresses } = scene();
    // A version takes 24 answers, in which the horizon rises by 96 versions: who reads any other first loses the next.
    let horizon = 9_880n;
    const rise = faults.meanwhile("rise", () => {
      horizon += 4n;
      ledger.pruneTo(horizon);
    });
    await using node = await startSimNode({ ledger, faults: faults.planFaults([{ fault: rise }]) });
    const at = { url: node.url, db: place.file("archive.db"), addresses };
    const asked = ["--every", "100", "--from", "10000", "--to", "13800", "--max-inferred", "99", "--concurrency", "1"];
    const { json } = await ended(backfill(at, ...asked));
    const states = (json()["versions"] as Record<string, unknown>[]).map(({ state }) => state);
    expect(states).toEqual(Array.from({ length: 39 }, () => "observed"));
  });

  test("a gap that a later night fills is no gap of backfill any more", async ({ place }) => {
    const { ledger, addresses } = scene();
    let isSilent = true;
    const silent = faults.planFaults([
      { fault: faults.storageFailure("deserializing"), match: ({ target }) => isSilent && target.includes(addresses[3] as string) },
    ]);
    await using node = await startSimNode({ ledger, faults: silent });
    const db = await quickArchive(place.file("archive.db"));
    const clock = new ManualClock({ skipSleeps: true, startMs: NOW_MS });
    const asked = { url: node.url, db, addresses, clock };
    await ended(backfill(asked, "--every", "1", "--from", "10000", "--to", "10000"), 2);
    const states = () => listsOf(db, "SELECT state, accounts_read FROM backfill");
    expect(states()).toEqual([["gaps", 11]]);
    isSilent = false;
    for (let night = 0; night < 5 && (states() as [string][])[0]?.[0] === "gaps"; night++) {
      await clock.advance(86_400_000);
      await ended(runCli(asWords`sync --rpc ${node.url} --db ${db} --rate 0 --account ${addresses[0] as string}`, { clock }));
    }
    expect(states()).toEqual([["observed", 12]]);
  });

  test("versions asked for by number have an estimated time, once two answers of the node are some seconds apart", async ({ place }) => {
    const { ledger, addresses } = scene();
    await using node = await startSimNode({ ledger });
    const at = { url: node.url, db: place.file("archive.db"), addresses };
    await ended(backfill(at, "--every", "1", "--from", "14000", "--to", "14000"));
    ledger.advance(1000n);
    await ended(backfill(at, "--every", "2000", "--from", "10000", "--to", "12000"));
    const times = listsOf(at.db, "SELECT ledger_version, ledger_time, ledger_time_error_ms FROM snapshots");
    expect(times).toEqual([
      [10_000, "2026-01-01T00:01:40.000Z", 60_000],
      [12_000, "2026-01-01T00:02:00.000Z", 40_000],
      [14_000, "2026-01-01T00:02:20.000Z", 60_001],
    ]);
  });
});
