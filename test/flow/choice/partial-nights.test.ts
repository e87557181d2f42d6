import Database from "better-sqlite3";
import { afterAll, beforeAll, expect, test } from "vitest";
import { liveHistory, type SimLedger, type SimNode, startSimNode, writeModule } from "../../../sim/index.ts";
import { seededRandom } from "../../../src/core/base/numbers.ts";
import { sha256Hex } from "../../../src/core/base/sha256.ts";
import { sized } from "../../run-size.ts";
import { describeReleases, ended, frameworkHistory, ManualClock, runCli, temporaryDirectory } from "../../support/index.ts";

const NIGHTS = sized(5, 50);
const REAL = ["0x1", "0x3", "0x4", "0x5", "0x7"];
/** Accounts beside the recorded ones that change now and then, most of them seldom. */
const OTHERS = Array.from({ length: 55 }, (_, n) => `0x${(0xb000 + 7 * n).toString(16)}`);
const ACCOUNTS = [...REAL, ...OTHERS];
const A_DAY = 1000n;
const DAY_MS = 86_400_000;
const WINDOW_DAYS = 12n;
const MAX_AGE_DAYS = 9;
/** A quarter of what reading everybody takes. */
const BUDGET = (2 * ACCOUNTS.length + 4) / 4;

/** What stood: SHA-256 by `0x1::coin`. */
type Standing = ReadonlyMap<string, string>;
type Night = {
  readonly version: bigint;
  readonly read: ReadonlySet<string>;
  readonly exit: number;
  readonly requests: number;
  readonly oldestMs: unknown;
};

