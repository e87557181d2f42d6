import { all, always, either, from, type Kind, list, maybe, number, object, orNull, text, truth, whole } from "../../../base/result.ts";
import type { SyncSummary } from "../../../crawl/night/summary.ts";
import { type ExitName, exitCodes } from "../../../exit-codes.ts";
import { ofNetworks } from "../../jobs/each-section.ts";
import { exitWord } from "../../output/result-fields.ts";
import { countTold, countWaiting } from "../tell/result.ts";
import type { NightResults } from "./steps.ts";

/** How a step ended; one that was left out has no exit. */
export type StepOutcome = {
  readonly name: string;
  readonly exit: ExitName | undefined;
  readonly durationMs: number;
  readonly error?: { readonly code: string; readonly message: string } | undefined;
  /** What `--json` says of what it came to. */
  readonly printed: object;
};

/** A night's results, the snapshot that it read last, and how many more gaps than before no night will try again. */
export type NightTotals = NightResults & { readonly snapshot: SyncSummary | undefined; readonly settled: number };

const maybeWhole = orNull(whole);

const totals = object({
  accounts: from("snapshot.accounts", maybeWhole),
  /** Accounts of the snapshot before, when this one has less than half of them. */
  accounts_before: from("snapshot.fewerThan", maybeWhole),
  /** Accounts of the snapshot that are still to be read, while it is unsealed. */
  accounts_left: from("snapshot.accountsLeft", maybeWhole),
  /** Targets that the budget left to other nights, and how long ago the one read longest ago was read. */
  accounts_passed_over: from("snapshot.passedOver", maybeWhole),
  oldest_reading_ms: from("snapshot.ages.oldestMs", maybeWhole),
  /** What nights of this budget come to, see `sync --json`. */
  usefulness: from("snapshot.outlook.usefulness", orNull(number)),
  usefulness_of_round_robin: from("snapshot.outlook.ofRoundRobin", orNull(number)),
  greatest_age_ms: from("snapshot.outlook.ageMs", maybeWhole),
  greatest_age_wanted_ms: from("snapshot.outlook.wantedAgeMs", maybeWhole),
  requests_for_greatest_age: from("snapshot.outlook.requestsForAge", maybeWhole),
  changed_modules: from("snapshot.changedModules", maybeWhole),
  /** Modules that cannot be decoded, and those that cannot be what the node called them. */
  modules_undecoded: from("snapshot.undecoded", maybeWhole),
  modules_doubtful: from("snapshot.doubtful", maybeWhole),
  gaps: from("snapshot.gaps", maybeWhole),
  /** Older versions that were pruned before they were read; with the gaps of this night that no night will try again. */
  lost: from(lostOf, whole),
  /** Changes whose exact version is still not known. */
  inexact_changes: from("trace.summary.inexact", maybeWhole),
  /** Older versions asked for and left to another night. */
  versions_left: from(versionsLeft, maybeWhole),
  head_age_ms: from("snapshot.head.ageMs", maybeWhole),
  /** Alerts sent tonight, and alerts still waiting for a receiver. */
  alerts_told: from(({ tell }: NightTotals) => tell && countTold(tell), maybeWhole),
  alerts_waiting: from(({ tell }: NightTotals) => tell && countWaiting(tell), maybeWhole),
  /** Watches that can have no alert: what they watch is not read, or gone. */
  watches_dead: from("tell.dead.length", maybeWhole),
});

export function lostOf({ settled, backfill }: NightTotals): number {
  return Math.max(0, settled) + (backfill?.summary?.lostNow ?? 0);
}

export function versionsLeft({ backfill }: NightResults): number | undefined {
  return backfill?.summary?.points.filter(({ state }) => state === "refused" || state === "planned").length;
}

const stepFields = object({
  name: text,
  exit: from(({ exit }: StepOutcome) => exit ?? "left out", exitWord),
  exit_code: from(({ exit }: StepOutcome) => exit && exitCodes[exit].code, maybeWhole),
  duration_ms: whole,
  error: maybe(object(all(text, "code", "message"))),
});

/** A step with the flat part of what its command prints: what has lists inside is for those who ask the command itself. */
export const stepResult: Kind<StepOutcome, Readonly<Record<string, unknown>>> = {
  schema: { ...stepFields.schema, additionalProperties: { type: ["string", "number", "boolean", "null"] } },
  print: (step) => {
    const flat = Object.entries(step.printed).filter(([, value]) => typeof value !== "object" || value === null);
    return { ...stepFields.print(step), ...Object.fromEntries(flat) };
  },
};

const fields = {
  job: text,
  exit: exitWord,
  exit_code: from(({ exit }: { readonly exit: ExitName }) => exitCodes[exit].code, whole),
  duration_ms: whole,
  totals: maybe(totals),
  steps: list(stepResult),
};
const planFields = { job: text, dry_run: always(true, truth), steps: list(object({ name: text, argv: list(text) })) };

export const nightResult = object(fields);

export const planResult = object(planFields);

export const nightResults = either<unknown>([nightResult, planResult, ofNetworks(fields), ofNetworks(planFields)]);
