import { statSync } from "node:fs";
import Database from "better-sqlite3";
import { describe, expect, test } from "vitest";
import { openStore, type Store } from "../../../src/store/store.ts";
import {
  addressOf,
  NOON,
  night,
  opaqueModule,
  recordOf,
  rowsOf,
  type Seen,
  temporaryDirectory,
  temporaryStore,
} from "../support/temporary-store.ts";

const pin = (ledgerVersion: bigint) => ({
  chainId: 4,
  ledgerVersion,
  headVersion: ledgerVersion,
  oldestVersion: 0n,
  headTimestampUsec: 0n,
  now: NOON,
});
const one = addressOf(1);
const visitOf = (text: string) => ({ address: one, account: recordOf(1n), modules: [opaqueModule("coin", text)] });
const miss = { reason: "timeout", errorCode: null, httpStatus: null, message: "no answer", attempts: 2, isFinal: false };

describe("a quiet night", () => {
  const many: Seen = new Map(
    Array.from({ length: 2000 }, (_, n) => [addressOf(n + 1), { sequence: 1n, modules: { coin: `code ${n % 7}`, math: "code" } }]),
  );
  const rowCounts = (path: string) => {
    const tables = rowsOf(
      path,
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND sql NOT LIKE 'CREATE VIRTUAL%'",
    ) as { name: string }[];
    return new Map(tables.map(({ name }) => [name, (rowsOf(path, `SELECT count(*) AS n FROM ${name}`) as [{ n: number }])[0].n]));
  };

  test("adds one row and at most 16 KiB, however many accounts there are", () => {
    using at = temporaryStore();
    night(at.store, 10n, many);
    at.store.close();
    const before = { rows: rowCounts(at.path), size: statSync(at.path).size };
    const store = openStore(at.path, { mode: "write", now: () => NOON });
    night(store, 20n, many);
    store.close();
    const after = { rows: rowCounts(at.path), size: statSync(at.path).size };
    expect([...after.rows].filter(([table, n]) => n !== before.rows.get(table))).toEqual([["pins", 2]]);
    expect(after.size - before.size).toBeLessThanOrEqual(16_384);
  });

  test("stages one small row per account, and no listing", () => {
    using at = temporaryStore();
    at.store.createPin(pin(10n), [one]);
    at.store.commitVisit(10n, visitOf("a"));
    at.store.seal(10n, { now: NOON });
    at.store.createPin(pin(20n), [one]);
    expect(at.store.commitVisit(20n, visitOf("a"))).toEqual({ newBytecodes: 0, changedModules: 0 });
    expect(rowsOf(at.path, "SELECT state, same_as_version, authentication_key FROM visits")).toEqual([
      { state: "visited", same_as_version: 10, authentication_key: null },
    ]);
    expect(rowsOf(at.path, "SELECT * FROM visit_modules")).toEqual([]);
  });
});

