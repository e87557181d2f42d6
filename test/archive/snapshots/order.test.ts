import fc from "fast-check";
import { expect, test } from "vitest";
import { sealCheck, spanCheck } from "../../../src/capabilities/verify/observations.ts";
import { sha256Hex } from "../../../src/core/base/sha256.ts";
import type { ObservedModule } from "../../../src/core/db/archive/content/observed-module.ts";
import { gapQueries } from "../../../src/core/db/archive/snapshots/gaps.ts";
import { planQueries } from "../../../src/core/db/archive/snapshots/plan-queries.ts";
import { sealQueries } from "../../../src/core/db/archive/snapshots/seal.ts";
import { snapshotQueries } from "../../../src/core/db/archive/snapshots/snapshot-queries.ts";
import { visitQueries } from "../../../src/core/db/archive/snapshots/visits.ts";
import type { Engine, Row, Transaction } from "../../../src/core/db/engine/engine.ts";
import { inDialect, named, sql, verbatim } from "../../../src/core/db/schema/sql/sql.ts";
import type { Address } from "../../../src/core/move/address.ts";
import { eachArchive } from "../../engine/support/each-engine.ts";
import { sized } from "../../run-size.ts";
import { holdsFor } from "../../support/property/law.ts";
import { addressOf, NOON, noAnswer, opaqueModule, pinAt, recordOf } from "../../support/store/temporary-store.ts";

const accounts = [0x1, 0x10, 0xabcd].map(addressOf);
const versions = [10, 20, 30, 40, 50];
const whole = { part: 0, of: 1 };
const RUNS = sized({ sqlite: 15, postgresql: 4 }, { sqlite: 40, postgresql: 12 });

/**
 * An account's state: its modules as texts by name, and its record's number. `part`: read with the snapshot or when it is extended.
 * `isCode`: only its modules are read. `isMissed`: the snapshot also asked for it and got no answer.
 */
type Shown = {
  readonly modules: Readonly<Record<string, string>>;
  readonly sequence: bigint | null;
  readonly part: 0 | 1;
  readonly isCode: boolean;
  readonly isMissed: boolean;
};
type Snapshot = { readonly version: number; readonly seen: ReadonlyMap<Address, Shown> };

const shown: fc.Arbitrary<Shown> = fc.record({
  modules: fc.dictionary(fc.constantFrom("a", "b"), fc.constantFrom("x", "y"), { maxKeys: 2, noNullPrototype: true }),
  sequence: fc.constantFrom(null, 1n, 2n),
  part: fc.constantFrom(0 as const, 0 as const, 1 as const),
  isCode: fc.boolean(),
  isMissed: fc.boolean(),
});
const history: fc.Arbitrary<Snapshot[]> = fc
  .array(fc.array(fc.option(shown, { freq: 4 }), { minLength: accounts.length, maxLength: accounts.length }), {
    minLength: 1,
    maxLength: versions.length,
  })
  .map((rows) =>
    rows.map((row, i) => ({
      version: versions[i] as number,
      seen: new Map(row.flatMap((one, k) => (one === null ? [] : [[accounts[k] as Address, one] as const]))),
    })),
  );

/** The key of an account rotates with its number. */
const keyOf = (sequence: bigint): Uint8Array => new Uint8Array(32).fill(Number(sequence));

/** The storing of bytecode, as far as spans are concerned. */
const content = {
  prepare: async () => undefined,
  internAll: async (tx: Transaction, modules: readonly { readonly module: ObservedModule }[]) => {
    const ids: { id: number; isNew: boolean }[] = [];
    for (const { module } of modules) {
      await tx.run(sql`INSERT INTO _bytecodes (sha256, size) VALUES (:sha256, 1) ON CONFLICT DO NOTHING`, { sha256: module.sha256 });
      const row = await tx.first(sql<[number]>`SELECT id FROM _bytecodes WHERE sha256 = :sha256`, { sha256: module.sha256 });
      ids.push({ id: row?.[0] as number, isNew: false });
    }
    return ids;
  },
};

const storeOn = (engine: Engine) => ({
  ...snapshotQueries(engine),
  ...planQueries(engine),
  ...visitQueries(engine, content),
  ...gapQueries(engine),
  ...sealQueries(engine),
});

const spanTables = ["_visits", "_all_gaps", "_coverage", "_account_spans", "_listing_spans", "_all_snapshots"].map(
  (name) => sql`DELETE FROM ${named(name)}`,
);

