import type { Step } from "../../../crawl/backfill/backfill-points.ts";
import type { RecordCadence } from "../../../crawl/targets/targets.ts";
import type { JobStep } from "../../jobs/job.ts";
import type { AgeFlags, DatabaseFlags, NodeFlags, NotifyFlags, Retention } from "../../options/shared-flags.ts";

export type NightFlags = DatabaseFlags &
  NodeFlags &
  NotifyFlags &
  AgeFlags &
  Retention & {
    readonly lag?: bigint;
    readonly records?: RecordCadence;
    readonly backfill?: Step;
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
  readonly database: string;
  readonly now: number;
  /** The newest snapshot held before the night; undefined when there is none. */
  readonly newestVersion: bigint | undefined;
  /** Up to which version nights have reported; `newestVersion` while none has. */
  readonly reportedVersion: bigint | undefined;
  readonly isWatched: boolean;
};

/** The ends of a sync that has read the node: later steps can use its snapshot. */
const read = { step: "sync", exits: ["done", "gaps", "lost", "stale"] } as const;

export function nightSteps(flags: NightFlags, tonight: Tonight): JobStep[] {
  const store = ["--db", tonight.database, "--json"];
  const { lag, backfill, traceRequests, slices, backup, report } = flags;
  const { acceptNewHistory, rpc, nodeName, network, encoding, rate, concurrency, pageSize } = flags;
  const maxDuration = seconds(flags.maxDuration);
  const reading = words({ acceptNewHistory, rpc, nodeName, network, encoding, rate, concurrency, pageSize, maxDuration });
  const budget = words({ maxRequests: flags.maxRequests });
  const cadence = words({ records: flags.records });
  const choice = words({ maxAge: seconds(flags.maxAge), halfLife: seconds(flags.halfLife) });
  const retention = words({ keep: flags.keep });
  const links = words({ out: report, baseUrl: flags.baseUrl });
  // What a night sealed that was killed before its report is in the next one.
  const since = tonight.reportedVersion === undefined ? ["--last"] : words({ since: tonight.reportedVersion });
  const steps: (JobStep | false | undefined)[] = [
    { name: "sync", argv: ["sync", ...reading, ...budget, ...choice, ...cadence, ...words({ lag }), ...store] },
    backfill && {
      name: "backfill",
      argv: ["backfill", ...reading, ...budget, "--every", stepWord(backfill), ...cadence, ...store],
      after: read,
    },
    traceRequests > 0 && {
      name: "trace",
      argv: ["trace", ...reading, ...words({ maxRequests: traceRequests }), ...store],
      after: read,
    },
    // After trace, so that alerts have exact versions; also after a night that read nothing, for alerts that wait.
    tonight.isWatched && { name: "tell", argv: ["tell", ...store] },
    { name: "gaps", argv: ["gaps", "--limit", "0", ...store] },
    slices > 0 && { name: "verify", argv: ["verify", "--slice", sliceOf(tonight.now, slices), ...store] },
    // A damaged database must not take the place of a good backup.
    backup !== undefined && {
      name: "backup",
      argv: ["backup", backup, "--zstd", ...retention, ...store],
      ...(slices > 0 && { after: { step: "verify", exits: ["done"] } as const }),
    },
    report !== undefined && { name: "report file", argv: ["report", ...since, ...choice, ...links, "--db", tonight.database] },
    { name: "report", argv: ["report", ...since, ...choice, "--limit", "0", ...store] },
  ];
  return steps.filter((step) => typeof step === "object");
}

export function weekSteps(tonight: Tonight): JobStep[] {
  return [{ name: "verify", argv: ["verify", "--db", tonight.database, "--json"] }];
}

/** Another part each day: a missed night leaves one part for the next week. */
function sliceOf(now: number, slices: number): string {
  return `${(Math.floor(now / 86_400_000) % slices) + 1}/${slices}`;
}

/** Options as they are typed, by what commander calls their values; without those that are not given. */
function words(options: Readonly<Record<string, string | number | bigint | boolean | undefined>>): string[] {
  return Object.entries(options).flatMap(([name, value]) => {
    const option = `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    return value === undefined ? [] : value === true ? [option] : [option, `${value}`];
  });
}

function seconds(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : `${ms / 1000}s`;
}

function stepWord(step: NonNullable<NightFlags["backfill"]>): string {
  return "ms" in step ? `${step.ms / 1000}s` : `${step.versions}`;
}
