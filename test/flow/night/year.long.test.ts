import { readdirSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect } from "vitest";
import { databaseContent, ended, rowsOf, runCli, test } from "../../support/index.ts";
import type { BusyLedger } from "../../support/year/busy-ledger.ts";
import { DAY_MS, liveYear, type NightRecord, nightOf, WINDOW_DAYS, type Year } from "../../support/year/live-year.ts";

/** One of the year's two chains: its ledger, its database, and the nights that read it to their end. */
type Chain = { readonly name: string; readonly ledger: BusyLedger; readonly database: string; readonly nights: readonly NightRecord[] };

type Snapshot = { readonly ledger_version: number; readonly digest: string; readonly accounts: number; readonly gaps: number };
type Point = { readonly ledger_version: number; readonly wanted_time: string; readonly time_error_ms: number; readonly state: string };
type Change = {
  readonly subject: string;
  readonly after_version: number;
  readonly at_or_before_version: number;
  readonly is_exact: number;
};

const ALL_STEPS = ["sync", "backfill", "trace", "gaps", "verify", "backup", "report"];
const WINDOW_MS = WINDOW_DAYS * DAY_MS;

describe("a year of nights", () => {
  let year: Year;
  let chains: readonly Chain[];

  beforeAll(async () => {
    year = await liveYear({ weeks: 52, accounts: 6, seed: 5 });
    chains = [0, 1].map((n) => {
      const database = year.databases[n] as string;
      const isGood = ({ kind }: NightRecord): boolean => kind === "night" || kind === "swapped" || (kind === "full" && !year.couldFill);
      const nights = year.records.filter((record) => record.database === database && isGood(record));
      return { name: n === 0 ? "before the reset" : "after it", ledger: year.ledgers[n] as BusyLedger, database, nights };
    });
  });
  afterAll(() => year?.[Symbol.dispose]());

  test("a hundred nights run, and each ends as its trouble demands", () => {
    expect(year.records).toHaveLength(100);
    for (const { day, kind, result, digests } of year.records) {
      const { steps } = result.json() as { steps: { name: string; exit: string; error?: { code: string } }[] };
      expect(steps.map(({ name }) => name)).toEqual(ALL_STEPS);
      const exits = steps.map(({ exit }) => exit).join(" ");
      const [sync] = steps;
      const what = `day ${day} (${kind}): ${result.stderr}`;
      switch (kind === "full" && !year.couldFill ? "night" : kind) {
        case "outage":
          expect([result.code, exits], what).toEqual([1, "failed left out left out done done done done"]);
          expect(digests[0], what).toBe(digests[1]);
          break;
        case "full":
          expect([result.code, sync?.error?.code], what).toEqual([1, "MOVEDEX_STORE_FULL"]);
          break;
        case "faulty":
          expect([result.code, sync?.exit], what).toEqual([expect.any(Number), "gaps"]);
          break;
        case "reset":
          expect([result.code, sync?.error?.code, exits], what).toEqual([
            4,
            "MOVEDEX_WRONG_CHAIN",
            "wrongChain left out left out done done done done",
          ]);
          expect(digests[0], what).toBe(digests[1]);
          break;
        default:
          expect([result.code, exits], what).toEqual([0, "done done done done done done done"]);
      }
    }
  });

  test("the summary file has a line for each night, the metrics are the last night's", () => {
    const lines = readFileSync(year.file("nights.jsonl"), "utf8").trimEnd().split("\n");
    const told = lines.map((line) => JSON.parse(line) as { started_at: string; exit_code: number });
    // A full disk leaves no room for its own line either.
    const expected = year.records.filter(({ kind }) => kind !== "full" || told.length === year.records.length);
    expect(told.map(({ started_at, exit_code }) => [Date.parse(started_at), exit_code])).toEqual(
      expected.map(({ day, result }) => [nightOf(day), result.code]),
    );
    expect(readFileSync(year.file("movedex.prom"), "utf8")).toMatch(/^movedex_run_success\{.*command="night"\} 1$/m);
    expect(readdirSync(year.file("backups")).length).toBe(6);
  });

  test("what is held at each version is what stood there, account by account", () => {
    for (const { ledger, database } of chains) {
      const snapshots = rowsOf<Snapshot>(database, "SELECT ledger_version, digest, accounts, gaps FROM snapshots ORDER BY ledger_version");
      expect(snapshots.length).toBeGreaterThan(20);
      const held = byVersion(database, HELD);
      const read = byVersion(database, "SELECT ledger_version, address AS id, '' AS sha256 FROM accounts_at");
      for (const { ledger_version, digest, accounts, gaps } of snapshots) {
        const version = BigInt(ledger_version);
        const unread = ledger.addresses.filter((address) => !read.get(ledger_version)?.has(address));
        expect(accounts + unread.length, `${version}`).toBe(ledger.addresses.length);
        expect(gaps).toBeLessThanOrEqual(unread.length);
        expect(digest, `${version}`).toBe(ledger.digestAt(version, new Set(unread)));
        const stood = [...ledger.modulesAt(version)].filter(([id]) => !unread.includes(id.split("::")[0] as string));
        expect(held.get(ledger_version) ?? new Map(), `${version}`).toEqual(new Map(stood));
      }
    }
  });

  test("every day is observed, inferred from equal neighbours, or missing because no night came while it could be read", () => {
    const counts: Record<string, number> = {};
    const faultyNight = nightOf(year.records.find(({ kind }) => kind === "faulty")?.day ?? 0);
    for (const { ledger, database, nights } of chains) {
      const points = rowsOf<Point>(database, "SELECT ledger_version, wanted_time, time_error_ms, state FROM backfill");
      const known = byVersion(database, `${HELD} UNION ${INFERRED}`);
      const silent = byVersion(database, "SELECT ledger_version, address AS id, '' AS sha256 FROM gaps");
      const byTime = new Map(points.map((point) => [Date.parse(point.wanted_time), point]));
      const firstMs = ledger.timeOf(0n);
      const lastMs = Math.max(...nights.map(({ day }) => nightOf(day)));
      for (let midnight = Math.ceil(firstMs / DAY_MS) * DAY_MS + DAY_MS; midnight <= lastMs; midnight += DAY_MS) {
        const point = byTime.get(midnight);
        const reach = nights.filter(({ day }) => nightOf(day) >= midnight && midnight >= nightOf(day) - WINDOW_MS);
        // On the window's last day the horizon may already be too near for a margin of safety.
        const surely = reach.some(({ day }) => midnight >= nightOf(day) - WINDOW_MS + DAY_MS);
        const what = new Date(midnight).toISOString();
        const state = point?.state ?? "missing";
        counts[state] = (counts[state] ?? 0) + 1;
        const isFaulty = Math.abs(faultyNight - midnight) < WINDOW_MS;
        if (surely) expect(["observed", "inferred", ...(isFaulty ? ["gaps"] : [])], what).toContain(state);
        if (reach.length === 0) expect(["missing", "lost"], what).toContain(state);
        if (point === undefined || state === "lost") continue;
        expect(Math.abs(ledger.timeOf(BigInt(point.ledger_version)) - midnight), what).toBeLessThanOrEqual(
          point.time_error_ms + ledger.msPerVersion,
        );
        const version = point.ledger_version;
        const isSilent = (id: string): boolean => silent.get(version)?.has(id.split("::")[0] as string) === true;
        const stood = [...ledger.modulesAt(BigInt(version))].filter(([id]) => !isSilent(id));
        const told = [...(known.get(version) ?? [])].filter(([id]) => !isSilent(id));
        expect(new Map(told), what).toEqual(new Map(stood));
      }
    }
    expect(counts["observed"]).toBeGreaterThan(50);
    expect(counts["inferred"]).toBeGreaterThan(100);
    expect(counts["missing"]).toBeGreaterThan(4);
  });

  test("every change is found, exactly where the node could still be asked, and nothing else is told", () => {
    for (const { name, ledger, database, nights } of chains) {
      const found = rowsOf<Change>(
        database,
        "SELECT address || '::' || module AS subject, after_version, at_or_before_version, is_exact FROM module_changes " +
          "UNION ALL SELECT address, after_version, at_or_before_version, is_exact FROM key_rotations",
      );
      const [oldest, newest] = rowsOf<{ a: number; b: number }>(
        database,
        "SELECT min(ledger_version) AS a, max(ledger_version) AS b FROM snapshots",
      ).map(({ a, b }) => [a, b] as const)[0] as readonly [number, number];
      const real = ledger.changes.filter(({ version }) => version > BigInt(oldest) && version <= BigInt(newest));
      const isOf = (change: Change, { subject, version }: (typeof real)[number]): boolean =>
        change.subject === subject && version > BigInt(change.after_version) && version <= BigInt(change.at_or_before_version);
      expect(
        real.filter((change) => !found.some((row) => isOf(row, change))),
        name,
      ).toEqual([]);
      expect(
        found.filter((row) => !real.some((change) => isOf(row, change))),
        name,
      ).toEqual([]);
      for (const row of found.filter(({ is_exact }) => is_exact === 0)) {
        const next = nights.find(({ head }) => head >= BigInt(row.at_or_before_version)) as NightRecord;
        expect(ledger.timeOf(BigInt(row.after_version)), `${row.subject} after ${row.after_version}`).toBeLessThan(
          nightOf(next.day) - WINDOW_MS,
        );
      }
      expect(found.filter(({ is_exact }) => is_exact === 1).length, name).toBeGreaterThan(found.length * 0.9);
    }
  });

  test("the account that was silent one night was asked again by the next, so no gap is left", () => {
    const faulty = year.records.findIndex(({ kind }) => kind === "faulty");
    const gapsAfter = (index: number): unknown => {
      const { result } = year.records[index] as NightRecord;
      const { steps } = result.json() as { steps: { name: string; open?: number; parked?: number; final?: number }[] };
      const { open, parked, final } = steps.find(({ name }) => name === "gaps") ?? {};
      return { open, parked, final };
    };
    expect(gapsAfter(faulty)).toEqual({ open: expect.any(Number), parked: 0, final: 0 });
    expect(gapsAfter(faulty)).not.toMatchObject({ open: 0 });
    expect(gapsAfter(faulty + 1)).toEqual({ open: 0, parked: 0, final: 0 });
    for (const database of year.databases) expect(rowsOf(database, "SELECT * FROM gaps")).toEqual([]);
  });

  test("at the year's end both databases verify, and the last backup is the database", async ({ place }) => {
    for (const database of year.databases) {
      await ended(runCli(["verify", "--db", database, "--json"]));
    }
    const last = readdirSync(year.file("backups"))
      .filter((name) => name.startsWith("second-"))
      .sort()
      .at(-1) as string;
    await ended(runCli(["restore", year.file(`backups/${last}`), "--db", place.file("back.db")]));
    expect(databaseContent(place.file("back.db"))).toEqual(databaseContent(year.databases[1]));
  });
});

const HELD = "SELECT ledger_version, address || '::' || module AS id, bytecode_sha256 AS sha256 FROM modules_at";
const INFERRED = "SELECT ledger_version, address || '::' || module, bytecode_sha256 FROM modules_inferred";

/** Rows of `ledger_version`, `id` and `sha256`, by version. */
function byVersion(path: string, sql: string): ReadonlyMap<number, ReadonlyMap<string, string>> {
  const versions = new Map<number, Map<string, string>>();
  for (const { ledger_version, id, sha256 } of rowsOf<{ ledger_version: number; id: string; sha256: string }>(path, sql)) {
    const rows = versions.get(ledger_version) ?? new Map<string, string>();
    versions.set(ledger_version, rows.set(id, sha256));
  }
  return versions;
}
