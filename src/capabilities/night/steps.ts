import type { Io } from "../../core/cli/io.ts";
import type { CommandLine } from "../../core/cli/movedex-command.ts";
import type { NightFlags, NightPart, Said, Tonight, Turn } from "../../core/cli/night-part.ts";
import type { SyncSummary } from "../../core/crawl/night/summary.ts";
import type { ExitName } from "../../core/exit-codes.ts";

/** What a step came to; `finish` is called after the last step. */
export type StepResult = {
  readonly exit: ExitName;
  readonly result: object;
  readonly printed: object;
  readonly said: Said;
  readonly finish: () => Promise<void>;
};

export type PlannedStep = Pick<Turn, "after"> &
  Pick<NightPart, "advises"> & {
    readonly name: string;
    readonly hearsSignals: boolean;
    /** The command line that does the same, which `--dry-run` prints. */
    readonly argv: readonly string[];
    /** `read`: the snapshots that the night has read. */
    readonly run: (io: Io, read: readonly SyncSummary[]) => Promise<StepResult>;
  };

/** The steps of tonight. `wanted`: the parts that the database asks for. */
export function nightSteps(
  line: CommandLine,
  parts: readonly NightPart[],
  flags: NightFlags,
  { wanted, ...read }: Pick<Tonight, "now" | "notedVersion" | "reportedVersion"> & { readonly wanted: ReadonlySet<string> },
): PlannedStep[] {
  const { acceptNewHistory, rpc, nodeName, network, encoding, rate, concurrency, pageSize, maxDuration, maxAge, halfLife, db } = flags;
  const shared = {
    node: { acceptNewHistory, rpc, nodeName, network, encoding, rate, concurrency, pageSize, maxDuration } as Tonight["shared"]["node"],
    database: { db, json: true },
    ages: { maxAge, halfLife } as Tonight["shared"]["ages"],
  } as const;
  const tonight: Tonight = { flags, shared, settings: line.settings, ...read };
  return parts.flatMap((part) => {
    const takesPart = flags.weekly ? part.isWeekly : part.isWanted === undefined || wanted.has(part.name);
    const turn = takesPart ? part.turn(tonight) : undefined;
    return turn === undefined ? [] : [plan(line, part, turn)];
  });
}

/** A step with options of the night's own, which stand over what the settings file says of the command. */
function plan(
  { settings, declare }: CommandLine,
  { name, hearsSignals = false, advises, spells, load }: NightPart,
  turn: Turn,
): PlannedStep {
  const own = Object.fromEntries(Object.entries(turn.flags).filter(([, value]) => value !== undefined));
  return {
    name,
    hearsSignals,
    after: turn.after,
    ...(advises !== undefined && { advises }),
    argv: [name, ...(turn.words ?? []), ...settings.wordsFor(name), ...words(own, { ...durations, ...spells })],
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
    const option = `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    return value === true ? [option] : [option, (spelling[name] ?? String)(value as never)];
  });
}

const seconds = (ms: number): string => `${ms / 1000}s`;

const durations = {
  maxDuration: seconds,
  maxAge: seconds,
  halfLife: seconds,
};
