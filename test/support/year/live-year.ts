import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { faults, startSimNode } from "../../../sim/index.ts";
import { ManualClock } from "../manual-clock.ts";
import { type CliResult, runCli } from "../run-cli.ts";
import { temporaryDirectory } from "../temporary-directory.ts";
import { type BusyLedger, busyLedger } from "./busy-ledger.ts";
import { type Calendar, type DayKind, yearCalendar } from "./calendar.ts";

export const DAY_MS = 86_400_000;
const GENESIS_MS = Date.UTC(2026, 0, 1);
const HOUR_OF_NIGHT_MS = 3 * 3_600_000;
export const WINDOW_DAYS = 8;

const programs = { mount: "mount", unmount: "umount" };

/** One night that was run. */
export type NightRecord = {
  readonly day: number;
  readonly kind: DayKind;
  readonly database: string;
  /** The ledger's newest version at that moment. */
  readonly head: bigint;
  readonly result: CliResult;
  /** Processor time of the night, the simulated node's share included. */
  readonly cpuMs: number;
  /** SHA-256 of the database before and after. */
  readonly digests: readonly [before: string, after: string];
};

/** A year that has been lived through. */
export type Year = Disposable & {
  readonly calendar: Calendar;
  readonly records: readonly NightRecord[];
  /** The ledger before and after the chain was started anew. */
  readonly ledgers: readonly [BusyLedger, BusyLedger];
  /** The account that did not answer on the faulty night. */
  readonly silent: string;
  readonly databases: readonly [string, string];
  readonly file: (name: string) => string;
  /** Whether the disk really was full on the night it should have been: that takes the right to mount a file system. */
  readonly couldFill: boolean;
};

/** The moment that a day's night begins. */
export function nightOf(day: number): number {
  return GENESIS_MS + day * DAY_MS + HOUR_OF_NIGHT_MS;
}

/** Lives through a year of nights, each a whole `movedex night` on the simulated ledger, with a clock of its own. */
export async function liveYear(options: YearSize): Promise<Year> {
  const place = temporaryDirectory();
  const couldFill = mount(place.path);
  const end = (): void => {
    if (couldFill) execFileSync(programs.unmount, ["-l", place.path]);
    place[Symbol.dispose]();
  };
  try {
    return { ...(await liveNights(options, place, couldFill)), file: place.file, couldFill, [Symbol.dispose]: end };
  } catch (error) {
    end();
    throw error;
  }
}

/** How large a year is. */
type YearSize = { readonly weeks: number; readonly accounts: number; readonly seed: number };

async function liveNights(
  { weeks, accounts, seed }: YearSize,
  place: { readonly path: string; readonly file: (name: string) => string },
  couldFill: boolean,
): Promise<Omit<Year, "file" | "couldFill" | typeof Symbol.dispose>> {
  const calendar = yearCalendar(weeks);
  const first = busyLedger({ genesisMs: GENESIS_MS, seed, accounts, windowDays: WINDOW_DAYS });
  const second = busyLedger({
    genesisMs: GENESIS_MS + (calendar.resetDay - 1) * DAY_MS,
    seed: seed + 1,
    accounts,
    windowDays: WINDOW_DAYS,
  });
  const silent = first.addresses[1] as string;
  const isSilent = ({ target }: { readonly target: string }): boolean => target.includes(`${silent}/modules`);
  const silence = faults.planFaults([{ fault: faults.storageFailure("listing"), match: isSilent }]);
  const databases = [place.file("first.db"), place.file("second.db")] as const;

  let today = first;

  await using node = await startSimNode({ ledger: first.ledger, faults: ticking(() => today), log: false });
  await using older = await startSimNode({
    ledger: first.ledger,
    generation: "A",
    headerSpelling: "node",
    maxPageSize: 2,
    faults: ticking(() => first),
    log: false,
  });
  await using faulty = await startSimNode({ ledger: first.ledger, faults: ticking(() => first, silence), log: false });
  const urls: Record<DayKind, string> = {
    night: node.url,
    missed: "",
    outage: "http://127.0.0.1:9/v1",
    full: node.url,
    swapped: older.url,
    faulty: faulty.url,
    reset: node.url,
  };

  const records: NightRecord[] = [];
  for (const [day, kind] of calendar.nights) {
    const startMs = nightOf(day);
    if (day >= calendar.resetDay) {
      today = second;
      node.replaceLedger(second.ledger);
    }
    today.passTo(startMs);
    if (kind === "missed") continue;
    const database = day >= calendar.newDatabaseDay ? databases[1] : databases[0];
    const clock = new ManualClock({ startMs, skipSleeps: true });
    if (!existsSync(database)) await runCli(["targets", "add", ...today.addresses, "--db", database], { clock });
    const before = digestOf(database);
    if (kind === "full" && couldFill) fill(place.path, place.file("ballast"));
    const { head } = today.ledger;
    const begun = process.cpuUsage();
    const result = await runCli(["night", ...nightWords(urls[kind], database, place.file)], { clock });
    const used = process.cpuUsage(begun);
    rmSync(place.file("ballast"), { force: true });
    records.push({ day, kind, database, head, result, cpuMs: (used.user + used.system) / 1000, digests: [before, digestOf(database)] });
  }
  return { calendar, records, ledgers: [first, second], silent, databases };
}

function nightWords(url: string, database: string, file: (name: string) => string): string[] {
  const telling = ["--report", file("changes.md"), "--metrics-file", file("movedex.prom"), "--summary-file", file("nights.jsonl")];
  const keeping = ["--backup", `${file("backups")}/`, "--keep", "3", "--db", database];
  return ["--rpc", url, "--rate", "0", "--backfill", "1d", "--json", ...keeping, ...telling];
}

/** Time goes on while a night runs: a version for every few requests. */
function ticking(ledger: () => BusyLedger, plan?: faults.FaultPlan): faults.FaultPlan {
  return {
    pick: (request, ordinal) => {
      if (ordinal % 5 === 0) ledger().ledger.advance(1n);
      return plan?.pick(request, ordinal) ?? [];
    },
    unmet: () => plan?.unmet() ?? [],
  };
}

/** Leaves less room on the file system than a night needs. */
function fill(path: string, ballast: string): void {
  const { bavail, bsize } = statfsSync(path);
  writeFileSync(ballast, Buffer.alloc(Math.max(0, bavail * bsize - 40_000)));
}

function mount(path: string): boolean {
  try {
    execFileSync(programs.mount, ["-t", "tmpfs", "-o", "size=24m", "tmpfs", path], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

function digestOf(path: string): string {
  return createHash("sha256")
    .update(existsSync(path) ? readFileSync(path) : "")
    .digest("hex");
}
