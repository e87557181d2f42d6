import type { Synced } from "../../core/cli/commands/sync/result.ts";
import { type Io, sayFailure } from "../../core/cli/io.ts";
import type { CommandLine } from "../../core/cli/movedex-command.ts";
import type { NightPart, Said, Tonight, Turn } from "../../core/cli/night-part.ts";
import { optionName } from "../../core/cli/options/options.ts";
import { reconnecting } from "../../core/cli/store-access.ts";
import type { SyncSummary } from "../../core/crawl/night/summary.ts";
import { inTurn, signalExit } from "../../core/crawl/run/run-work.ts";
import type { WhenBusy } from "../../core/db/engine/database.ts";
import { firstFailure, type MovedexError } from "../../core/errors.ts";
import { type ExitName, stoppedByUser } from "../../core/exit-codes.ts";
import { isSaid, type StepOutcome } from "./result.ts";

/** What a step came to; `finish` is called after the last step. */
export type StepResult = {
  readonly exit: ExitName;
  readonly result: object;
  readonly printed: object;
  readonly said: Said;
  readonly finish: () => Promise<void>;
};

export type PlannedStep = Pick<Turn, "after"> &
  Pick<NightPart, "advises" | "reads"> & {
    readonly name: string;
    readonly hearsSignals: boolean;
    /** The command line that does the same, which `--dry-run` prints. */
    readonly argv: readonly string[];
    /** `read`: the snapshots that the night has read. */
    readonly run: (io: Io, read: readonly SyncSummary[]) => Promise<StepResult>;
  };

/** The steps of tonight. `wanted`: the parts that the database asks for. */
export function nightSteps(line: CommandLine, parts: readonly NightPart[], tonight: Tonight, wanted: ReadonlySet<string>): PlannedStep[] {
  const { weekly } = tonight.flags;
  return parts.flatMap((part) => {
    const takesPart = weekly ? part.isWeekly : part.isWanted === undefined || wanted.has(part.name);
    const turn = takesPart ? part.turn(tonight) : undefined;
    return turn === undefined ? [] : [plan(line, part, turn)];
  });
}

/** A step with options of the night's own, which stand over what the settings file says of the command. */
function plan(
  { settings, declare }: CommandLine,
  { name, reads, hearsSignals = false, advises, spells, load }: NightPart,
  turn: Turn,
): PlannedStep {
  const own = Object.fromEntries(Object.entries(turn.flags).filter(([, value]) => value !== undefined));
  return {
    name,
    hearsSignals,
    after: turn.after,
    ...(advises !== undefined && { advises }),
    ...(reads && { reads }),
    argv: [
      name,
      ...(turn.words ?? []),
      ...settings.wordsFor(name, Object.keys(own).map(optionName)),
      ...words(own, { ...durations, ...spells }),
    ],
    run: async (io, read) => {
      const step = await load();
      const flags = { ...settings.flagsFor<object>(await declare(name), io), ...own, ...turn.given?.(read) };
      const result = await step.run(io, flags);
      return {
        exit: (result as { readonly exit?: ExitName }).exit ?? "done",
        result,
        printed: step.print(result),
        said: step.says?.(result) ?? {},
        finish: async () => step.finish?.(io, flags, result),
      };
    },
  };
}

/** Options as they are typed, by what commander calls their values. */
function words(options: Readonly<Record<string, unknown>>, spelling: NonNullable<NightPart["spells"]>): string[] {
  return Object.entries(options).flatMap(([name, value]) => {
    const option = `--${optionName(name)}`;
    return value === true ? [option] : [option, (spelling[name] ?? String)(value as never)];
  });
}

const seconds = (ms: number): string => `${ms / 1000}s`;

const durations = {
  maxDuration: seconds,
  maxAge: seconds,
};

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
    if (name === "sync" && end !== undefined && "result" in end) sync = end.result as Synced;
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
  // What asks the node waits for a server itself; begun anew, it would have its requests anew.
  const again = step.reads ? run : () => reconnecting(run, whenBusy);
  const end = inTurn(again, whenBusy).catch((error) => failed(error, own, outcomes));
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
type SyncEnd = Synced | undefined;

/** The snapshots that `sync` read or took up. */
const readBy = (sync: SyncEnd): readonly SyncSummary[] => sync?.summaries ?? [];

export function snapshotOf(sync: SyncEnd): SyncSummary | undefined {
  return readBy(sync).at(-1);
}

function failed(caught: unknown, io: Io, before: readonly StepOutcome[]): StepEnd {
  const quiet = isSaid(firstFailure(caught) as MovedexError, before) ? { ...io, stderr: () => {} } : io;
  const { exit, code, message } = sayFailure(caught, quiet);
  // What is refused once the night has read is no reason to say that nothing was begun.
  return { exit: exit === "usage" && before.length > 0 ? "failed" : exit, error: { code, message }, printed: {} };
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
