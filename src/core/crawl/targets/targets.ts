import type { PlanRecords, PlanScope } from "../../db/archive/snapshots/plan.ts";
import type { Engine } from "../../db/engine/engine.ts";
import { countOf, orUndefined, rowOf, version, whole } from "../../db/engine/row-shape.ts";
import { coverage, newestOf } from "../../db/schema/sql/predicates.ts";
import { sql } from "../../db/schema/sql/sql.ts";
import { type Address, parseAddress } from "../../move/address.ts";
import type { Head } from "../../node/protocol/ledger-head.ts";

/** The accounts of the framework and its companion packages on every Aptos-like ledger; read when nothing else is asked for. */
export const frameworkAccounts: readonly Address[] = ["0x1", "0x3", "0x4", "0x5", "0x7", "0xa"].map(
  (text) => parseAddress(text) as Address,
);

/** The accounts that a run reads: those `requested` on the command line, else the stored targets, else the framework accounts. */
export async function scopeOf(engine: Engine | undefined, requested: readonly Address[] | undefined): Promise<PlanScope> {
  return requested ?? ((await (engine && targetQueries(engine).hasTargets())) ? "targets" : frameworkAccounts);
}

export async function listScope(engine: Engine | undefined, requested: readonly Address[] | undefined): Promise<Address[]> {
  const scope = await scopeOf(engine, requested);
  return scope === "targets" ? Array.fromAsync((engine && targetQueries(engine).activeTargets()) ?? []) : [...scope];
}

/** How often account records are read; code is read at every visit. */
export type RecordCadence = "nightly" | "weekly" | "never";

/** With `weekly` a record is read when its newest observation is older than this, by the ledger's time. */
const WEEKLY_MS = 7 * 86_400_000;

/** Requests for an account whose modules fit on one page: the page, and its record where that is read. */
export function requestsEach(cadence: RecordCadence | undefined): number {
  return cadence === "never" ? 1 : 2;
}

/** The accounts whose record a snapshot reads: all, where no two heads at different times tell the age of a record. */
export async function recordsToRead(
  engine: Engine | undefined,
  cadence: RecordCadence | undefined,
  head: Head,
  version: bigint,
): Promise<PlanRecords> {
  if (cadence !== "weekly") return cadence === "never" ? "none" : "all";
  const { LedgerTime } = await import("../horizon/ledger-time.ts");
  const time = await LedgerTime.read(engine, head);
  return time === undefined ? "all" : { unreadSince: time.versionAt(time.timeAt(version) - WEEKLY_MS).version };
}

export type ReadingAges = Awaited<ReturnType<typeof readingAges>>;

/**
 * How old what is known of the targets is, now or at the time of a node's newest version if that is later. Ages are of those that were
 * read, in milliseconds; undefined when none was.
 */
export async function readingAges(engine: Engine, head: Head, nowMs = 0) {
  const { ledgerTimes } = await import("../horizon/ledger-time.ts");
  const timeOf = await ledgerTimes(engine, head);
  // By a clock that is slow, what was read last week would be of a moment to come.
  const now = Math.max(nowMs, timeOf(head.ledgerVersion));
  const readings = await targetQueries(engine).newestReadings();
  const targets = readings.reduce((sum, reading) => sum + reading.targets, 0);
  // Newest first: half of the targets are as young as the median, or younger.
  const ages = readings
    .flatMap(({ newest, targets: count }) => (newest === undefined ? [] : [{ count, ageMs: Math.max(0, now - timeOf(newest)) }]))
    .sort((a, b) => a.ageMs - b.ageMs);
  const read = ages.reduce((sum, { count }) => sum + count, 0);
  let before = 0;
  const median = ages.find(({ count }) => {
    before += count;
    return before > Math.floor((read - 1) / 2);
  });
  return { targets, neverRead: targets - read, oldestMs: ages.at(-1)?.ageMs, medianMs: median?.ageMs };
}

const active = sql<[Address]>`SELECT a.address FROM _targets t JOIN _addresses a ON a.id = t.address_id WHERE t.removed_at IS NULL
  ORDER BY t.address_id`;
const activeTarget = sql`SELECT 1 FROM _targets t JOIN _addresses a ON a.id = t.address_id WHERE a.address = :address AND t.removed_at IS NULL`;
const any = sql`SELECT 1 FROM _targets WHERE removed_at IS NULL LIMIT 1`;
const count = sql`SELECT count(*) FROM _targets WHERE removed_at IS NULL`;
const reading = rowOf({ newest: orUndefined(version("h.newest")), targets: whole("count(*)") });
const readings = sql`SELECT ${reading.columns} FROM (SELECT ${newestOf(coverage)} AS newest FROM _targets t WHERE t.removed_at IS NULL) h
  GROUP BY h.newest ORDER BY h.newest`;

/** The list of accounts to read, as runs ask for it. */
export function targetQueries(engine: Engine) {
  return {
    hasTargets: async (): Promise<boolean> => (await engine.first(any)) !== undefined,
    isTarget: async (address: Address): Promise<boolean> => (await engine.first(activeTarget, { address })) !== undefined,
    countTargets: (): Promise<number> => countOf(engine, count),
    /** How many targets each snapshot is the newest of, oldest first; under undefined those that none covers. */
    newestReadings: (): Promise<readonly { readonly newest: bigint | undefined; readonly targets: number }[]> =>
      reading.all(engine, readings),
    /** Active targets in the order of their rows, as they are when the walk begins: the database may be written meanwhile. */
    activeTargets: async function* (): AsyncIterable<Address> {
      for await (const rows of engine.stream(active)) for (const [address] of rows) yield address;
    },
  };
}