/** Writes a history in pieces, each snapshot in up to two, in the order that `picks` gives. */
async function write(engine: Engine, snapshots: readonly Snapshot[], picks: Iterator<number>): Promise<void> {
  for (const statement of spanTables) await engine.run(statement);
  const store = storeOn(engine);
  const piece = async ({ version: number, seen }: Snapshot, part: 0 | 1): Promise<void> => {
    const version = BigInt(number);
    const of = [...seen].filter(([, one]) => one.part === part);
    // Where nobody answers the snapshot is given up, and cannot be extended.
    const missed = part === 0 && of.length > 0 ? [...seen].filter(([, one]) => one.part === 1 && one.isMissed) : [];
    const addresses = [...of, ...missed].map(([address]) => address);
    if (part === 0) await store.createSnapshot(pinAt(version), addresses);
    else if ((await store.extendSnapshot(version, addresses)) === 0) return;
    const visits = of.map(([address, { modules, sequence, isCode }]) => ({
      address,
      account: isCode ? undefined : sequence === null ? null : { ...recordOf(sequence), authenticationKey: keyOf(sequence) },
      modules: Object.entries(modules).map(([name, text]) => opaqueModule(name, text)),
    }));
    if (visits.length > 0) await store.commitVisits(version, visits);
    const [first, ...others] = missed;
    if (first !== undefined) await store.commitGap(version, { address: first[0], ...noAnswer }, NOON);
    expect(await store.commitRest(version, noAnswer, NOON)).toBe(others.length);
    const { status } = await store.seal(version, { now: NOON });
    expect(status).toBe(missed.length > 0 ? "sealed_with_gaps" : "sealed");
  };
  const rest = snapshots.flatMap((snapshot) => [{ snapshot, part: 0 as 0 | 1 }]);
  while (rest.length > 0) {
    const [{ snapshot, part }] = rest.splice((picks.next().value as number) % rest.length, 1) as [(typeof rest)[number]];
    await piece(snapshot, part);
    if (part === 0) rest.push({ snapshot, part: 1 });
  }
}

const spansIn = (table: string, more = "", join = "") =>
  inDialect(
    () =>
      `SELECT a.address, s.from_version, s.to_version${more} FROM ${table} s JOIN _addresses a ON a.id = s.address_id ${join} ORDER BY a.id, s.from_version`,
  );
const questions = {
  coverage: spansIn("_coverage", ", CASE WHEN s.reads_record THEN 'record' ELSE 'code' END"),
  records: spansIn("_account_spans", ", s.sequence_number"),
  listings: spansIn("_listing_spans", ", l.digest", "LEFT JOIN _listings l ON l.id = s.listing_id"),
  pins: sql`SELECT ledger_version, status, accounts, records, modules, gaps, digest, records_digest FROM _all_snapshots ORDER BY ledger_version`,
};

async function standing(engine: Engine): Promise<unknown> {
  return await Promise.all(Object.values(questions).map((question) => engine.all(question)));
}

/** Maximal stretches of equal values over an ascending sequence; undefined stands for nothing. */
function stretches(sequence: readonly number[], valueAt: (version: number) => string | undefined): [number, number | null, string][] {
  const found: { from: number; to: number; value: string; last: number }[] = [];
  for (const [i, version] of sequence.entries()) {
    const value = valueAt(version);
    const open = found.at(-1);
    if (value === undefined) continue;
    if (open !== undefined && open.last === i - 1 && open.value === value) {
      open.to = version;
      open.last = i;
    } else found.push({ from: version, to: version, value, last: i });
  }
  return found.map(({ from, to, value, last }) => [from, last === sequence.length - 1 ? null : to, value]);
}

/** The spans that a history has to come to, from all that was seen, whatever the order. */
function expected(snapshots: readonly Snapshot[]) {
  const all = snapshots.map(({ version }) => version);
  const at = (version: number, address: Address) => snapshots.find((one) => one.version === version)?.seen.get(address);
  return accounts.map((address) => {
    const own = all.filter((version) => at(version, address) !== undefined);
    const isWhole = (version: number): boolean => at(version, address)?.isCode === false;
    return {
      address,
      coverage: stretches(all, (version) => (at(version, address) === undefined ? undefined : isWhole(version) ? "record" : "code")),
      records: stretches(own.filter(isWhole), (version) => at(version, address)?.sequence?.toString()),
      listings: stretches(own, (version) => JSON.stringify(Object.entries(at(version, address)?.modules ?? {}).sort())).map(
        ([from, to]) => [from, to],
      ),
    };
  });
}

