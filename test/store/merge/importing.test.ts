import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Address } from "../../../src/move/address.ts";
import { type ArchiveTableName, archiveTables } from "../../../src/schema/archive.ts";
import { type ExportDoor, openExportDoor } from "../../../src/store/copy/exporting.ts";
import type { ImportResult } from "../../../src/store/merge/importing.ts";
import type { Store } from "../../../src/store/store.ts";
import { databaseContent } from "../../support/database-content.ts";
import { addressOf, NOON, night, opaqueModule, rowsOf, type Seen, temporaryStore } from "../support/temporary-store.ts";

/** Which bytes stand where, by place: the truth that all observers of one ledger share. */
type Truth = readonly (readonly number[])[];
/** Which accounts an observer reads at which version, by place in the truth. */
type Sight = readonly (readonly ("read" | "missed" | "not asked")[])[];

const VERSIONS = 5;
const ACCOUNTS = 3;

const truthArbitrary: fc.Arbitrary<Truth> = fc.array(fc.array(fc.nat(3), { minLength: ACCOUNTS, maxLength: ACCOUNTS }), {
  minLength: VERSIONS,
  maxLength: VERSIONS,
});
const sightArbitrary: fc.Arbitrary<Sight> = fc.array(
  fc.array(fc.constantFrom("read" as const, "read" as const, "missed" as const, "not asked" as const), {
    minLength: ACCOUNTS,
    maxLength: ACCOUNTS,
  }),
  { minLength: VERSIONS, maxLength: VERSIONS },
);

function seenAt(truth: Truth, sight: Sight, version: number): Seen {
  const seen = new Map<Address, Seen extends ReadonlyMap<Address, infer S> ? S : never>();
  for (let account = 0; account < ACCOUNTS; account++) {
    const how = sight[version]?.[account];
    const value = truth[version]?.[account] as number;
    const modules: Record<string, string> = value === 0 ? {} : { coin: `coin ${value >> 1}`, ...(value > 1 ? { extra: "extra" } : {}) };
    if (how === "missed") seen.set(addressOf(account + 9), "missed");
    else if (how === "read") seen.set(addressOf(account + 9), { sequence: value === 3 ? null : BigInt(value), modules });
  }
  return seen;
}

/** A snapshot is there only when somebody answered. */
function crawl(store: Store, truth: Truth, sight: Sight): void {
  for (let version = 0; version < VERSIONS; version++) {
    const seen = seenAt(truth, sight, version);
    if ([...seen.values()].some((how) => how !== "missed")) night(store, BigInt(version * 10), seen);
  }
}

/** What all observers together have seen. */
function union(sights: readonly Sight[]): Sight {
  return Array.from({ length: VERSIONS }, (_, version) => {
    const isHeld = (sight: Sight) => sight[version]?.includes("read") === true;
    return Array.from({ length: ACCOUNTS }, (_, account) => {
      const how = sights.filter(isHeld).map((sight) => sight[version]?.[account]);
      return how.includes("read") ? "read" : how.includes("missed") ? "missed" : "not asked";
    });
  });
}

function importFrom(
  store: Store,
  door: ExportDoor,
  change: (table: ArchiveTableName, row: readonly unknown[]) => readonly unknown[] = (_, row) => row,
): ImportResult {
  const session = store.beginImport();
  try {
    const versions = door.snapshots.map(({ ledgerVersion }) => ledgerVersion);
    for (const table of Object.keys(archiveTables) as ArchiveTableName[])
      session.stage(
        0,
        table,
        Array.from(door.archiveRows(table, versions, []), (row) => change(table, row) as never),
      );
    return session.merge({
      chainId: door.chainId ?? 4,
      kind: "database",
      name: door.path,
      digest: door.path,
      derive: (code) => opaqueModule("", Buffer.from(code).toString()).content as never,
      now: NOON,
    });
  } finally {
    session.end();
  }
}

function importPath(store: Store, path: string): ImportResult {
  const door = openExportDoor(path);
  try {
    return importFrom(store, door);
  } finally {
    door.close();
  }
}