describe("commitVisit", () => {
  test("counts new bytecodes and modules that changed, went and came", () => {
    using at = temporaryStore();
    at.store.createPin(pin(10n), [one]);
    const modules = ["a", "b", "c"].map((name) => opaqueModule(name, name));
    expect(at.store.commitVisit(10n, { address: one, account: null, modules })).toEqual({ newBytecodes: 3, changedModules: 0 });
    at.store.seal(10n, { now: NOON });
    at.store.createPin(pin(20n), [one]);
    const next = [opaqueModule("a", "a"), opaqueModule("b", "new"), opaqueModule("d", "c")];
    expect(at.store.commitVisit(20n, { address: one, account: null, modules: next })).toEqual({ newBytecodes: 1, changedModules: 3 });
    expect(at.store.seal(20n, { now: NOON })).toMatchObject({ status: "sealed", accounts: 1, modules: 3, changedModules: 3, gaps: 0 });
  });

  test("done again replaces what was taken down, and a miss before it", () => {
    using at = temporaryStore();
    at.store.createPin(pin(10n), [one]);
    at.store.commitMiss(10n, { address: one, ...miss }, NOON);
    at.store.commitVisit(10n, visitOf("a"));
    at.store.commitVisit(10n, { ...visitOf("b"), modules: [opaqueModule("other", "b")] });
    expect(at.store.seal(10n, { now: NOON })).toMatchObject({ status: "sealed", modules: 1, gaps: 0 });
    expect(rowsOf(at.path, "SELECT name FROM modules_at")).toEqual([{ name: "other" }]);
  });

  test("several at once are all stored, or none when one is refused", () => {
    using at = temporaryStore();
    const two = addressOf(2);
    at.store.createPin(pin(10n), [one, two]);
    expect(() => at.store.commitVisits(10n, [visitOf("a"), { ...visitOf("a"), address: addressOf(3) }])).toThrow(
      expect.objectContaining({ code: "MOVEDEX_STORE_VISIT" }),
    );
    expect(rowsOf(at.path, "SELECT DISTINCT state FROM visits")).toEqual([{ state: "planned" }]);
    expect(rowsOf(at.path, "SELECT 1 FROM bytecodes")).toEqual([]);
    // What a rolled-back visit had put in is not remembered as stored.
    const results = at.store.commitVisits(10n, [visitOf("a"), { ...visitOf("a"), address: two }]);
    expect(results.map(({ newBytecodes }) => newBytecodes)).toEqual([1, 0]);
    expect(at.store.seal(10n, { now: NOON })).toMatchObject({ status: "sealed", accounts: 2, gaps: 0 });
  });

  const refusals: readonly (readonly [string, (store: Store) => unknown, string])[] = [
    ["an account outside the plan", (store) => store.commitVisit(10n, { ...visitOf("a"), address: addressOf(2) }), "MOVEDEX_STORE_VISIT"],
    ["a snapshot that is not there", (store) => store.commitVisit(11n, visitOf("a")), "MOVEDEX_STORE_PIN"],
    [
      "bytecode that is neither stored nor given",
      (store) => store.commitVisit(10n, { address: one, account: null, modules: [{ name: "coin", sha256: new Uint8Array(32) }] }),
      "MOVEDEX_STORE_VISIT",
    ],
    [
      "bytes of another SHA-256",
      (store) =>
        store.commitVisit(10n, { address: one, account: null, modules: [{ ...opaqueModule("coin", "a"), sha256: new Uint8Array(32) }] }),
      "MOVEDEX_STORE_VISIT",
    ],
    [
      "a module twice",
      (store) => store.commitVisit(10n, { address: one, account: null, modules: [opaqueModule("coin", "a"), opaqueModule("coin", "b")] }),
      "MOVEDEX_STORE_VISIT",
    ],
    [
      "a name with a line break",
      (store) => store.commitVisit(10n, { address: one, account: null, modules: [opaqueModule("co\nin", "a")] }),
      "MOVEDEX_STORE_VISIT",
    ],
    ["a second pin at the same version", (store) => store.createPin(pin(10n), [one]), "MOVEDEX_STORE_PIN"],
    ["a pin on another chain", (store) => store.createPin({ ...pin(11n), chainId: 5 }, [one]), "MOVEDEX_STORE_CHAIN"],
    ["a ledger version that SQLite cannot hold", (store) => store.createPin(pin(2n ** 63n), [one]), "MOVEDEX_STORE_VERSION"],
    ["sealing with accounts left to visit", (store) => store.seal(10n, { now: NOON }), "MOVEDEX_STORE_PIN"],
  ];
  test.each(refusals)("refuses %s, and nothing is written", (_, act, code) => {
    using at = temporaryStore();
    at.store.createPin(pin(10n), [one]);
    const before = rowsOf(at.path, "SELECT (SELECT count(*) FROM bytecodes) AS b, (SELECT count(*) FROM pins) AS p");
    expect(() => act(at.store)).toThrow(expect.objectContaining({ code }));
    expect(rowsOf(at.path, "SELECT (SELECT count(*) FROM bytecodes) AS b, (SELECT count(*) FROM pins) AS p")).toEqual(before);
    expect(at.store.progress(10n)).toEqual({ planned: 1, visited: 0, missed: 0 });
  });
});

