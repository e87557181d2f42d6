import type { Synced } from "../../core/cli/commands/sync/result.ts";
import { type Io, sayFailure } from "../../core/cli/io.ts";
import type { Spent } from "../../core/cli/options/node-session.ts";
import type { SyncSummary } from "../../core/crawl/night/summary.ts";
import { inTurn, signalExit } from "../../core/crawl/run/run-work.ts";
import type { WhenBusy } from "../../core/db/engine/database.ts";
import { firstFailure, type MovedexError } from "../../core/errors.ts";
import { stoppedByUser } from "../../core/exit-codes.ts";
import { isSaid, type StepOutcome } from "./result.ts";
import type { PlannedStep, StepResult } from "./steps.ts";

/** Runs one step after the other. What a step says on stderr is passed on. */
export async function runSteps(steps: readonly PlannedStep[], io: HearingIo, whenBusy: WhenBusy) {
  const outcomes: StepOutcome[] = [];
  const finishes: (() => Promise<void>)[] = [];
  let sync: SyncEnd;
  for (const step of steps) {
    const { name } = step;
    const begun = io.clock.monotonic();
    const end = isLeftOut(step, outcomes, snapshotOf(sync)) ? undefined : await endOfStep(step, { io, sync, whenBusy, outcomes });
    if (end !== undefined && "finish" in end) finishes.push(end.finish);
    if (name === "sync" && end !== undefined && "result" in end) sync = end.result as Synced | Spent;
    outcomes.push({ name, advises: step.advises, exit: undefined, printed: {}, ...end, durationMs: io.clock.monotonic() - begun });
  }
  return { outcomes, finishes, sync };
}

type StepEnd = Omit<StepOutcome, "name" | "durationMs" | "advises">;

type Surroundings = {
  readonly io: HearingIo;
  readonly sync: SyncEnd;
  readonly whenBusy: WhenBusy;
  readonly outcomes: readonly StepOutcome[];
};

async function endOfStep(step: PlannedStep, { io, sync, whenBusy, outcomes }: Surroundings): Promise<StepEnd | StepResult> {
  let isLeft = false;
  const own: HearingIo = { ...io, stderr: (text) => isLeft || io.stderr(text) };
  const run = (): Promise<StepEnd | StepResult> => step.run(own, readBy(sync));
  const end = inTurn(run, whenBusy).catch((error) => failed(error, own, outcomes));
  if (step.hearsSignals) return await end;
  const stopped = io.signal.then((signal): StepEnd => {
    isLeft = true;
    return { exit: signalExit(signal), printed: {} };
  });
  return await Promise.race([stopped, end]);
}

type HearingIo = Io & { readonly signal: Promise<"SIGINT" | "SIGTERM"> };

/** Hears signals for the length of a night, so that one which comes between its steps leaves its line and its ping too. */
export function hearSignals(io: Io): HearingIo & Disposable {
  const heard = Promise.withResolvers<"SIGINT" | "SIGTERM">();
  let first: "SIGINT" | "SIGTERM" | undefined;
  const unlisten = io.onStopSignal((signal) => {
    first ??= signal;
    heard.resolve(signal);
  });
  return {
    ...io,
    signal: heard.promise,
    onStopSignal: (handler) => {
      // Who listens late hears of it all the same.
      if (first !== undefined) handler(first);
      return io.onStopSignal(handler);
    },
    [Symbol.dispose]: unlisten,
  };
}

/** How the step `sync` ended; undefined where it failed. */
type SyncEnd = Synced | Spent | undefined;

/** The snapshots that `sync` read or took up. */
const readBy = (sync: SyncEnd): readonly SyncSummary[] => (sync === undefined || "spent" in sync ? [] : sync.summaries);

export function snapshotOf(sync: SyncEnd): SyncSummary | undefined {
  return readBy(sync).at(-1);
}

function failed(caught: unknown, io: Io, before: readonly StepOutcome[]): StepEnd {
  const quiet = isSaid(firstFailure(caught) as MovedexError, before) ? { ...io, stderr: () => {} } : io;
  const { exit, code, message } = sayFailure(caught, quiet);
  return { exit, error: { code, message }, printed: {} };
}

function isLeftOut({ after }: PlannedStep, outcomes: readonly StepOutcome[], snapshot: SyncSummary | undefined): boolean {
  if (outcomes.some(({ exit }) => exit !== undefined && stoppedByUser.includes(exit))) return true;
  // Other processes read the night to its end or have sealed it: what follows it is done once, by the one that seals.
  if (snapshot?.othersGoOn || snapshot?.sealedBy !== undefined || outcomes.some(({ exit }) => exit === "absent")) return true;
  // A first night that could not begin leaves nothing to work on, a lock that outlasted the night no time: to say so once is enough.
  if (outcomes.some(({ error }) => error?.code === "MOVEDEX_STORE_MISSING" || error?.code === "MOVEDEX_STORE_BUSY")) return true;
  if (after === undefined) return false;
  const before = outcomes.find(({ name }) => name === after.step);
  return before?.exit === undefined || !after.exits.includes(before.exit);
}