/** The spans that are stored, in the same form. */
async function found(engine: Engine) {
  const rows = {
    coverage: await engine.all(questions.coverage),
    records: await engine.all(questions.records),
    listings: await engine.all(questions.listings),
  };
  const of = (list: readonly Row[], address: Address) => list.filter((row) => row[0] === address).map((row) => row.slice(1));
  return accounts.map((address) => ({
    address,
    coverage: of(rows.coverage, address),
    records: of(rows.records, address),
    listings: of(rows.listings, address).map((row) => row.slice(0, 2)),
  }));
}

/** The rows of a view of all versions, by what it shows of an account, in the order of versions, addresses and names. */
function shownBy(snapshots: readonly Snapshot[], rowsOf: (one: Shown) => readonly Row[]): Row[] {
  return snapshots.flatMap(({ version, seen }) =>
    [...seen]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .flatMap(([address, one]) => [...rowsOf(one)].sort().map((row) => [version, address, ...row])),
  );
}

/** The readings of accounts' records one after another: of each the version, the number, and the reading before. */
function readings(snapshots: readonly Snapshot[]) {
  return accounts.map((address) => {
    const whole = snapshots.flatMap(({ version, seen }) => {
      const one = seen.get(address);
      return one === undefined || one.isCode ? [] : [{ version, sequence: one.sequence }];
    });
    return { address, newest: whole.at(-1), pairs: whole.slice(1).map((is, i) => [whole[i] as typeof is, is] as const) };
  });
}

/** Each view that tells of accounts, and the rows that it has to show: present, absent, or nothing of what was not read. */
const views: readonly (readonly [sql: string, expected: (snapshots: readonly Snapshot[]) => readonly Row[]])[] = [
  [
    "SELECT ledger_version, address, module, bytecode_sha256 FROM modules_at ORDER BY 1, 2, 3",
    (snapshots) => shownBy(snapshots, ({ modules }) => Object.entries(modules).map(([module, text]) => [module, sha256Hex(text)])),
  ],
  [
    "SELECT ledger_version, address, CAST(sequence_number AS text) FROM accounts_at ORDER BY 1, 2",
    (snapshots) => shownBy(snapshots, ({ sequence, isCode }) => (sequence === null || isCode ? [] : [[`${sequence}`]])),
  ],
  [
    "SELECT ledger_version, address, has_record FROM covered_at ORDER BY 1, 2",
    (snapshots) => shownBy(snapshots, ({ sequence, isCode }) => [[isCode ? null : Number(sequence !== null)]]),
  ],
  [
    "SELECT address, ledger_version, CAST(sequence_number AS text) FROM accounts_latest ORDER BY 1",
    (snapshots) =>
      readings(snapshots).flatMap(({ address, newest }) =>
        newest === undefined || newest.sequence === null ? [] : [[address, newest.version, `${newest.sequence}`]],
      ),
  ],
  [
    "SELECT address, after_version, at_or_before_version FROM key_rotations ORDER BY 1, 2",
    (snapshots) =>
      readings(snapshots).flatMap(({ address, pairs }) =>
        pairs.flatMap(([was, is]) =>
          was.sequence === null || is.sequence === null || was.sequence === is.sequence ? [] : [[address, was.version, is.version]],
        ),
      ),
  ],
];

eachArchive("sealing and extending", (open, name) => {
  test("in any order leave the spans that all observations together give, and the views show what was seen", async () => {
    await using at = await open();
    const { engine } = at;
    const withLease = (function* () {
      for (;;) yield 0;
    })();
    await holdsFor(RUNS[name], [history, fc.infiniteStream(fc.nat())], async (snapshots, picks) => {
      await write(engine, snapshots, withLease);
      const straight = await standing(engine);
      expect(await found(engine)).toEqual(expected(snapshots));
      await write(engine, snapshots, picks);
      expect(await standing(engine)).toEqual(straight);
      for (const [text, rows] of views) expect(await engine.all(verbatim(text)), text).toEqual(rows(snapshots));
      for (const check of [spanCheck(engine, whole), sealCheck(engine, whole)])
        for await (const damage of check.steps()) expect(damage).toEqual([]);
    });
  });
});