describe("the plan", () => {
  test("is read in the order of addresses, in pages, each address once", () => {
    using at = temporaryStore();
    const addresses = [0xa0, 0x1, 0xff, 0x10, 0x9, 0x1].map(addressOf);
    expect(at.store.createPin(pin(10n), addresses).planned).toBe(5);
    const first = at.store.plannedTargets(10n, undefined, 2);
    expect([...first, ...at.store.plannedTargets(10n, first[1], 9)]).toEqual(["0x1", "0x9", "0x10", "0xa0", "0xff"]);
    at.store.commitVisit(10n, visitOf("a"));
    expect(at.store.plannedTargets(10n, undefined, 9)).not.toContain("0x1");
  });

  test("takes back misses that were not final, and misses the rest in one go", () => {
    using at = temporaryStore();
    at.store.createPin(pin(10n), [one, addressOf(2), addressOf(3)]);
    at.store.commitMiss(10n, { address: one, ...miss }, NOON);
    at.store.commitMiss(10n, { address: addressOf(2), ...miss, isFinal: true }, NOON);
    expect(at.store.retryMisses(10n)).toBe(1);
    expect(at.store.plannedTargets(10n, undefined, 9)).toEqual([one, addressOf(3)]);
    expect(at.store.missRest(10n, { ...miss, reason: "pruned" }, NOON + 1)).toBe(2);
    expect(at.store.listGaps({ limit: 9 })).toMatchObject([
      { address: one, reason: "pruned", attempts: 4 },
      { address: addressOf(2), attempts: 2, isFinal: true },
      { address: addressOf(3), attempts: 2 },
    ]);
  });

  test("is found again by the next run", () => {
    using at = temporaryStore();
    at.store.createPin(pin(10n), [one, addressOf(2)]);
    at.store.createPin(pin(20n), [one]);
    at.store.commitVisit(10n, visitOf("a"));
    expect(at.store.unfinishedPins()).toMatchObject([{ ledgerVersion: 20n }, { ledgerVersion: 10n, planned: 2, createdAt: NOON }]);
    expect(at.store.progress(10n)).toEqual({ planned: 1, visited: 1, missed: 0 });
    expect(at.store.snapshotCounts(10n)).toMatchObject({ status: "unsealed", accounts: 1, modules: 1, digest: null });
    at.store.abandon(20n);
    expect(at.store.findPin(20n)?.status).toBe("abandoned");
    expect(at.store.sealedVersions()).toEqual([]);
  });
});

describe("a run that dies", () => {
  const tables = ["pins", "bytecodes", "coverage", "account_spans", "module_spans", "visits", "visit_modules", "misses", "addresses"];
  const dump = (path: string) => tables.map((table) => rowsOf(path, `SELECT * FROM ${table}`));
  const accounts = [1, 2, 3].map(addressOf);
  const steps: readonly ((store: Store) => unknown)[] = [10n, 20n].flatMap((version) => [
    (store: Store) => store.findPin(version) ?? store.createPin(pin(version), accounts),
    ...accounts.map((address, index) => (store: Store) => {
      if (index === 2) store.commitMiss(version, { address, ...miss, attempts: 0 }, NOON);
      else store.commitVisit(version, { address, account: recordOf(version), modules: [opaqueModule("coin", `${index} ${version}`)] });
    }),
    (store: Store) => store.seal(version, { now: NOON }),
  ]);

  test("between any two commits ends, run again, in the same database", () => {
    using straight = temporaryStore();
    for (const step of steps) step(straight.store);
    for (let died = 1; died < steps.length; died++) {
      using directory = temporaryDirectory();
      const path = `${directory.path}/archive.db`;
      let store = openStore(path, { mode: "write", now: () => NOON });
      for (const step of steps.slice(0, died)) step(store);
      store.close();
      store = openStore(path, { mode: "write", now: () => NOON });
      for (const step of steps.slice(died)) step(store);
      store.close();
      expect(dump(path)).toEqual(dump(straight.path));
    }
  });

  test("inside a transaction leaves nothing of it", () => {
    using at = temporaryStore();
    at.store.createPin(pin(10n), [one]);
    at.store.close();
    const raw = new Database(at.path);
    raw.exec("CREATE TRIGGER cut BEFORE UPDATE OF state ON visits BEGIN SELECT raise(ABORT, 'cut'); END");
    raw.close();
    const store = openStore(at.path, { mode: "write", now: () => NOON });
    expect(() => store.commitVisit(10n, visitOf("a"))).toThrow(expect.objectContaining({ code: "MOVEDEX_STORE_UNEXPECTED" }));
    store.close();
    expect(rowsOf(at.path, "SELECT id FROM bytecodes")).toEqual([]);
  });
});
