import fc from "fast-check";
import { expect } from "vitest";
import { watchQueries } from "../../../src/capabilities/watch/alerts/watches.ts";
import { watchTables } from "../../../src/capabilities/watch/tables.ts";
import { sha256Hex } from "../../../src/core/base/sha256.ts";
import type { Engine } from "../../../src/core/db/engine/engine.ts";
import { isAsWritten } from "../../../src/core/db/schema/sql/checksum.ts";
import { sql, verbatim } from "../../../src/core/db/schema/sql/sql.ts";

/** How an engine writes a time, by milliseconds and as any, and no bytes. */
export type Words = { readonly time: (ms: number) => string; readonly now: string; readonly noBytes: string };

/** What the first migrations kept, as SQL, and what has to be there after the others. */
export type Older = {
  readonly migrations: number;
  readonly rows: (words: Words) => string;
  readonly check: (engine: Engine) => Promise<void>;
};

/** What a sealed snapshot read of an account: nothing, its modules alone, or its record as well. */
type Way = "none" | "code" | "record";
/** Snapshots in the order of versions: whether each was sealed, and what it read of every account. */
type Nights = readonly { readonly isSealed: boolean; readonly ways: readonly Way[] }[];
type Stretch = readonly [account: number, from: number, to: number | null, way: Way];

const ACCOUNTS = 30;

export const olderNights: fc.Arbitrary<Nights> = fc.array(
  fc.record({
    isSealed: fc.constantFrom(true, true, true, false),
    ways: fc.array(fc.constantFrom<Way>("none", "code", "record", "record"), { minLength: ACCOUNTS, maxLength: ACCOUNTS }),
  }),
  { maxLength: 9 },
);

/** The longest stretches of sealed snapshots that read an account in one way, as `wayOf` sees it. */
function stretches(nights: Nights, wayOf: (way: Way) => Way): Stretch[] {
  const sealed = nights.flatMap(({ isSealed, ways }, i) => (isSealed ? [{ version: 10 * (i + 1), ways }] : []));
  return Array.from({ length: ACCOUNTS }, (_, account) => {
    const found: { from: number; to: number | null; way: Way }[] = [];
    for (const { version, ways } of sealed) {
      const [open, way] = [found.at(-1), wayOf(ways[account] as Way)];
      if (open?.way === way) open.to = version;
      else found.push({ from: version, to: version, way });
    }
    const last = found.at(-1);
    if (last !== undefined) last.to = null;
    return found.filter(({ way }) => way !== "none").map(({ from, to, way }): Stretch => [account + 1, from, to, way]);
  }).flat();
}

/** What else is asked after them: an empty listing has no row, a declaration lacks its function's name and its module's address. */
const migratedRows: readonly (readonly [select: string, rows: readonly (readonly unknown[])[]])[] = [
  [
    "SELECT address_id, listing_id FROM _listing_spans ORDER BY 1",
    [
      [1, null],
      [2, 2],
    ],
  ],
  ["SELECT id FROM _listings", [[2]]],
  [
    "SELECT f.name, s.declaration FROM _functions f JOIN _signatures s ON s.id = f.signature_id ORDER BY f.id",
    [
      ["fun", "public(friend) entry fun !<T0: key>(&~m::S<T0>, 0x12::fun::S): bool"],
      ["n!", "fun !()"],
    ],
  ],
];

/** Nights with two coverages and two listings. */
export const olderCoverage = (nights: Nights): Older => ({
  migrations: 7,
  rows: ({ now, noBytes }) => coverageRows(nights, now, noBytes),
  check: async (engine) => {
    const covered = sql`SELECT address_id, from_version, to_version, CASE WHEN reads_record THEN 1 ELSE 0 END FROM _coverage ORDER BY 1, 2`;
    const wanted = stretches(nights, (way) => way).map(([account, from, to, way]) => [account, from, to, way === "record" ? 1 : 0]);
    expect(await engine.all(covered)).toEqual(wanted);
    for (const [select, found] of migratedRows) expect(await engine.all(verbatim(select))).toEqual(found);
  },
});

function coverageRows(nights: Nights, now: string, noBytes: string): string {
  const rows = (table: string, all: readonly (readonly unknown[])[]): string =>
    all.length === 0
      ? ""
      : `INSERT INTO ${table} VALUES ${all.map((row) => `(${row.map((cell) => cell ?? "NULL").join(", ")})`).join(", ")};`;
  const covering = (wayOf: (way: Way) => Way) => stretches(nights, wayOf).map((row) => row.slice(0, 3));
  return [
    rows(
      "_addresses",
      Array.from({ length: ACCOUNTS }, (_, i) => [i + 1, `'0x${i + 1}'`]),
    ),
    rows(
      "_pins (ledger_version, status, created_at, head_version, oldest_version, head_timestamp_usec, planned)",
      nights.map(({ isSealed }, i) => [10 * (i + 1), isSealed ? "'sealed'" : "'unsealed'", now, 1, 0, "'0'", 1]),
    ),
    rows(
      "_coverage",
      covering((way) => (way === "none" ? "none" : "code")),
    ),
    rows(
      "_record_coverage",
      covering((way) => (way === "record" ? "record" : "none")),
    ),
    `INSERT INTO _listings (id, address_id, digest, modules) VALUES (1, 1, ${noBytes}, 0), (2, 2, ${noBytes}, 1);`,
    "INSERT INTO _listing_spans (address_id, from_version, listing_id) VALUES (1, 10, 1), (2, 10, 2);",
    "INSERT INTO _modules (id, address_id, name) VALUES (1, 1, 'm');",
    `INSERT INTO _functions VALUES
      (2, 1, ${noBytes}, 'n!', 'private', FALSE, FALSE, FALSE, 'fun n!()'),
      (1, 1, ${noBytes}, 'fun', 'friend', TRUE, FALSE, FALSE, 'public(friend) entry fun fun<T0: key>(&0x1::m::S<T0>, 0x12::fun::S): bool');`,
  ].join("\n");
}