/** All that a database holds, less what is about imports themselves. */
function content(path: string) {
  const { snapshot_sources: _, ...rest } = databaseContent(path);
  return rest;
}

describe("importing", () => {
  test("gives what one crawl of everything gives, whatever the order of imports", () => {
    fc.assert(
      fc.property(truthArbitrary, fc.array(sightArbitrary, { minLength: 2, maxLength: 3 }), fc.boolean(), (truth, sights, intoFirst) => {
        using whole = temporaryStore();
        crawl(whole.store, truth, union(sights));
        const observers = sights.map(() => temporaryStore());
        try {
          for (const [i, { store }] of observers.entries()) crawl(store, truth, sights[i] as Sight);
          const paths = observers.map(({ path }) => path);
          const orders = [paths, paths.toReversed()].map((order) => (intoFirst ? order.slice(1) : order));
          for (const [i, order] of orders.entries()) {
            using target = temporaryStore();
            if (intoFirst) crawl(target.store, truth, (i === 0 ? sights[0] : sights.at(-1)) as Sight);
            for (const path of order) expect(importPath(target.store, path).findings).toBe(0);
            expect(content(target.path)).toEqual(content(whole.path));
          }
        } finally {
          for (const observer of observers) observer[Symbol.dispose]();
        }
      }),
      { numRuns: 8 },
    );
  }, 60_000);

  test("says who observed what, and changes nothing the second time", () => {
    using theirs = temporaryStore();
    night(theirs.store, 10n, new Map([[addressOf(1), { sequence: 1n, modules: { a: "1" } }]]));
    using ours = temporaryStore();
    night(ours.store, 10n, new Map([[addressOf(2), { sequence: 2n, modules: { b: "2" } }]]));
    expect(importPath(ours.store, theirs.path)).toMatchObject({
      snapshots: 1,
      newSnapshots: 0,
      accounts: 1,
      newAnswers: 1,
      newBytecodes: 1,
    });
    const before = content(ours.path);
    expect(importPath(ours.store, theirs.path)).toMatchObject({ newAnswers: 0, newBytecodes: 0, findings: 0 });
    expect(content(ours.path)).toEqual(before);
    expect(rowsOf(ours.path, "SELECT ledger_version, source_kind, accounts, new_accounts FROM snapshot_sources")).toEqual([
      { ledger_version: 10, source_kind: "database", accounts: 1, new_accounts: 1 },
    ]);
  });

  test("takes a contradiction down and keeps what is stored", () => {
    using theirs = temporaryStore();
    const both = (text: string, sequence: bigint): Seen => new Map([[addressOf(1), { sequence, modules: { a: text, same: "same" } }]]);
    night(theirs.store, 10n, both("theirs", 2n));
    night(theirs.store, 20n, both("theirs", 2n));
    using ours = temporaryStore();
    night(ours.store, 10n, both("ours", 1n));
    night(ours.store, 20n, both("ours", 1n));
    const before = rowsOf(ours.path, "SELECT * FROM modules_at");
    expect(importPath(ours.store, theirs.path)).toMatchObject({ findings: 2 });
    expect(importPath(ours.store, theirs.path)).toMatchObject({ findings: 2 });
    expect(rowsOf(ours.path, "SELECT * FROM modules_at")).toEqual(before);
    expect(rowsOf(ours.path, "SELECT kind, subject, ledger_version, to_version FROM findings ORDER BY kind")).toEqual([
      { kind: "account", subject: "0x1", ledger_version: 10, to_version: 20 },
      { kind: "module", subject: "0x1::a", ledger_version: 10, to_version: 20 },
    ]);
  });

  test("brings point reads along, and takes down where two differ", () => {
    const account = (modules: Record<string, string>): Seen => new Map([[addressOf(1), { sequence: 1n, modules }]]);
    const probed = (text: string) => {
      const target = temporaryStore();
      night(target.store, 10n, account({ a: "1" }));
      night(target.store, 20n, account({ a: "2" }));
      target.store.commitModuleProbe(addressOf(1), "a", 15n, opaqueModule("a", text));
      target.store.commitAccountProbe(addressOf(1), 15n, null);
      return target;
    };
    using theirs = probed("between");
    using empty = temporaryStore();
    expect(importPath(empty.store, theirs.path).findings).toBe(0);
    expect(content(empty.path)).toEqual(content(theirs.path));
    expect(rowsOf(empty.path, "SELECT count(*) AS n FROM module_probes")).toEqual([{ n: 1 }]);
    using others = probed("otherwise");
    expect(importPath(others.store, theirs.path).findings).toBe(1);
    expect(rowsOf(others.path, "SELECT kind, subject, ledger_version FROM findings")).toEqual([
      { kind: "module_probe", subject: "0x1::a", ledger_version: 15 },
    ]);
  });

  test("takes a record in BCS over the same one in JSON, from either side", () => {
    const record = (resource: Uint8Array | null) => ({ sequenceNumber: 1n, authenticationKey: new Uint8Array(32), resource });
    const seal = (store: Store, resource: Uint8Array | null): void => {
      const pin = { chainId: 4, ledgerVersion: 10n, headVersion: 10n, oldestVersion: 0n, headTimestampUsec: 0n, now: NOON };
      store.createPin(pin, [addressOf(1)]);
      store.commitVisit(10n, { address: addressOf(1), account: record(resource), modules: [] });
      store.seal(10n, { now: NOON });
    };
    using bcs = temporaryStore();
    using json = temporaryStore();
    seal(bcs.store, new Uint8Array([1, 2]));
    seal(json.store, null);
    for (const order of [
      [bcs.path, json.path],
      [json.path, bcs.path],
    ]) {
      using target = temporaryStore();
      for (const path of order) expect(importPath(target.store, path).findings).toBe(0);
      expect(rowsOf(target.path, "SELECT hex(resource) AS resource FROM account_spans")).toEqual([{ resource: "0102" }]);
    }
  });

  test("refuses another chain, a snapshot in work, and content that is not what was sealed; nothing is written", () => {
    using theirs = temporaryStore();
    night(theirs.store, 10n, new Map([[addressOf(1), { sequence: 1n, modules: { a: "1", b: "2" } }]]));
    const door = openExportDoor(theirs.path);
    using ours = temporaryStore();
    ours.store.bindChain(5);
    expect(() => importFrom(ours.store, door)).toThrow(expect.objectContaining({ code: "MOVEDEX_STORE_CHAIN", exit: "wrongChain" }));

    using working = temporaryStore();
    working.store.createPin({ chainId: 4, ledgerVersion: 10n, headVersion: 10n, oldestVersion: 0n, headTimestampUsec: 0n, now: NOON }, [
      addressOf(1),
    ]);
    expect(() => importFrom(working.store, door)).toThrow(expect.objectContaining({ code: "MOVEDEX_STORE_PIN" }));

    using empty = temporaryStore();
    const before = content(empty.path);
    const edits: [ArchiveTableName, number, unknown][] = [
      ["archive_modules", 1, "c"],
      ["archive_modules", 1, "a\nb"],
      ["archive_modules", 0, "0x01"],
      ["archive_modules", 2, 11n],
      ["archive_modules", 4, "00".repeat(32)],
      ["archive_coverage", 1, 9n],
      ["archive_bytecodes", 1, Buffer.from("other")],
      ["archive_accounts", 3, "-1"],
      ["archive_accounts", 3, "7"],
      ["archive_accounts", 4, new Uint8Array(31)],
      ["archive_snapshots", 1, "unsealed"],
    ];
    for (const [edited, column, value] of edits) {
      const edit = (table: ArchiveTableName, row: readonly unknown[]) => (table === edited ? row.with(column, value) : row);
      expect(() => importFrom(empty.store, door, edit), `${edited} ${column}`).toThrow(
        expect.objectContaining({ code: "MOVEDEX_STORE_ARCHIVE", exit: "corrupt" }),
      );
      expect(content(empty.path)).toEqual(before);
    }
    door.close();
  });
});
