import { statSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { ObservedModule } from "../../../src/archive/content/bytecodes.ts";
import { gapQueries } from "../../../src/archive/snapshots/gaps.ts";
import { sealQueries } from "../../../src/archive/snapshots/seal.ts";
import { snapshotQueries } from "../../../src/archive/snapshots/snapshot-queries.ts";
import { visitQueries } from "../../../src/archive/snapshots/visits.ts";
import type { Engine } from "../../../src/engine/engine.ts";
import { openStore } from "../../../src/work/store.ts";
import { sized } from "../../run-size.ts";
import { changeFile, rowsOf, valuesOf } from "../../support/store/ask-file.ts";
import { addressOf, NOON, night, noAnswer, opaqueModule, pinAt, recordOf, temporaryStore } from "../../support/store/temporary-store.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

const one = addressOf(1);
const visitOf = (text: string) => ({ address: one, account: recordOf(1n), modules: [opaqueModule("coin", text)] });
const miss = { ...noAnswer, attempts: 2 };

describe("a quiet night", () => {
  const many = Array.from({ length: sized(400, 2000) }, (_, n) => {
    return [addressOf(n + 1), { sequence: 1n, modules: { coin: `code ${n % 7}`, math: "code" } }] as const;
  });
  const tables = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND sql NOT LIKE 'CREATE VIRTUAL%'";
  const rowCounts = (path: string) =>
    new Map(valuesOf<string>(path, tables).map((name) => [name, valuesOf(path, `SELECT count(*) FROM ${name}`)[0]]));

  test("adds one row and at most 16 KiB, however many accounts there are", async () => {
    await using at = await temporaryStore();
    await night(at.engine, 10n, many);
    await at.close();
    const before = { rows: rowCounts(at.path), size: statSync(at.path).size };
    const store = await openStore(at.path, { mode: "write", now: () => NOON });
    await night(store.engine, 20n, many);
    await store.close();
    const after = { rows: rowCounts(at.path), size: statSync(at.path).size };
    expect([...after.rows].filter(([table, n]) => n !== before.rows.get(table))).toEqual([["_all_snapshots", 2]]);
    expect(after.size - before.size).toBeLessThanOrEqual(16_384);
  });
});

describe("commitVisits", () => {
  test("counts new bytecodes; sealing counts the modules that were changed, removed and added", async () => {
    await using at = await temporaryStore();
    await snapshotQueries(at.engine).createSnapshot(pinAt(10n), [one]);
    const modules = ["a", "b", "c"].map((name) => opaqueModule(name, name));
    expect(await visitQueries(at.engine).commitVisits(10n, [{ address: one, account: null, modules }])).toEqual([{ newBytecodes: 3 }]);
    await sealQueries(at.engine).seal(10n, { now: NOON });
    await snapshotQueries(at.engine).createSnapshot(pinAt(20n), [one]);
    const next = [opaqueModule("a", "a"), opaqueModule("b", "new"), opaqueModule("d", "c")];
    expect(await visitQueries(at.engine).commitVisits(20n, [{ address: one, account: null, modules: next }])).toEqual([
      { newBytecodes: 1 },
    ]);
    expect(await sealQueries(at.engine).seal(20n, { now: NOON })).toMatchObject({
      status: "sealed",
      accounts: 1,
      modules: 3,
      changedModules: 3,
      gaps: 0,
    });
  });

  test("done again replaces what was taken down, and a miss before it", async () => {
    await using at = await temporaryStore();
    await snapshotQueries(at.engine).createSnapshot(pinAt(10n), [one]);
    await gapQueries(at.engine).commitGap(10n, { address: one, ...miss }, NOON);
    await visitQueries(at.engine).commitVisits(10n, [visitOf("a")]);
    await visitQueries(at.engine).commitVisits(10n, [{ ...visitOf("b"), modules: [opaqueModule("other", "b")] }]);
    expect(await sealQueries(at.engine).seal(10n, { now: NOON })).toMatchObject({ status: "sealed", modules: 1, gaps: 0 });
    expect(rowsOf(at.path, "SELECT module FROM modules_at")).toEqual([{ module: "other" }]);
  });

  test("several at once are all stored, or none when one is refused", async () => {
    await using at = await temporaryStore();
    const two = addressOf(2);
    await snapshotQueries(at.engine).createSnapshot(pinAt(10n), [one, two]);
    await expect(() =>
      visitQueries(at.engine).commitVisits(10n, [visitOf("a"), { ...visitOf("a"), address: addressOf(3) }]),
    ).rejects.toThrow(expect.objectContaining({ code: "MOVEDEX_STORE_VISIT" }));
    expect(rowsOf(at.path, "SELECT DISTINCT state FROM _visits")).toEqual([{ state: "planned" }]);
    expect(rowsOf(at.path, "SELECT 1 FROM _bytecodes")).toEqual([]);
    // What a rolled-back visit had put in is not remembered as stored.
    const results = await visitQueries(at.engine).commitVisits(10n, [visitOf("a"), { ...visitOf("a"), address: two }]);
    expect(results.map(({ newBytecodes }) => newBytecodes)).toEqual([1, 0]);
    expect(await sealQueries(at.engine).seal(10n, { now: NOON })).toMatchObject({ status: "sealed", accounts: 2, gaps: 0 });
  });

  const [coin, no] = [opaqueModule("coin", "a"), new Uint8Array(32)];
  const visiting =
    (...modules: readonly ObservedModule[]) =>
    (engine: Engine) =>
      visitQueries(engine).commitVisits(10n, [{ address: one, account: null, modules }]);
  const refusals: readonly (readonly [what: string, act: (engine: Engine) => Promise<unknown>, code: string])[] = [
    [
      "an account outside the plan",
      (engine) => visitQueries(engine).commitVisits(10n, [{ ...visitOf("a"), address: addressOf(2) }]),
      "VISIT",
    ],
    ["a snapshot that is not there", (engine) => visitQueries(engine).commitVisits(11n, [visitOf("a")]), "PIN"],
    ["bytecode that is neither stored nor given", visiting({ name: "coin", sha256: no }), "VISIT"],
    ["bytes of another SHA-256", visiting({ ...coin, sha256: no }), "VISIT"],
    ["a module twice", visiting(coin, opaqueModule("coin", "b")), "VISIT"],
    ["a name with a line break", visiting(opaqueModule("co\nin", "a")), "VISIT"],
    [
      "a second pin at the same version",
      (engine) => snapshotQueries(engine).createSnapshot({ ...pinAt(10n), now: NOON + 1 }, [one]),
      "PIN",
    ],
    ["a pin on another chain", (engine) => snapshotQueries(engine).createSnapshot({ ...pinAt(11n), chainId: 5 }, [one]), "CHAIN"],
    ["a ledger version that SQLite cannot hold", (engine) => snapshotQueries(engine).createSnapshot(pinAt(2n ** 63n), [one]), "VERSION"],
    ["sealing with accounts left to visit", (engine) => sealQueries(engine).seal(10n, { now: NOON }), "PIN"],
  ];
  test.each(refusals)("refuses %s, and nothing is written", async (_, act, code) => {
    await using at = await temporaryStore();
    await snapshotQueries(at.engine).createSnapshot(pinAt(10n), [one]);
    const counts = "SELECT (SELECT count(*) FROM _bytecodes) AS b, (SELECT count(*) FROM _all_snapshots) AS p";
    const before = rowsOf(at.path, counts);
    await expect(() => act(at.engine)).rejects.toThrow(expect.objectContaining({ code: `MOVEDEX_STORE_${code}` }));
    expect(rowsOf(at.path, counts)).toEqual(before);
    expect(await snapshotQueries(at.engine).progress(10n)).toEqual({ planned: 1, visited: 0, missed: 0 });
  });
});

describe("a run that dies", () => {
  const content = "_bytecodes _bytecode_blobs _coverage _account_spans _listing_spans _listings _listing_modules _addresses";
  const tables = ["_all_snapshots", "_visits", "_all_gaps", ...content.split(" ")];
  const dump = (path: string) => tables.map((table) => rowsOf(path, `SELECT * FROM ${table}`));
  const accounts = [1, 2, 3].map(addressOf);
  const steps: readonly ((engine: Engine) => Promise<unknown>)[] = [10n, 20n].flatMap((version) => [
    async (engine: Engine) =>
      (await snapshotQueries(engine).findSnapshot(version)) ?? (await snapshotQueries(engine).createSnapshot(pinAt(version), accounts)),
    ...accounts.map((address, index) => async (engine: Engine) => {
      if (index === 2) await gapQueries(engine).commitGap(version, { address, ...miss, attempts: 0 }, NOON);
      else
        await visitQueries(engine).commitVisits(version, [
          { address, account: recordOf(version), modules: [opaqueModule("coin", `${index} ${version}`)] },
        ]);
    }),
    (engine: Engine) => sealQueries(engine).seal(version, { now: NOON }),
  ]);

  test("between any two commits ends, run again, in the same database", async () => {
    await using straight = await temporaryStore();
    for (const step of steps) await step(straight.engine);
    for (let died = 1; died < steps.length; died++) {
      using directory = temporaryDirectory();
      const path = directory.file("archive.db");
      for (const run of [steps.slice(0, died), steps.slice(died)]) {
        await using store = await openStore(path, { mode: "write", now: () => NOON });
        for (const step of run) await step(store.engine);
      }
      expect(dump(path)).toEqual(dump(straight.path));
    }
  });

  test("inside a transaction leaves nothing of it", async () => {
    await using at = await temporaryStore();
    await snapshotQueries(at.engine).createSnapshot(pinAt(10n), [one]);
    await at.close();
    const store = await openStore(at.path, { mode: "write", now: () => NOON });
    changeFile(at.path, "CREATE TRIGGER cut BEFORE UPDATE OF state ON _visits BEGIN SELECT raise(ABORT, 'cut'); END");
    await expect(() => visitQueries(store.engine).commitVisits(10n, [visitOf("a")])).rejects.toThrow(
      expect.objectContaining({ code: "MOVEDEX_STORE_UNEXPECTED" }),
    );
    await store.close();
    expect(rowsOf(at.path, "SELECT id FROM _bytecodes")).toEqual([]);
  });
});