/** What an alert found, with all that it may hold. */
const findings = {
  findings: [
    {
      rule: "function-removed",
      item_kind: "function",
      item: "withdraw",
      worst: "breaking",
      severity: { callers: "breaking", clients: "dangerous" },
      upgrade: "refused",
      before: 'public fun withdraw(a: &"\\\t\u001f\u007f\u2028é😀)',
      after: null,
      use: "through others",
      chain: ["0x1::coin::a", "0x1::coin::b"],
    },
    { rule: "module-bytes", item_kind: "module", item: null, worst: "silent", severity: {}, upgrade: "allowed", before: null, after: "" },
  ],
  total: 70,
  reason: 'after: it\'s "newer"',
  renamed: [{ item_kind: "struct", from_name: "Coin", to_name: "Money" }],
};
const uses = { own: ["0xe::mine"], modules: ["0x1::coin", "0x1::acl"], functions: ["0x1::coin::a"], structs: [] };
const bare = { findings: [], total: 0, reason: null };

/** The checksum of a row as an older movedex wrote it. */
function checksumOf(cells: Readonly<Record<string, string | number>>): number {
  const text = Object.entries(cells).reduce((sum, [name, cell]) => `${sum}${name}=${cell}\u001f`, "");
  return Number.parseInt(sha256Hex(text).slice(0, 12), 16);
}

const texts = [findings, bare].map((found) => JSON.stringify(found));

/** Alerts and their watch, of which a part was JSON. */
function alertRows({ time }: Words): string {
  const rows = texts.map((text, i) => {
    const cells = { id: i + 1, watch_id: 1, address_id: "0x1", name: "coin", to_sha256: "bb", after_version: 5, at_or_before_version: 9 };
    const all = { ...cells, shown_by: 9, severity: "breaking", is_alert: 1, findings: text, judged_at: 1000 };
    return `(${i + 1}, 1, 1, 'coin', NULL, 'bb', 5, 9, 9, 'breaking', 1 = 1, '${text.replaceAll("'", "''")}', ${time(1000)}, ${checksumOf(all)})`;
  });
  const used = JSON.stringify(uses);
  const sum = checksumOf({ id: 1, subject: "mine", level: "any", uses: used, added_at: 1000 });
  return `INSERT INTO _addresses (id, address) VALUES (1, '0x1');
    INSERT INTO _watches (id, subject, level, uses, added_at, checksum) VALUES (1, 'mine', 'any', '${used}', ${time(1000)}, ${sum});
    INSERT INTO _judgements VALUES ${rows.join(", ")};
    INSERT INTO _deliveries VALUES (1, 'file', 'a', 'waiting', 0, ${time(1000)}, NULL, NULL)`;
}

async function checkAlerts(engine: Engine): Promise<void> {
  expect((await engine.all(sql`SELECT findings FROM alerts ORDER BY alert`)).flat()).toEqual(texts);
  expect(await engine.all(sql`SELECT alert, position, item, callers, readers, own_use FROM alert_findings ORDER BY position`)).toEqual([
    [1, 0, "withdraw", "breaking", null, "through others"],
    [1, 1, null, null, null, null],
  ]);
  expect(await engine.first(sql`SELECT count(*) FROM _deliveries`)).toEqual([1]);
  expect(await watchQueries(engine).listWatches()).toMatchObject([{ subject: "mine", uses }]);
  const wrong = sql`SELECT (SELECT count(*) FROM _judgements WHERE NOT ${isAsWritten(watchTables.judgements)}),
    (SELECT count(*) FROM _watches WHERE NOT ${isAsWritten(watchTables.watches)})`;
  expect(await engine.first(wrong)).toEqual([0, 0]);
  await engine.run(sql`DELETE FROM _judgement_finding_calls`);
  await engine.run(sql`DELETE FROM _watch_uses WHERE kind = 'function'`);
  expect(await engine.first(wrong)).toEqual([1, 1]);
}

export const olderArchives: readonly (readonly [what: string, Older])[] = [
  [
    "turns the JSON of watches and alerts into rows, and keeps what it says and their checksums",
    { migrations: 3, rows: alertRows, check: checkAlerts },
  ],
  [
    "drops what coordinated processes that share a trace, and keeps what they read",
    {
      migrations: 5,
      rows: ({ now }) => `INSERT INTO _addresses (id, address) VALUES (1, '0x1');
        INSERT INTO _traces (id, rounds, opened_at) VALUES ('t', 1, ${now});
        INSERT INTO _trace_groups VALUES ('t', 0, 1, '["coin"]', 5, 9, 2, 1 = 0, 1 = 0, 1 = 1, 2, '[["coin","6","7","aa","bb",2,2,"exact",null]]');
        INSERT INTO _module_probes (address_id, name, ledger_version) VALUES (1, 'coin', 7);
        INSERT INTO _leases VALUES ('trace', 'a', 1, ${now}, ${now}), ('trace:t:at:a', 'a', 1, ${now}, ${now}), ('trace:t:group:0', 'a', 1, ${now}, ${now})`,
      check: async (engine) => expect(await engine.all(sql`SELECT name, ledger_version FROM _module_probes`)).toEqual([["coin", 7]]),
    },
  ],
];