describeReleases("nights at a quarter of the budget over the recorded history", () => {
  let place: ReturnType<typeof temporaryDirectory>;
  let node: SimNode;
  let ledger: SimLedger;
  let database: Database.Database;
  const nights: Night[] = [];

  beforeAll(async () => {
    place = temporaryDirectory();
    const db = place.file("a.db");
    const usecPerVersion = (BigInt(DAY_MS) * 1000n) / A_DAY;
    const window = WINDOW_DAYS * A_DAY;
    const history = liveHistory({ directory: frameworkHistory as string, versionsPerRelease: A_DAY, ledger: { usecPerVersion, window } });
    ledger = history.ledger;
    node = await startSimNode({ ledger });
    const random = seededRandom(14);
    for (const address of OTHERS) publish(address, 0, 1);
    await ended(runCli(["targets", "add", ...ACCOUNTS, "--db", db]));
    for (let night = 0; night < NIGHTS; night++) {
      for (const [n, address] of OTHERS.entries()) {
        // The n-th changes 1/(n + 2) times a night.
        if (night > 0 && random() < 1 / (n + 2)) publish(address, night, 1 + Math.floor(random() * 10));
      }
      history.next();
      ledger.advance(5n + BigInt(Math.floor(random() * 300)));
      const clock = new ManualClock({ skipSleeps: true, startMs: Number(ledger.info().timestampUsec / 1000n) });
      const seen = node.requests.length;
      const limit = night === 0 ? [] : ["--max-requests", `${BUDGET}`, "--max-age", `${MAX_AGE_DAYS}d`];
      const common = ["--rpc", node.url, "--rate", "0", "--db", db, "--json"];
      const { code, json } = await ended(runCli(["sync", ...common, ...limit], { clock }));
      const asked = node.requests.slice(seen).filter(({ query }) => query.includes(`ledger_version=${ledger.head}`));
      const read = new Set(asked.flatMap(({ path }) => /\/accounts\/(0x\w+)\/modules$/.exec(path)?.[1] ?? []));
      const requests = node.requests.length - seen;
      nights.push({ version: ledger.head, read, exit: code, requests, oldestMs: (json() as Record<string, unknown>)["oldest_reading_ms"] });
      // One recorded release lacks all of 0x4, which no chain does: what stands before and after it is not believed to be gone.
      expect([0, 2]).toContain((await runCli(["trace", ...common], { clock })).code);
    }
    database = new Database(db, { readonly: true });
  });

  afterAll(async () => {
    database?.close();
    await node?.close();
    place?.[Symbol.dispose]();
  });

  /** Writes a module of an account, a little later than what is there. */
  function publish(address: string, number: number, later: number): void {
    ledger.advance(BigInt(later));
    const functions = [{ name: `f${number}`, visibility: "public" as const }];
    ledger.transact((writer) => {
      if (number === 0) writer.account(address);
      writer.publish(address, "only", writeModule({ address, name: "only", functions }));
    });
  }

  const standingAt = (address: string, version: bigint): Standing =>
    new Map(ledger.modulesAt(address, version).map(({ name, code }) => [`${address}::${name}`, sha256Hex(code.bytes)]));

  test("every night stays within its budget, ends with 0, and leaves nobody out for longer than the greatest age", () => {
    for (const { exit, requests, read, oldestMs } of nights.slice(1)) {
      expect(exit).toBe(0);
      expect(requests).toBeLessThanOrEqual(BUDGET);
      expect(read.size).toBeGreaterThan(8);
      expect(read.size).toBeLessThan(ACCOUNTS.length / 4);
      expect(oldestMs).toBeLessThanOrEqual((MAX_AGE_DAYS + 0.5) * DAY_MS);
    }
  });

  test("each snapshot covers exactly the accounts that were read, shows what stood there, and counts the others as passed over", () => {
    const covered = database.prepare("SELECT address FROM covered_at WHERE ledger_version = ?").pluck();
    const modules = database.prepare("SELECT address || '::' || module, bytecode_sha256 FROM modules_at WHERE ledger_version = ?").raw();
    const counted = database
      .prepare("SELECT accounts_read, accounts_passed_over, gaps FROM snapshot_coverage WHERE ledger_version = ?")
      .raw();
    for (const { version, read } of nights) {
      expect(new Set(covered.all(version))).toEqual(read);
      const stood = new Map([...read].flatMap((address) => [...standingAt(address, version)]));
      expect(new Map(modules.all(version) as [string, string][])).toEqual(stood);
      expect(counted.get(version)).toEqual([read.size, ACCOUNTS.length - read.size, 0]);
    }
  });

  test("every account is shown as it was last read, and that version is told", () => {
    const latest = database.prepare("SELECT address, ledger_version FROM covered_latest").raw();
    const lastRead = (address: string) => nights.findLast(({ read }) => read.has(address))?.version;
    expect(new Map(latest.all() as [string, number][])).toEqual(new Map(ACCOUNTS.map((address) => [address, Number(lastRead(address))])));
  });

  test("every change between two readings is found, at its exact version", () => {
    type Found = { id: string; was: string | null; is: string | null; after: number; by: number; exact: number };
    const found = database
      .prepare(
        "SELECT address || '::' || module AS id, from_sha256 AS was, to_sha256 AS 'is', after_version AS after, at_or_before_version AS 'by', is_exact AS exact FROM module_changes",
      )
      .all() as Found[];
    const open = found.filter(({ exact }) => exact === 0);
    for (const { id, was, is, after, by } of open) {
      expect([was, is]).not.toContain(null);
      expect(changesIn(id.split("::")[0] as string, BigInt(after), BigInt(by)).some((one) => one.id === id && one.is === null)).toBe(true);
    }
    const settled = found.filter(({ exact }) => exact !== 0);
    const exact = new Set(settled.map(({ id, was, is, by }) => `${id} ${was} ${is} ${by}`));
    expect(exact.size).toBe(settled.length);
    let [count, hidden] = [0, 0];
    for (const address of ACCOUNTS) {
      const readings = nights.filter(({ read }) => read.has(address)).map(({ version }) => version);
      for (const [index, to] of readings.entries()) {
        const from = readings[index - 1];
        if (from === undefined) continue;
        for (const { id, was, is, version, isBack } of changesIn(address, from, to)) {
          if (open.some((one) => one.id === id && one.after < version && version <= one.by)) continue;
          count += 1;
          const key = `${id} ${was} ${is} ${version}`;
          // What went and came back between two readings leaves no trace at either.
          if (isBack && !exact.has(key)) hidden += 1;
          else expect(exact.delete(key), `${key} between ${from} and ${to}`).toBe(true);
        }
      }
    }
    expect([...exact]).toEqual([]);
    expect(count).toBeGreaterThan(sized(10, 500));
    expect(hidden).toBeLessThan(count / 100);
  });

  /** What changed at an account between two versions, and whether the module had that value before since the first of them. */
  function changesIn(address: string, from: bigint, to: bigint) {
    const slots = ledger.account(address as never)?.slots ?? [];
    return slots.flatMap(({ name, code }) => {
      const digestOf = (standing: ReturnType<typeof code.at>): string | null => (standing ? sha256Hex(standing.bytes) : null);
      let standing = code.at(from);
      const values = [digestOf(standing)];
      const changes: { id: string; was: string | null; is: string | null; version: bigint }[] = [];
      for (let version = from + 1n; version <= to; version++) {
        const next = code.at(version);
        if (next === standing) continue;
        standing = next;
        const [was, is] = [values.at(-1) as string | null, digestOf(next)];
        if (was === is) continue;
        changes.push({ id: `${address}::${name}`, was, is, version });
        values.push(is);
      }
      const isBack = new Set(values).size < values.length;
      return changes.map((change) => ({ ...change, isBack }));
    });
  }
});
