import { existsSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type FaultPlan, startSimNode } from "../../../sim/index.ts";
import { sha256Hex } from "../../../src/core/base/sha256.ts";
import { type Address, formatLongAddress, parseAddress } from "../../../src/core/move/address.ts";
import { type BusyLedger, busyLedger, MS_PER_VERSION } from "../../support/busy-ledger.ts";
import { type CliResult, ended, ManualClock, rowsOf, runCli, temporaryDirectory } from "../../support/index.ts";

const DAY_MS = 86_400_000;
const GENESIS_MS = Date.UTC(2026, 0, 1);
const WINDOW_DAYS = 8;
const WINDOW_MS = WINDOW_DAYS * DAY_MS;
/** The first night at which another ledger is behind the node's address; two nights later they have another database. */
const RESET = 88;

type Kind = "night" | "missed" | "outage" | "swapped" | "reset";
/** One night that was run: when it began, the ledger's head then, and whether it left its database as it was. */
type Night = {
  readonly kind: Kind;
  readonly startMs: number;
  readonly head: bigint;
  readonly result: CliResult;
  readonly isUntouched: boolean;
};
/** One of the year's two ledgers, the database that keeps it, and the nights that were run on that. */
type Chain = { readonly ledger: BusyLedger; readonly database: string; readonly nights: Night[] };

/** What becomes of a night, two of which are due in a week. */
function kindOf(night: number): Kind {
  // Three times in a row: by the next night, some of the days between have left the node's window.
  if (night === 12 || (night >= 31 && night <= 33)) return "missed";
  if (night === 20) return "outage";
  if (night >= 52 && night < 62) return "swapped";
  return night === RESET || night === RESET + 1 ? "reset" : "night";
}
const beginOf = (night: number): number => GENESIS_MS + (7 * (night >> 1) + (night % 2 === 0 ? 2 : 5)) * DAY_MS + 3 * 3_600_000;

/** Time goes on while a night runs: a version for every few requests. */
const ticking = (ledger: () => BusyLedger): FaultPlan => ({
  pick: (_, ordinal) => {
    if (ordinal % 5 === 0) ledger().ledger.advance(1n);
    return [];
  },
  unmet: () => [],
});

const exitCodes: Readonly<Record<Exclude<Kind, "missed">, readonly [code: number, steps: string]>> = {
  night: [0, "done done done done done done done"],
  swapped: [0, "done done done done done done done"],
  outage: [1, "failed left out left out done done done done"],
  reset: [4, "wrongChain left out left out done done done done"],
};

const HELD = "SELECT ledger_version, address || '::' || module AS id, bytecode_sha256 AS sha256 FROM modules_at";
const INFERRED = "SELECT ledger_version, address || '::' || module, bytecode_sha256 FROM modules_inferred";

/** Modules by version: `address::module` to SHA-256. */
function byVersion(path: string, sql: string): (version: number) => ReadonlyMap<string, string> {
  const rows = rowsOf<{ ledger_version: number; id: string; sha256: string }>(path, sql);
  const versions = Map.groupBy(rows, ({ ledger_version }) => ledger_version);
  return (version) => new Map(versions.get(version)?.map(({ id, sha256 }) => [id, sha256]));
}

/** The digest that a seal of modules must have. */
function digestOf(modules: ReadonlyMap<string, string>): string {
  const lines = [...modules].map(([id, sha256]) => {
    const [address = "", name = ""] = id.split("::");
    return `${formatLongAddress(parseAddress(address) as Address)}::${name} ${sha256}\n`;
  });
  return sha256Hex(lines.sort().join(""));
}

