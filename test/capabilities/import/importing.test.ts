import { copyFileSync } from "node:fs";
import Database from "better-sqlite3";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { probeQueries } from "../../../src/capabilities/trace/probes.ts";
import { gapQueries } from "../../../src/core/db/archive/snapshots/gaps.ts";
import { sealQueries } from "../../../src/core/db/archive/snapshots/seal.ts";
import { readSealedVersions, snapshotQueries } from "../../../src/core/db/archive/snapshots/snapshot-queries.ts";
import { visitQueries } from "../../../src/core/db/archive/snapshots/visits.ts";
import { keepEstimate, keepTime } from "../../../src/core/db/archive/times/ledger-times.ts";
import type { Engine } from "../../../src/core/db/engine/engine.ts";
import { checksumOf } from "../../../src/core/db/schema/sql/checksum.ts";
import { sql } from "../../../src/core/db/schema/sql/sql.ts";
import { traceTables } from "../../../src/core/db/schema/tables/time.ts";
import { heldContent } from "../../flow/keep/support/two-nights-held.ts";
import { sized } from "../../run-size.ts";
import { contractFaults } from "../../support/contract.ts";
import { changeFile, rowsOf, runCli, temporaryDirectory } from "../../support/index.ts";
import { law } from "../../support/property/law.ts";
import { leaveFewViews } from "../../support/store/few-views.ts";
import { importPath } from "../../support/store/import-store.ts";
import { addressOf, gone, NOON, night, opaqueModule, pinAt, recordOf, temporaryStore } from "../../support/store/temporary-store.ts";

/** Which bytes stand where, by place: the truth that all observers of one ledger share. */
type Truth = readonly (readonly number[])[];
/** Which accounts an observer reads at which version, by place in the truth. */
type Sight = readonly (readonly ("bcs" | "json" | "code" | "missed" | "not asked")[])[];

const place = temporaryDirectory();
const VERSIONS = 5;
const ACCOUNTS = 3;

const exactly = <T>(length: number, one: fc.Arbitrary<T>) => fc.array(one, { minLength: length, maxLength: length });
const truthArbitrary: fc.Arbitrary<Truth> = exactly(VERSIONS, exactly(ACCOUNTS, fc.nat(3)));
const how = fc.constantFrom<Sight[number][number]>("bcs", "json", "code", "missed", "not asked");
const sightArbitrary: fc.Arbitrary<Sight> = exactly(VERSIONS, exactly(ACCOUNTS, how));

// A record without its bytes parts one span into three, until another archive has the bytes.
const none: Truth = Array.from({ length: VERSIONS }, () => [0, 0, 0]);
const all = (how: Sight[number][number]): Sight => Array.from({ length: VERSIONS }, () => [how, how, how]);
const fullerBetween: Sight = all("bcs").with(1, ["bcs", "bcs", "json"]);
// What stands as before is taken over for all accounts at once, but for those that were not asked.
const leftOut: Sight = all("bcs").with(2, ["bcs", "not asked", "bcs"]);

/** A snapshot is there only when somebody answered. */
async function crawl(engine: Engine, truth: Truth, sight: Sight): Promise<void> {
  const [{ createSnapshot }, { commitVisits }] = [snapshotQueries(engine), visitQueries(engine)];
  const [{ commitGap }, { seal }] = [gapQueries(engine), sealQueries(engine)];
  for (const [at, values] of truth.entries()) {
    const [version, sights] = [BigInt(at * 10), sight[at] ?? []];
    const asked = values.flatMap((value, account) => {
      const how = sights[account] ?? "not asked";
      return how === "not asked" ? [] : [{ address: addressOf(account + 9), value, how }];
    });
    if (asked.every(({ how }) => how === "missed")) continue;
    await createSnapshot(
      pinAt(version),
      asked.map(({ address }) => address),
    );
    for (const { address, value, how } of asked) {
      if (how === "missed") await commitGap(version, { address, ...gone }, NOON);
      else {
        const modules =
          value === 0 ? [] : [opaqueModule("coin", `coin ${value >> 1}`), ...(value > 1 ? [opaqueModule("extra", "extra")] : [])];
        const resource = how === "bcs" ? new Uint8Array([value]) : null;
        const account = how === "code" ? undefined : value === 3 ? null : { ...recordOf(BigInt(value)), resource };
        await commitVisits(version, [{ address, account, modules }]);
      }
    }
    await seal(version, { now: NOON });
  }
}

