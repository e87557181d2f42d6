import { plural } from "../../../base/plural.ts";
import { formatDuration } from "../../../base/time/duration.ts";
import type { ExitName } from "../../../exit-codes.ts";
import type { StepOutcome } from "../../jobs/job.ts";

/** What a whole night came to, in numbers; null for what no step said. */
export type NightTotals = {
  readonly accounts: number | null;
  /** The accounts of the snapshot before, when this one has less than half of them. */
  readonly accounts_before: number | null;
  /** Targets that the budget left to other nights, and how long ago the one read longest ago was read. */
  readonly accounts_passed_over: number | null;
  readonly oldest_reading_ms: number | null;
  /** What nights of this budget come to, see `sync --json`. */
  readonly usefulness: number | null;
  readonly usefulness_of_round_robin: number | null;
  readonly greatest_age_ms: number | null;
  readonly greatest_age_wanted_ms: number | null;
  readonly requests_for_greatest_age: number | null;
  readonly changed_modules: number | null;
  /** Modules that cannot be decoded, and those that cannot be what the node called them. */
  readonly modules_undecoded: number | null;
  readonly modules_doubtful: number | null;
  readonly gaps: number | null;
  /** Gaps that no night will try again, and older versions that were pruned before they were read: those of this night. */
  readonly lost: number;
  /** Changes whose exact version is still not known. */
  readonly inexact_changes: number | null;
  /** Older versions asked for and left to another night. */
  readonly versions_left: number | null;
  readonly head_age_ms: number | null;
  /** Alerts sent tonight, and alerts still waiting for a receiver. */
  readonly alerts_told: number | null;
  readonly alerts_waiting: number | null;
  /** Watches that can have no alert: what they watch is not read, or gone. */
  readonly watches_dead: number | null;
};

/** Adds up a night's steps. `settled` is how many more gaps than before no night will try again. */
export function totalsOf(outcomes: readonly StepOutcome[], settled: number): NightTotals {
  const from = (step: string, name: string): number | null => {
    const value = outcomes.find((outcome) => outcome.name === step)?.result[name];
    return typeof value === "number" ? value : null;
  };
  const [refused, planned] = [from("backfill", "refused"), from("backfill", "planned")];
  return {
    accounts: from("sync", "accounts"),
    accounts_before: from("sync", "accounts_before"),
    accounts_passed_over: from("sync", "accounts_passed_over"),
    oldest_reading_ms: from("sync", "oldest_reading_ms"),
    usefulness: from("sync", "usefulness"),
    usefulness_of_round_robin: from("sync", "usefulness_of_round_robin"),
    greatest_age_ms: from("sync", "greatest_age_ms"),
    greatest_age_wanted_ms: from("sync", "greatest_age_wanted_ms"),
    requests_for_greatest_age: from("sync", "requests_for_greatest_age"),
    changed_modules: from("sync", "changed_modules"),
    modules_undecoded: from("sync", "modules_undecoded"),
    modules_doubtful: from("sync", "modules_doubtful"),
    gaps: from("sync", "gaps"),
    lost: Math.max(0, settled) + (from("backfill", "lost_now") ?? 0),
    inexact_changes: from("trace", "inexact"),
    versions_left: refused === null ? null : refused + (planned ?? 0),
    head_age_ms: from("sync", "head_age_ms"),
    alerts_told: from("tell", "told"),
    alerts_waiting: from("tell", "waiting"),
    watches_dead: from("tell", "watches_dead"),
  };
}

/** One line, which cron sends on: how it ended, what it came to, and how each step ended. */
export function summaryText(
  night: { readonly job: string; readonly exit: ExitName; readonly durationMs: number; readonly totals?: NightTotals | undefined },
  outcomes: readonly StepOutcome[],
): string {
  const steps = outcomes.map(({ name, exit, result }) => {
    const spent = result["stopped_by"] === "budget" ? " (budget spent)" : "";
    return `${name} ${exit ?? "left out"}${spent}`;
  });
  const numbers = night.totals === undefined ? [] : numberText(night.totals);
  return `${[`${night.job}: ${night.exit} in ${formatDuration(night.durationMs)}`, ...numbers].join(", ")}; ${steps.join(", ")}`;
}

function numberText(totals: NightTotals): string[] {
  const {
    accounts,
    accounts_before,
    accounts_passed_over,
    oldest_reading_ms,
    changed_modules,
    modules_undecoded,
    modules_doubtful,
    gaps,
    lost,
    inexact_changes,
    versions_left,
    head_age_ms,
    alerts_told,
    alerts_waiting,
    watches_dead,
  } = totals;
  const before = accounts_before === null ? "" : ` (${accounts_before.toLocaleString("en-US")} the night before)`;
  return [
    ...(accounts === null
      ? []
      : [accounts_passed_over ? ofAll(accounts, accounts_passed_over) : `${plural(accounts, "account")}${before}`]),
    ...(accounts_passed_over && oldest_reading_ms !== null ? [`oldest reading ${formatDuration(oldest_reading_ms)}`] : []),
    ...choiceText(totals),
    ...(changed_modules === null ? [] : [`${plural(changed_modules, "module")} changed`]),
    ...(modules_undecoded === null ? [] : [`${plural(modules_undecoded, "module")} not decodable`]),
    ...(modules_doubtful === null ? [] : [`${plural(modules_doubtful, "module")} doubtful`]),
    ...(gaps === null ? [] : [plural(gaps, "gap")]),
    `${lost.toLocaleString("en-US")} lost`,
    ...(inexact_changes === null ? [] : [`${plural(inexact_changes, "change")} inexact`]),
    ...(versions_left ? [`${plural(versions_left, "older version")} left`] : []),
    ...(alerts_told ? [`${plural(alerts_told, "alert")} told`] : []),
    ...(alerts_waiting ? [`${plural(alerts_waiting, "alert")} not told yet`] : []),
    ...(watches_dead ? [`${watches_dead} of the watches hear nothing (see watch list)`] : []),
    ...(head_age_ms === null ? [] : [`head ${formatDuration(head_age_ms)} old`]),
  ];
}

/** Which age the budget gives, what keeps the one wanted, and what choosing is worth. */
function choiceText(totals: NightTotals): string[] {
  const {
    usefulness,
    usefulness_of_round_robin: inTurns,
    greatest_age_ms: age,
    greatest_age_wanted_ms: wanted,
    requests_for_greatest_age: requests,
  } = totals;
  if (wanted === null || requests === null) return [];
  const given = age === null ? "no greatest age" : `greatest age ${formatDuration(age)}`;
  const kept = age !== null && age <= wanted ? "" : ` (${formatDuration(wanted)} takes ${plural(requests, "request")})`;
  const worth = usefulness === null || inTurns === null ? [] : [`usefulness ${percent(usefulness)} (in turns ${percent(inTurns)})`];
  return [`${given}${kept}`, ...worth];
}

const percent = (share: number): string => `${Math.round(100 * share)} %`;

function ofAll(accounts: number, passedOver: number): string {
  return `read ${accounts.toLocaleString("en-US")} of ${(accounts + passedOver).toLocaleString("en-US")} accounts (budget)`;
}