// A full disk for a night is in test/flow/errors/silent-nights.test.ts, accounts that give no answer are in gaps.test.ts.
describe("a year of nights", () => {
  const place = temporaryDirectory();
  const chainFrom = (seed: number, genesisMs: number): Chain => ({
    ledger: busyLedger(genesisMs, { seed, accounts: 6, windowDays: WINDOW_DAYS }),
    database: place.file(`${seed}.db`),
    nights: [],
  });
  const chains = [chainFrom(5, GENESIS_MS), chainFrom(6, beginOf(RESET) - DAY_MS)] as const;
  const [first, second] = chains;
  const kept = new AsyncDisposableStack();
  afterAll(() => kept.disposeAsync());

  beforeAll(async () => {
    let today = first.ledger;
    const node = kept.use(await startSimNode({ ledger: today.ledger, faults: ticking(() => today), log: false }));
    const other = { generation: "A", headerSpelling: "node", maxPageSize: 2 } as const;
    const older = kept.use(await startSimNode({ ledger: today.ledger, faults: ticking(() => today), log: false, ...other }));
    const urls = { night: node.url, reset: node.url, swapped: older.url, outage: "http://127.0.0.1:9/v1" };
    for (let night = 0; night < 104; night++) {
      if (night === RESET) {
        today = second.ledger;
        node.replaceLedger(today.ledger);
      }
      const [kind, startMs] = [kindOf(night), beginOf(night)];
      today.passTo(startMs);
      if (kind === "missed") continue;
      const { database, nights } = night < RESET + 2 ? first : second;
      const run = (...words: string[]) => runCli([...words, "--db", database], { clock: new ManualClock({ startMs, skipSleeps: true }) });
      if (!existsSync(database)) await run("targets", "add", ...today.addresses);
      const [before, { head }] = [sha256Hex(readFileSync(database)), today.ledger];
      const keeping = ["--backup", `${place.file("backups")}/`, "--keep", "3", "--report", place.file("changes.md")];
      const result = await run("night", "--rpc", urls[kind], "--rate", "0", "--backfill", "1d", "--json", ...keeping);
      nights.push({ kind, startMs, head, result, isUntouched: sha256Hex(readFileSync(database)) === before });
    }
  });

  test("a hundred nights run, and each ends as its trouble demands", () => {
    const nights = [...first.nights, ...second.nights];
    expect(nights).toHaveLength(100);
    for (const { kind, startMs, result, isUntouched } of nights) {
      const { steps } = result.json() as { steps: { name: string; exit: string }[] };
      const what = `${kind} of ${new Date(startMs).toISOString()}: ${result.stderr}`;
      expect(steps.map(({ name }) => name)).toEqual(["sync", "backfill", "trace", "gaps", "verify", "backup", "report"]);
      expect([result.code, steps.map(({ exit }) => exit).join(" ")], what).toEqual(exitCodes[kind as keyof typeof exitCodes]);
      // A night that the node did not answer leaves a row of the run.
      if (kind === "reset") expect(isUntouched, what).toBe(true);
    }
  });

  test.each([0, 1])("what is held at each version of ledger %i is what stood there", async (chain) => {
    const { ledger, database } = chains[chain] as Chain;
    const snapshots = rowsOf<{ version: number; digest: string }>(database, "SELECT ledger_version AS version, digest FROM snapshots");
    expect(snapshots.length).toBeGreaterThan(20);
    const held = byVersion(database, HELD);
    const read = Map.groupBy(
      rowsOf<{ version: number; address: string }>(database, "SELECT ledger_version AS version, address FROM covered_at"),
      ({ version }) => version,
    );
    for (const { version, digest } of snapshots) {
      // A version of a backfill is read where it differs from its neighbours.
      const stood = ledger.modulesAt(
        BigInt(version),
        read.get(version)?.map(({ address }) => address),
      );
      expect([version, digest]).toEqual([version, digestOf(stood)]);
      expect(held(version), `${version}`).toEqual(stood);
    }
    expect(rowsOf(database, "SELECT * FROM gaps")).toEqual([]);
    await ended(runCli(["verify", "--db", database]));
  });

  test("every day is observed, inferred from equal neighbours, or missing because no night came while it could be read", () => {
    type Point = { readonly version: number; readonly wanted: string; readonly error: number; readonly state: string };
    const asked = "SELECT ledger_version AS version, wanted_time AS wanted, time_error_ms AS error, state FROM backfill";
    const counts = { observed: 0, inferred: 0, missing: 0, lost: 0 };
    for (const { ledger, database, nights } of chains) {
      const good = nights.filter(({ result }) => result.code === 0);
      const points = new Map(rowsOf<Point>(database, asked).map((point) => [Date.parse(point.wanted), point]));
      const known = byVersion(database, `${HELD} UNION ${INFERRED}`);
      const begin = Math.ceil(ledger.timeOf(0n) / DAY_MS) * DAY_MS + DAY_MS;
      for (let midnight = begin; midnight <= (good.at(-1) as Night).startMs; midnight += DAY_MS) {
        const point = points.get(midnight);
        const what = new Date(midnight).toISOString();
        const state = (point?.state ?? "missing") as keyof typeof counts;
        counts[state] += 1;
        /** Whether a night could read that day, of whose window so many days are left out. */
        const isInReach = (days: number): boolean =>
          good.some(({ startMs }) => midnight <= startMs && midnight >= startMs - WINDOW_MS + days * DAY_MS);
        // On the window's last day the horizon may already be too near for a margin of safety.
        if (isInReach(1)) expect(["observed", "inferred"], what).toContain(state);
        if (!isInReach(0)) expect(["missing", "lost"], what).toContain(state);
        if (point === undefined || state === "lost") continue;
        const version = BigInt(point.version);
        expect(Math.abs(ledger.timeOf(version) - midnight), what).toBeLessThanOrEqual(point.error + MS_PER_VERSION);
        expect(known(point.version), what).toEqual(ledger.modulesAt(version));
      }
    }
    expect([counts.observed > 50, counts.inferred > 100, counts.missing > 4]).toEqual([true, true, true]);
  });

  test.each([0, 1])("every change of ledger %i is found, exactly where the node could be asked, and no other", (chain) => {
    type Change = { readonly subject: string; readonly after: number; readonly by: number; readonly exact: number };
    const { ledger, database, nights } = chains[chain] as Chain;
    const bounds = "after_version AS after, at_or_before_version AS 'by', is_exact AS exact FROM";
    const found = rowsOf<Change>(
      database,
      `SELECT address || '::' || module AS subject, ${bounds} module_changes UNION ALL SELECT address, ${bounds} key_rotations`,
    );
    const [ends] = rowsOf<{ oldest: number; newest: number }>(
      database,
      "SELECT min(ledger_version) AS oldest, max(ledger_version) AS newest FROM snapshots",
    ) as [{ oldest: number; newest: number }];
    const real = ledger.changes.filter(({ version }) => version > ends.oldest && version <= ends.newest);
    const isOf = ({ subject, after, by }: Change, change: (typeof real)[number]): boolean =>
      change.subject === subject && change.version > after && change.version <= by;
    expect(real.filter((change) => !found.some((row) => isOf(row, change)))).toEqual([]);
    expect(found.filter((row) => !real.some((change) => isOf(row, change)))).toEqual([]);
    for (const { subject, after, by } of found.filter(({ exact }) => exact === 0)) {
      const next = nights.find(({ head, result }) => result.code === 0 && head >= BigInt(by)) as Night;
      expect(ledger.timeOf(BigInt(after)), `${subject} after ${after}`).toBeLessThan(next.startMs - WINDOW_MS);
    }
    expect(found.filter(({ exact }) => exact === 1).length).toBeGreaterThan(found.length * 0.9);
  });
});