/** What all observers together have seen: of several, the one that saw most. */
function union(sights: readonly Sight[]): Sight {
  const most = ["bcs", "json", "code", "missed"] as const;
  return Array.from({ length: VERSIONS }, (_, version) => {
    const isHeld = (sight: Sight) => sight[version]?.some((how) => how !== "missed" && how !== "not asked") === true;
    return Array.from({ length: ACCOUNTS }, (_, account) => {
      const how = sights.filter(isHeld).map((sight) => sight[version]?.[account]);
      return most.find((one) => how.includes(one)) ?? "not asked";
    });
  });
}

describe("importing", () => {
  law(
    "gives what one crawl of everything gives, whatever the order of imports",
    {
      numRuns: sized(2, 8),
      examples: [
        [none, [all("bcs"), fullerBetween], false],
        [none, [all("missed"), leftOut], false],
      ],
    },
    [truthArbitrary, fc.array(sightArbitrary, { minLength: 2, maxLength: 3 }), fc.boolean()],
    async (truth, sights, intoFirst) => {
      await using whole = await temporaryStore();
      await crawl(whole.engine, truth, union(sights));
      const observers = await Promise.all(sights.map(() => temporaryStore()));
      try {
        for (const [i, { engine }] of observers.entries()) await crawl(engine, truth, sights[i] as Sight);
        const paths = observers.map(({ path }) => path);
        const orders = [paths, paths.toReversed()].map((order) => (intoFirst ? order.slice(1) : order));
        for (const [i, order] of orders.entries()) {
          await using target = await temporaryStore();
          if (intoFirst) await crawl(target.engine, truth, (i === 0 ? sights[0] : sights.at(-1)) as Sight);
          for (const path of order) expect((await importPath(target.engine, path)).findings).toBe(0);
          expect(heldContent(target.path)).toEqual(heldContent(whole.path));
        }
      } finally {
        for (const observer of observers) await observer[Symbol.asyncDispose]();
      }
    },
  );

  test("says who observed what, and changes nothing the second time", async () => {
    await using theirs = await temporaryStore();
    await night(theirs.engine, 10n, [[addressOf(1), { sequence: 1n, modules: { a: "1" } }]]);
    await using ours = await temporaryStore();
    await night(ours.engine, 10n, [[addressOf(2), { sequence: 2n, modules: { b: "2" } }]]);
    const brought = { snapshots: 1, newSnapshots: 0, accounts: 1, newAnswers: 1, newBytecodes: 1 };
    expect(await importPath(ours.engine, theirs.path)).toMatchObject(brought);
    const before = heldContent(ours.path);
    expect(await importPath(ours.engine, theirs.path)).toMatchObject({ newAnswers: 0, newBytecodes: 0, findings: 0 });
    expect(heldContent(ours.path)).toEqual(before);
    expect(rowsOf(ours.path, "SELECT ledger_version, source_kind, accounts, new_accounts FROM snapshot_sources")).toEqual([
      { ledger_version: 10, source_kind: "database", accounts: 1, new_accounts: 1 },
    ]);
    await night(theirs.engine, 20n, [[addressOf(1), { sequence: 1n, modules: { a: "1" } }]]);
    await importPath(ours.engine, theirs.path);
    const sources = "SELECT count(*) AS sources, count(DISTINCT source_name) AS names FROM snapshot_sources WHERE ledger_version = 10";
    expect(rowsOf(ours.path, sources), "the same file, with other content").toEqual([{ sources: 2, names: 1 }]);
    for (const [view, question] of contractFaults)
      if (view === "snapshot_sources") expect([question, rowsOf(ours.path, question)]).toEqual([question, []]);
  });

  test("takes a contradiction down and keeps what is stored", async () => {
    const twice = async (text: string, sequence: bigint) => {
      const at = await temporaryStore();
      for (const version of [10n, 20n]) await night(at.engine, version, [[addressOf(1), { sequence, modules: { a: text, same: "same" } }]]);
      return at;
    };
    await using theirs = await twice("theirs", 2n);
    await using ours = await twice("ours", 1n);
    const before = rowsOf(ours.path, "SELECT * FROM modules_at");
    expect(await importPath(ours.engine, theirs.path)).toMatchObject({ findings: 2 });
    expect(await importPath(ours.engine, theirs.path)).toMatchObject({ findings: 2 });
    expect(rowsOf(ours.path, "SELECT * FROM modules_at")).toEqual(before);
    expect(rowsOf(ours.path, "SELECT kind, subject, ledger_version, to_version FROM findings ORDER BY kind")).toEqual([
      { kind: "account", subject: "0x1", ledger_version: 10, to_version: 20 },
      { kind: "module", subject: "0x1::a", ledger_version: 10, to_version: 20 },
    ]);
  });

  test("brings point reads along, and takes down where two differ", async () => {
    const probed = async (text: string) => {
      const target = await temporaryStore();
      await night(target.engine, 10n, [[addressOf(1), { sequence: 1n, modules: { a: "1" } }]]);
      await night(target.engine, 20n, [[addressOf(1), { sequence: 1n, modules: { a: "2" } }]]);
      await probeQueries(target.engine).commitModuleProbes(addressOf(1), 15n, ["a"], [opaqueModule("a", text)]);
      await probeQueries(target.engine).commitAccountProbe(addressOf(1), 15n, null);
      // As version 0.1.0 wrote it.
      await target.engine.transaction(async (tx) => {
        await tx.run(sql`UPDATE _module_probes SET source = 'https://archive.example/v1'`);
        await tx.run(sql`UPDATE _module_probes SET checksum = ${checksumOf(traceTables.module_probes)}`);
      });
      return target;
    };
    await using theirs = await probed("between");
    await using empty = await temporaryStore();
    expect((await importPath(empty.engine, theirs.path)).findings).toBe(0);
    expect(heldContent(empty.path)).toEqual(heldContent(theirs.path));
    expect(rowsOf(empty.path, "SELECT source FROM _module_probes")).toEqual([{ source: "https://archive.example/v1" }]);
    expect(rowsOf(empty.path, "SELECT source FROM _account_probes")).toEqual([{ source: null }]);
    await using others = await probed("otherwise");
    expect((await importPath(others.engine, theirs.path)).findings).toBe(1);
    expect(rowsOf(others.path, "SELECT kind, subject, ledger_version FROM findings")).toEqual([
      { kind: "module_probe", subject: "0x1::a", ledger_version: 15 },
    ]);
  });

  test("takes over the times of the ledger", async () => {
    await using theirs = await temporaryStore();
    await night(theirs.engine, 10n, [[addressOf(1), { sequence: 1n, modules: {} }]]);
    changeFile(
      theirs.path,
      `INSERT INTO _ledger_times (ledger_version, ledger_time, error_ms) VALUES (5, ${NOON}, 0), (2, ${NOON - 1000}, 60000)`,
    );
    await using ours = await temporaryStore();
    for (let times = 0; times < 2; times++) expect(await importPath(ours.engine, theirs.path)).toMatchObject({ findings: 0 });
    const question = "SELECT ledger_version, ledger_time, error_ms FROM _ledger_times ORDER BY 1";
    expect(rowsOf(ours.path, question)).toEqual(rowsOf(theirs.path, question));
    expect(
      rowsOf(ours.path, "SELECT 1 FROM _sources WHERE checksum IS NULL UNION ALL SELECT 1 FROM _source_snapshots WHERE checksum IS NULL"),
    ).toEqual([]);
  });

  test("leaves out times and point reads that are not as they were written: here they would have checksums of their own", async () => {
    await using theirs = await temporaryStore();
    for (const version of [10n, 20n]) await night(theirs.engine, version, [[addressOf(1), { sequence: 1n, modules: { a: "1" } }]]);
    for (const version of [15n, 16n]) {
      await probeQueries(theirs.engine).commitModuleProbes(addressOf(1), version, ["a"], [opaqueModule("a", "1")]);
      await probeQueries(theirs.engine).commitAccountProbe(addressOf(1), version, null);
      await theirs.engine.transaction((tx) => keepTime(tx, version, BigInt(NOON) * 1000n));
    }
    changeFile(
      theirs.path,
      "UPDATE _module_probes SET bytecode_id = NULL WHERE ledger_version = 15",
      "UPDATE _account_probes SET ledger_version = 17 WHERE ledger_version = 15",
      "UPDATE _ledger_times SET ledger_time = ledger_time + 1 WHERE ledger_version = 15",
    );
    const ours = { path: place.file("without-damaged.db") };
    expect((await runCli(["import", theirs.path, "--db", ours.path])).stdout).toMatch(/\nleft out 3 damaged times and traces\n$/);
    expect((await runCli(["import", theirs.path, "--db", ours.path, "--json"])).json()).toMatchObject({ left_out: 3 });
    expect((await runCli(["import", ours.path, "--db", place.file("whole.db")])).stdout).not.toContain("left out");
    for (const table of ["_module_probes", "_account_probes", "_ledger_times"])
      expect(rowsOf(ours.path, `SELECT ledger_version FROM ${table}`), table).toEqual([{ ledger_version: 16 }]);
  });

  test("takes the better of two estimates of a version's time, whatever the order of imports", async () => {
    const estimated = async (ms: number, errorMs: number) => {
      const at = await temporaryStore();
      await night(at.engine, 10n, [[addressOf(1), { sequence: 1n, modules: {} }]]);
      await at.engine.transaction((tx) => keepEstimate(tx, 5n, ms, errorMs));
      return at;
    };
    await using theirs = await estimated(NOON, 500);
    await using better = await estimated(NOON + 9, 200);
    await using early = await estimated(NOON + 3, 200);
    const paths = [theirs.path, better.path, early.path];
    for (const order of [paths, paths.toReversed(), [better.path, theirs.path, early.path]]) {
      await using target = await temporaryStore();
      for (const path of order) await importPath(target.engine, path);
      expect(rowsOf(target.path, "SELECT ledger_time, error_ms FROM _ledger_times")).toEqual([{ ledger_time: NOON + 3, error_ms: 200 }]);
    }
  });

  test("takes a record in BCS over the same one in JSON, from either side", async () => {
    const record = (resource: Uint8Array | null) => ({ sequenceNumber: 1n, authenticationKey: new Uint8Array(32), resource });
    const seal = async (engine: Engine, resource: Uint8Array | null): Promise<void> => {
      await snapshotQueries(engine).createSnapshot(pinAt(10n), [addressOf(1)]);
      await visitQueries(engine).commitVisits(10n, [{ address: addressOf(1), account: record(resource), modules: [] }]);
      await sealQueries(engine).seal(10n, { now: NOON });
    };
    await using bcs = await temporaryStore();
    await using json = await temporaryStore();
    await seal(bcs.engine, new Uint8Array([1, 2]));
    await seal(json.engine, null);
    for (const order of [
      [bcs.path, json.path],
      [json.path, bcs.path],
    ]) {
      await using target = await temporaryStore();
      for (const path of order) expect((await importPath(target.engine, path)).findings).toBe(0);
      expect(rowsOf(target.path, "SELECT hex(resource) AS resource FROM _account_spans")).toEqual([{ resource: "0102" }]);
    }
  });

  test("refuses another chain, a snapshot in work, and content that is not what was sealed; nothing is written", async () => {
    await using theirs = await temporaryStore();
    await night(theirs.engine, 10n, [[addressOf(1), { sequence: 1n, modules: { a: "1", b: "2" } }]]);
    await night(theirs.engine, 20n, [[addressOf(1), { sequence: 1n, modules: { a: "1", b: "3" } }]]);
    await using ours = await temporaryStore();
    await snapshotQueries(ours.engine).bindChain(5);
    await expect(importPath(ours.engine, theirs.path)).rejects.toMatchObject({ code: "MOVEDEX_STORE_CHAIN", exit: "wrongChain" });

    await using working = await temporaryStore();
    await snapshotQueries(working.engine).createSnapshot(pinAt(20n), [addressOf(1)]);
    await expect(importPath(working.engine, theirs.path)).rejects.toMatchObject({ code: "MOVEDEX_STORE_PIN" });
    expect(await readSealedVersions(working.engine)).toEqual([]);

    await theirs.close();
    leaveFewViews(theirs.path);
    await using empty = await temporaryStore();
    await using held = await temporaryStore();
    for (const version of [10n, 20n]) await night(held.engine, version, [[addressOf(2), { sequence: 1n, modules: {} }]]);
    const edits = [
      "UPDATE _listing_modules SET name = 'c' WHERE name = 'b'",
      "UPDATE _listing_modules SET name = 'a' || char(10) || 'b' WHERE name = 'b'",
      "UPDATE _addresses SET address = '0x01'",
      "UPDATE _listing_spans SET from_version = 11 WHERE from_version = 10",
      "DELETE FROM _listing_spans WHERE from_version = 20",
      "UPDATE _coverage SET from_version = 15",
      "UPDATE _bytecodes SET sha256 = zeroblob(32) WHERE id = 1",
      "UPDATE _bytecodes SET sha256 = zeroblob(31) WHERE id = 1",
      "UPDATE _bytecode_blobs SET code = x'00' WHERE id = 2",
      "DELETE FROM _bytecodes WHERE id = 2",
      "UPDATE _account_spans SET sequence_number = '-1'",
      "UPDATE _account_spans SET sequence_number = '7'",
      "UPDATE _account_spans SET authentication_key = zeroblob(31)",
      "UPDATE _coverage SET reads_record = 0",
      "UPDATE _all_snapshots SET digest = zeroblob(32) WHERE ledger_version = 20",
      "UPDATE _all_snapshots SET head_timestamp_usec = '7' WHERE ledger_version = 20",
      "UPDATE _all_snapshots SET records_digest = zeroblob(32) WHERE ledger_version = 20",
      "UPDATE _all_snapshots SET accounts = 2 WHERE ledger_version = 20",
      "UPDATE _all_snapshots SET ledger_version = -1, status = 'sealed' WHERE ledger_version = 20",
      "UPDATE _all_snapshots SET head_timestamp_usec = 'soon'",
    ];
    for (const target of [empty, held]) {
      const before = heldContent(target.path);
      for (const edit of edits) {
        using place = temporaryDirectory();
        const path = place.file("edited.db");
        copyFileSync(theirs.path, path);
        const edited = new Database(path);
        edited.pragma("foreign_keys = OFF");
        edited.exec(edit);
        edited.close();
        const outcome = await importPath(target.engine, path).catch((error: unknown) => error);
        expect(outcome, edit).toMatchObject({ exit: "corrupt" });
        expect(String(outcome)).not.toMatch(/ledger version (\d+) does not hold(?!.*--except \1 leaves it out)/);
      }
      expect(heldContent(target.path)).toEqual(before);
    }
  });
});
