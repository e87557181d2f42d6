import { plural } from "../../../base/plural.ts";
import { printable } from "../../../base/printable.ts";
import { type Kind, number, whole } from "../../../base/result/kinds.ts";
import { all, object, orNull } from "../../../base/result/object.ts";
import { formatDuration } from "../../../base/time/duration.ts";
import type { ExitName } from "../../../exit-codes.ts";
import type { StepOutcome } from "../../jobs/job.ts";
import { keepTexts } from "../../output/keep-texts.ts";
import { ofAllText, partText, percent } from "../sync/text.ts";

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
  return `${[`${night.job}: ${night.exit} in ${formatDuration(night.durationMs)}`, ...sealedByText(outcomes), ...unsealedText(outcomes, night.totals), ...numbers].join(", ")}; ${steps.join(", ")}`;
}

/** That another process sealed tonight's snapshot, and does what follows. */
function sealedByText(outcomes: readonly StepOutcome[]): string[] {
  const host = outcomes.find(({ name }) => name === "sync")?.result["sealed_by"];
  return typeof host === "string" ? [`sealed by ${printable(host, 100)}`] : [];
}

/** That tonight's snapshot is not sealed: the night may be done all the same, at its budget. */
function unsealedText(outcomes: readonly StepOutcome[], totals: NightTotals | undefined): string[] {
  if (totals === undefined || totals.accounts === null || totals.accounts_left === null) return [];
  const version = outcomes.find(({ name }) => name === "sync")?.result["ledger_version"];
  const read = ofAllText(totals.accounts, totals.gaps ?? 0, totals.accounts_left);
  return [`tonight's snapshot is not sealed (version ${version} is unfinished, ${read})`];
}

function numberText(totals: NightTotals): string[] {
  const { accounts, accounts_before: before, accounts_passed_over: passedOver, oldest_reading_ms: oldestMs } = totals;
  const { changed_modules, modules_undecoded, modules_doubtful, gaps, inexact_changes, head_age_ms, accounts_left } = totals;
  return keepTexts([
    accounts !== null &&
      accounts_left === null &&
      (passedOver ? `read ${partText(accounts, passedOver)}` : plural(accounts, "account") + beforeText(before)),
    passedOver && oldestMs !== null && `oldest reading ${formatDuration(oldestMs)}`,
    ...choiceText(totals),
    changed_modules !== null && `${plural(changed_modules, "module")} changed`,
    modules_undecoded !== null && `${plural(modules_undecoded, "module")} not decodable`,
    modules_doubtful !== null && `${plural(modules_doubtful, "module")} doubtful`,
    gaps !== null && plural(gaps, "gap"),
    `${totals.lost.toLocaleString("en-US")} lost`,
    inexact_changes !== null && `${plural(inexact_changes, "change")} inexact`,
    totals.versions_left && `${plural(totals.versions_left, "older version")} left`,
    totals.alerts_told && `${plural(totals.alerts_told, "alert")} told`,
    totals.alerts_waiting && `${plural(totals.alerts_waiting, "alert")} not told yet`,
    totals.watches_dead && `${totals.watches_dead} of the watches hear nothing (see watch list)`,
    head_age_ms !== null && `head ${formatDuration(head_age_ms)} old`,
  ]);
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

function beforeText(accounts: number | null): string {
  return accounts === null ? "" : ` (${accounts.toLocaleString("en-US")} the night before)`;
}
