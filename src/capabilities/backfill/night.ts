import { afterReading, type NightPart } from "../../core/cli/night-part.ts";
import type { Step } from "./backfill-points.ts";
import { parseStep } from "./command.ts";
import type { BackfillFlags } from "./run.ts";

/** Older versions, where `night` is told to save some. */
export const nightPart: NightPart<{ readonly backfill?: Step }, BackfillFlags> = {
  name: "backfill",
  reads: true,
  hearsSignals: true,
  spells: { every: (step: Step) => ("ms" in step ? `${step.ms / 1000}s` : `${step.versions}`) },
  declare: (command) =>
    command.option("--backfill <step>", "also save older versions, one per 1d, 12h or N versions (default: none)", parseStep),
  turn: ({ flags: { backfill: every, maxRequests, records }, shared: { node, database } }) =>
    every && { flags: { ...node, maxRequests, every, records, ...database }, after: afterReading },
  load: async () => (await import("./run.ts")).step,
};
