import { afterEach, beforeEach } from "vitest";
import { type SimNode, startSimNode } from "../../../../sim/index.ts";
import {
  type CliResult,
  ended,
  ManualClock,
  quickArchive,
  rowsOf,
  runCli,
  type TwoNights,
  temporaryDirectory,
  twoNights,
} from "../../../support/index.ts";
import { makeAllViews } from "../../../support/store/few-views.ts";

const A_DAY = 1000n;
export const DAY_MS = 86_400_000;

export let scene: TwoNights;
export let place: ReturnType<typeof temporaryDirectory>;
export let clock: ManualClock;
export let node: SimNode;

/** Sets before each test of a file a ledger of so many accounts, one of which holds nothing, whose days have a thousand versions. */
export function useDays(count: number): void {
  beforeEach(async () => {
    scene = twoNights(count - 1, 1, { usecPerVersion: (BigInt(DAY_MS) * 1000n) / A_DAY });
    place = temporaryDirectory();
    clock = new ManualClock({ skipSleeps: true, startMs: Number(scene.ledger.info().timestampUsec / 1000n) });
    node = await startSimNode({ ledger: scene.ledger });
    await quickArchive(place.file("a.db"));
    await ended(run("targets", "import", scene.targetsFile(place.file("targets.csv"))));
  });
  afterEach(() => node[Symbol.asyncDispose]());
}

export function run(...argv: string[]): Promise<CliResult> {
  // A check of the database asks for all views.
  if (argv[0] === "verify") makeAllViews(place.file("a.db"));
  return runCli([...argv, "--db", place.file("a.db")], { clock });
}
export const rows = <R>(sql: string): R[] => rowsOf(place.file("a.db"), sql);

/** What a night's `sync` says of itself, which ends well. */
export async function night(...more: string[]): Promise<Record<string, unknown>> {
  return (await ended(run("sync", "--rpc", node.url, "--rate", "0", "--json", ...more))).json();
}

/** A day passes on the ledger and on the clock, or a part of it. */
export async function nextDay(days = 1): Promise<void> {
  scene.ledger.advance(BigInt(Math.round(Number(A_DAY) * days)));
  await clock.advance(DAY_MS * days);
}
