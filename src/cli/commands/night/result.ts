import { all, always, either, from, type Kind, list, maybe, object, orNull, text, truth, whole } from "../../../base/result.ts";
import type { SyncSummary } from "../../../crawl/night/summary.ts";
import { type ExitName, exitCodes } from "../../../exit-codes.ts";
import { ofNetworks } from "../../jobs/each-section.ts";
import { exitWord } from "../../output/result-fields.ts";
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

/** Older versions that were pruned before they were read, and the gaps of this night that no night will try again. */
export function lostOf({ settled, backfill }: NightTotals): number {
  return Math.max(0, settled) + (backfill?.summary?.lostNow ?? 0);
}

/** The older versions that are left: those that will be pruned before they could be read, and others. */
export function versionsLeft({ backfill }: NightResults): { readonly late: number; readonly others: number } {
  const summary = backfill?.summary;
  if (summary === undefined) return { late: 0, others: 0 };
  const { points, tooLate: late } = summary;
  return { late, others: points.filter(({ state }) => state === "refused" || state === "planned").length - late };
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
  lost: from(({ totals }: { readonly totals?: NightTotals | undefined }) => totals && lostOf(totals), maybe(whole)),
  steps: list(stepResult),
};
const planFields = { job: text, dry_run: always(true, truth), steps: list(object({ name: text, argv: list(text) })) };

export const nightResult = object(fields);

export const planResult = object(planFields);

export const nightResults = either<unknown>([nightResult, planResult, ofNetworks(fields), ofNetworks(planFields)]);
