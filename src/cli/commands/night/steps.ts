import type { Step as Distance } from "../../../crawl/backfill/backfill-points.ts";
import type { SyncSummary } from "../../../crawl/night/summary.ts";
import type { RecordCadence } from "../../../crawl/targets/targets.ts";
import type { ExitName } from "../../../exit-codes.ts";
import type { Io } from "../../io.ts";
import type { CommandLine } from "../../movedex-command.ts";
import type { AgeFlags, DatabaseFlags, NodeFlags, NotifyFlags, Retention } from "../../options/shared-flags.ts";
import type { LateAnswers } from "../report/read-report.ts";
import { sliceText } from "../verify/run.ts";

export type NightFlags = DatabaseFlags &
  NodeFlags &
  NotifyFlags &
  AgeFlags &
  Retention & {
    readonly lag?: bigint;
    readonly records?: RecordCadence;
    readonly backfill?: Distance;
    readonly traceRequests: number;
    readonly slices: number;
    readonly backup?: string;
    readonly report?: string;
    readonly baseUrl?: string;
    readonly weekly?: boolean;
    readonly dryRun?: boolean;
  };

/** What the list depends on besides the flags. */
export type Tonight = {
  readonly now: number;
  /** Up to which version nights have reported, else the newest snapshot held before the night; undefined when there is none. */
  readonly reportedVersion: bigint | undefined;
  readonly isWatched: boolean;
};

/** The commands that a night consists of: what does each, and what `--json` says of the result. */
const commands = {
  sync: async () => (await import("../sync/run.ts")).step,
  backfill: async () => (await import("../backfill/run.ts")).step,
  trace: async () => (await import("../trace/run.ts")).step,
  tell: async () => (await import("../tell/run.ts")).step,
  gaps: async () => (await import("../gaps/command.ts")).step,
  verify: async () => (await import("../verify/run.ts")).step,
  backup: async () => (await import("../backup/run.ts")).step,
  report: async () => (await import("../report/run.ts")).step,
};
type Commands = typeof commands;
type StepName = keyof Commands;
type Step<Name extends StepName> = Awaited<ReturnType<Commands[Name]>>;
type Flags<Name extends StepName> = Parameters<Step<Name>["run"]>[1];

/** What the steps of a night came to; nothing of a step that failed, or was left out. */
export type NightResults = { [Name in StepName]?: Awaited<ReturnType<Step<Name>["run"]>> };

export type NightStep = {
  readonly name: StepName;
  /** The command line that does the same, which `--dry-run` prints. */
  readonly argv: readonly string[];
  /** The step before that must have ended in one of these ways, else this one is left out. */
  readonly after?: { readonly step: StepName; readonly exits: readonly ExitName[] } | undefined;
  /** Does what the command does, keeps what it came to, and gives its end with what `--json` says of it. */
  readonly run: (io: Io, results: NightResults) => Promise<{ readonly exit: ExitName; readonly printed: object }>;
};

/** The ends of a sync that has read the node: later steps can use its snapshot. */
const read = { step: "sync", exits: ["done", "gaps", "lost", "stale"] } as const;

export function nightSteps(line: CommandLine, flags: NightFlags, tonight: Tonight): NightStep[] {
  const { acceptNewHistory, rpc, nodeName, network, encoding, rate, concurrency, pageSize, maxDuration, maxRequests } = flags;
  const { db, records, maxAge, halfLife, lag, backfill, traceRequests, slices, keep, backup, report, baseUrl } = flags;
  const { settings } = line;
  const store = { db, json: true };
  const reading = { acceptNewHistory, rpc, nodeName, network, encoding, rate, concurrency, pageSize, maxDuration };
  const choice = { maxAge, halfLife };
  // What a night sealed that was killed before its report is in the next one.
  const since = tonight.reportedVersion === undefined ? { last: true } : { since: tonight.reportedVersion };
  // Another part each day: a missed night leaves one part for the next week.
  const slice = { part: Math.floor(tonight.now / 86_400_000) % slices, of: slices };
  const steps: (NightStep | false | undefined)[] = [
    stepOf(line, "sync", { ...reading, maxRequests, ...choice, records, lag, ...store }),
    backfill && { ...stepOf(line, "backfill", { ...reading, maxRequests, every: backfill, records, ...store }), after: read },
    traceRequests > 0 && { ...stepOf(line, "trace", { ...reading, maxRequests: traceRequests, ...store }), after: read },
    // After trace, so that alerts have exact versions; also after a night that read nothing, for alerts that wait.
    tonight.isWatched && stepOf(line, "tell", store, { named: settings.places() }, settings.wordsForPlaces()),
    stepOf(line, "gaps", { limit: 0, ...store }),
    slices > 0 && stepOf(line, "verify", { slice, ...store }),
    // A damaged database must not take the place of a good backup.
    backup !== undefined && {
      ...stepOf(line, "backup", { zstd: true, keep, ...store }, { file: backup }, [backup]),
      ...(slices > 0 && { after: { step: "verify", exits: ["done"] } as const }),
    },
    stepOf(
      line,
      "report",
      { ...since, ...choice, ...(report === undefined ? { limit: 0, ...store } : { out: report, baseUrl, db }) },
      ({ sync }) => ({ late: sync === undefined || "spent" in sync ? [] : sync.summaries.flatMap(lateIn) }),
    ),
  ];
  return steps.filter((step) => typeof step === "object");
}

/** What the night read late, into snapshots that an earlier report covers. */
function lateIn({ ledgerVersion, retried }: SyncSummary): LateAnswers[] {
  return retried === undefined || retried.filled.length === 0 ? [] : [{ ledgerVersion, accounts: retried.filled }];
}

/**
 * A step with options of the night's own, which stand over what the settings file says of the command. `more` is what no option says, or is
 * typed as `places`; it may follow from what the steps before came to.
 */
export function stepOf<Name extends StepName>(
  { settings, declare }: CommandLine,
  name: Name,
  own: { readonly [K in keyof Flags<Name>]?: Flags<Name>[K] | undefined },
  more: object | ((results: NightResults) => object) = {},
  places: readonly string[] = [],
): NightStep {
  const given = Object.fromEntries(Object.entries(own).filter(([, value]) => value !== undefined));
  return {
    name,
    argv: [name, ...places, ...settings.wordsFor(name), ...words(given)],
    run: async (io, results) => {
      const { run, print } = (await commands[name]()) as AnyStep;
      const result = await run(io, {
        ...settings.flagsFor<Flags<Name>>(await declare(name), io),
        ...given,
        ...(typeof more === "function" ? more(results) : more),
      });
      Object.assign(results, { [name]: result });
      return { exit: result.exit ?? "done", printed: print(result) };
    },
  };
}

type AnyStep = {
  readonly run: (io: Io, flags: object) => Promise<{ readonly exit?: ExitName }>;
  readonly print: (result: object) => object;
};

/** Options as they are typed, by what commander calls their values. */
function words(options: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(options).flatMap(([name, value]) => {
    const option = `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    return value === true ? [option] : [option, (spelling[name] ?? String)(value as never)];
  });
}

const seconds = (ms: number): string => `${ms / 1000}s`;

/** How values are typed that are no text or number. */
const spelling: Readonly<Record<string, (value: never) => string>> = {
  maxDuration: seconds,
  maxAge: seconds,
  halfLife: seconds,
  every: (step: Distance) => ("ms" in step ? seconds(step.ms) : `${step.versions}`),
  slice: sliceText,
};
