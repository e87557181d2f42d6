import type { Step } from "../../../crawl/backfill/backfill-points.ts";
import type { RecordCadence } from "../../../crawl/cadence/record-cadence.ts";
import type { JobStep } from "../../jobs/job.ts";
import type { NotifyFlags } from "../../jobs/notify-options.ts";
import type { ChoiceFlags } from "../../options/choice-options.ts";
import type { NodeFlags } from "../../options/node-options.ts";
import type { Retention } from "../backup/retention.ts";

export type NightFlags = NodeFlags &
  NotifyFlags &
  ChoiceFlags &
  Retention & {
    readonly db: string;
    readonly lag?: bigint;
    readonly records?: RecordCadence;
    readonly backfill?: Step;
    readonly traceRequests: number;
    readonly slices: number;
    readonly backup?: string;
    readonly report?: string;
    readonly baseUrl?: string;
    readonly siteUrl?: string;
    readonly weekly?: boolean;
    readonly dryRun?: boolean;
    readonly json?: boolean;
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
  const { pageSize, maxDuration, maxAge, halfLife, records, lag, backfill, traceRequests, slices, backup, report, baseUrl, siteUrl } =
    flags;
  const reading = [
    ...nodeArguments(flags),
    ...option("--page-size", pageSize),
    ...option("--max-duration", maxDuration && `${maxDuration / 1000}s`),
  ];
  const budget = option("--max-requests", flags.maxRequests);
  const cadence = option("--records", records);
  const choice = [...option("--max-age", maxAge && `${maxAge / 1000}s`), ...option("--half-life", halfLife && `${halfLife / 1000}s`)];
  // What a night sealed that was killed before its report is in the next one.
  const since = tonight.reportedVersion === undefined ? ["--last"] : ["--since", `${tonight.reportedVersion}`];
  const steps: (JobStep | undefined)[] = [
    {
      name: "sync",
      argv: ["sync", ...reading, ...budget, ...choice, ...cadence, ...option("--lag", lag), ...store],
    },
    backfill && {
      name: "backfill",
      argv: ["backfill", ...reading, ...budget, "--every", stepWord(backfill), ...cadence, ...store],
      after: read,
    },
    traceRequests === 0
      ? undefined
      : {
          name: "trace",
          argv: ["trace", ...reading, "--max-requests", `${traceRequests}`, ...option("--first-above", tonight.reportedVersion), ...store],
          after: read,
        },
    // After trace, so that alerts have exact versions; also after a night that read nothing, for alerts that wait.
    tonight.isWatched ? { name: "tell", argv: ["tell", ...store] } : undefined,
    { name: "gaps", argv: ["gaps", "--limit", "0", ...store] },
    slices === 0 ? undefined : { name: "verify", argv: ["verify", "--slice", sliceOf(tonight.now, slices), ...store] },
    // A damaged database must not take the place of a good backup.
    backup === undefined
      ? undefined
      : {
          name: "backup",
          argv: ["backup", backup, "--zstd", ...retentionWords(flags), ...store],
          ...(slices === 0 ? {} : { after: { step: "verify", exits: ["done"] } }),
        },
    report === undefined
      ? undefined
      : {
          name: "report file",
          argv: [
            "report",
            ...since,
            ...choice,
            "--out",
            report,
            ...option("--base-url", baseUrl),
            ...option("--site-url", siteUrl),
            "--db",
            tonight.database,
          ],
        },
    { name: "report", argv: ["report", ...since, ...choice, "--limit", "0", ...store] },
  ];
  return steps.filter((step) => step !== undefined);
}

function retentionWords({ keep, keepDaily, keepWeekly, keepMonthly, keepYearly }: NightFlags): string[] {
  const others = [...option("--keep-daily", keepDaily), ...option("--keep-weekly", keepWeekly)];
  return [...option("--keep", keep), ...others, ...option("--keep-monthly", keepMonthly), ...option("--keep-yearly", keepYearly)];
}

export function weekSteps(tonight: Tonight): JobStep[] {
  return [{ name: "verify", argv: ["verify", "--db", tonight.database, "--json"] }];
}

/** Another part each day: a missed night leaves one part for the next week. */
function sliceOf(now: number, slices: number): string {
  return `${(Math.floor(now / 86_400_000) % slices) + 1}/${slices}`;
}

function nodeArguments({ acceptNewHistory, rpc, network, nodeName, rate, sharedRate, concurrency, encoding }: NightFlags): string[] {
  return [
    ...(acceptNewHistory ? ["--accept-new-history"] : []),
    ...option("--rpc", rpc),
    ...option("--node-name", nodeName),
    ...option("--network", network),
    ...option("--encoding", encoding),
    ...option("--rate", rate),
    ...option("--shared-rate", sharedRate),
    ...option("--concurrency", concurrency),
  ];
}

function option(name: string, value: string | number | bigint | undefined): string[] {
  return value === undefined ? [] : [name, `${value}`];
}

function stepWord(step: NonNullable<NightFlags["backfill"]>): string {
  return "ms" in step ? `${step.ms / 1000}s` : `${step.versions}`;
}
