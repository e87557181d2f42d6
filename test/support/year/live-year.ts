import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { faults, startSimNode } from "../../../sim/index.ts";
import { sha256Hex } from "../../../src/core/base/sha256.ts";
import { ManualClock } from "../manual-clock.ts";
import { type CliResult, runCli } from "../run-cli.ts";
import { temporaryDirectory } from "../temporary-directory.ts";
import { type BusyLedger, busyLedger } from "./busy-ledger.ts";

export const DAY_MS = 86_400_000;
const GENESIS_MS = Date.UTC(2026, 0, 1);
const HOUR_OF_NIGHT_MS = 3 * 3_600_000;
export const WINDOW_DAYS = 8;

/** What kind of a day it is for whoever runs the night. */
type DayKind = "night" | "missed" | "outage" | "full" | "swapped" | "faulty" | "reset";

/** A year of two nights a week, and what happens in it. Days are numbered from 1. */
type Calendar = {
  /** The days on which a night is due, and what becomes of it. */
  readonly nights: ReadonlyMap<number, DayKind>;
  /** From this day on another ledger is behind the node's address. */
  readonly resetDay: number;
  /** From this day on nights are run on another database. */
  readonly newDatabaseDay: number;
};

/** One night that was run. */
export type NightRecord = {
  readonly day: number;
  readonly kind: DayKind;
  readonly database: string;
  /** The ledger's newest version at that moment. */
  readonly head: bigint;
  readonly result: CliResult;
  /** SHA-256 of the database before and after. */
  readonly digests: readonly [before: string, after: string];
};

/** A year that has been lived through. */
export type Year = Disposable & {
  readonly records: readonly NightRecord[];
  /** The ledger before and after the chain was started anew. */
  readonly ledgers: readonly [BusyLedger, BusyLedger];
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
    if (couldFill) execFileSync("umount", ["-l", place.path]);
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
    const result = await runCli(["night", ...nightWords(urls[kind], database, place.file)], { clock });
    rmSync(place.file("ballast"), { force: true });
    records.push({ day, kind, database, head, result, digests: [before, digestOf(database)] });
  }
  return { records, ledgers: [first, second], databases };
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
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=24m", "tmpfs", path], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

function digestOf(path: string): string {
  return sha256Hex(existsSync(path) ? readFileSync(path) : "");
}

/** Weeks of a year, two nights each. `weeks` 52 makes a hundred nights that run, and four that are missed. */
function yearCalendar(weeks: number): Calendar {
  const nights = new Map<number, DayKind>();
  for (let week = 0; week < weeks; week++) {
    nights.set(week * 7 + 2, "night");
    nights.set(week * 7 + 5, "night");
  }
  const due = [...nights.keys()];
  const at = (share: number): number => Math.floor(due.length * share);
  const set = (index: number, kind: DayKind): void => void nights.set(due[index] as number, kind);
  set(at(0.12), "missed");
  // Missed twice in a row: by the next night, some of the days between have left the node's window.
  for (const n of [0, 1, 2]) set(at(0.3) + n, "missed");
  set(at(0.2), "outage");
  set(at(0.4), "full");
  for (let n = 0; n < at(0.1); n++) set(at(0.5) + n, "swapped");
  set(at(0.7), "faulty");
  const resets = [at(0.85), at(0.85) + 1];
  for (const index of resets) set(index, "reset");
  const resetDay = due[resets[0] as number] as number;
  return { nights, resetDay, newDatabaseDay: (due[resets[1] as number] as number) + 1 };
}
