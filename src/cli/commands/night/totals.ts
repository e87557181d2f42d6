import { type Kind, number, whole } from "../../../base/result/kinds.ts";
import { all, object, orNull } from "../../../base/result/object.ts";
import type { StepOutcome } from "../../jobs/job.ts";

/** The numbers of a night: the step whose JSON object has each, and its name there if that is another one. */
const sources = {
  accounts: ["sync"],
  /** The accounts of the snapshot before, when this one has less than half of them. */
  accounts_before: ["sync"],
  /** Accounts of the snapshot that are still to be read, while it is unsealed. */
  accounts_left: ["sync"],
  /** Targets that the budget left to other nights, and how long ago the one read longest ago was read. */
  accounts_passed_over: ["sync"],
  oldest_reading_ms: ["sync"],
  /** What nights of this budget come to, see `sync --json`. */
  usefulness: ["sync"],
  usefulness_of_round_robin: ["sync"],
  greatest_age_ms: ["sync"],
  greatest_age_wanted_ms: ["sync"],
  requests_for_greatest_age: ["sync"],
  changed_modules: ["sync"],
  /** Modules that cannot be decoded, and those that cannot be what the node called them. */
  modules_undecoded: ["sync"],
  modules_doubtful: ["sync"],
  gaps: ["sync"],
  /** Older versions that were pruned before they were read; with the gaps of this night that no night will try again. */
  lost: ["backfill", "lost_now"],
  /** Changes whose exact version is still not known. */
  inexact_changes: ["trace", "inexact"],
  /** Older versions asked for and left to another night. */
  versions_left: ["backfill", "refused"],
  head_age_ms: ["sync"],
  /** Alerts sent tonight, and alerts still waiting for a receiver. */
  alerts_told: ["tell", "told"],
  alerts_waiting: ["tell", "waiting"],
  /** Watches that can have no alert: what they watch is not read, or gone. */
  watches_dead: ["tell"],
} as const satisfies Record<string, readonly [step: string, name?: string]>;

/** What a whole night came to, in numbers; null for what no step said. */
export type NightTotals = Readonly<Record<keyof typeof sources, number | null>> & { readonly lost: number };

/** The totals as `night --json` prints them. */
export const totalsResult: Kind<NightTotals, NightTotals> = {
  schema: object({
    ...all(orNull(whole), ...(Object.keys(sources) as (keyof typeof sources)[])),
    ...all(orNull(number), "usefulness", "usefulness_of_round_robin"),
    lost: whole,
  }).schema,
  print: (totals) => totals,
};

/** Adds up a night's steps. `settled` is how many more gaps than before no night will try again. */
export function totalsOf(outcomes: readonly StepOutcome[], settled: number): NightTotals {
  const from = (step: string, name: string): number | null => {
    const value = outcomes.find((outcome) => outcome.name === step)?.result[name];
    return typeof value === "number" ? value : null;
  };
  const given = Object.fromEntries(Object.entries(sources).map(([total, [step, name = total]]) => [total, from(step, name)])) as Record<
    keyof typeof sources,
    number | null
  >;
  return {
    ...given,
    lost: Math.max(0, settled) + (given.lost ?? 0),
    versions_left: given.versions_left === null ? null : given.versions_left + (from("backfill", "planned") ?? 0),
  };
}
