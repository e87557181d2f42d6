import { all, always, either, from, type Kind, list, maybe, object, orNull, text, truth, whole } from "../../core/base/result.ts";
import type { Synced } from "../../core/cli/commands/sync/result.ts";
import type { NightPart, Said } from "../../core/cli/night-part.ts";
import { exitWord, ofNetworks } from "../../core/cli/output/result-fields.ts";
import type { SyncSummary } from "../../core/crawl/night/summary.ts";
import { type ExitName, exitCodes } from "../../core/exit-codes.ts";

/** How a step ended; one that was left out has no exit. */
export type StepOutcome = {
  readonly name: string;
  readonly exit: ExitName | undefined;
  readonly durationMs: number;
  readonly error?: { readonly code: string; readonly message: string } | undefined;
  /** What `--json` says of what it came to. */
  readonly printed: object;
  readonly said?: Said;
  readonly advises?: NightPart["advises"];
};

const UNMADE: ReadonlySet<string> = new Set(["MOVEDEX_STORE_MISSING", "MOVEDEX_STORE_OLDER"]);

/** Codes of a step whose disk is full: for the database, and for a file that it writes. */
const FULL: ReadonlySet<string> = new Set(["MOVEDEX_STORE_FULL", "MOVEDEX_OUTPUT"]);

/** Whether an error follows from what an earlier step failed with: what keeps one from its database or disk keeps every step from it. */
export function isSaid({ code, message }: NonNullable<StepOutcome["error"]>, before: readonly StepOutcome[]): boolean {
  const errors = before.flatMap(({ error }) => error ?? []);
  // A first night that could not begin leaves no database, or one that it did not finish making.
  if (UNMADE.has(code)) return errors.length > 0;
  const isAlike = (other: string): boolean => (FULL.has(code) ? FULL.has(other) : code === other && code === "MOVEDEX_STORE_CANNOT_OPEN");
  return errors.some((error) => error.message === message || isAlike(error.code));
}

/** What came of a night: its sync, the snapshot that it read last, and how many more gaps than before no night will try again. */
export type NightTotals = {
  readonly sync: Synced | undefined;
  readonly snapshot: SyncSummary | undefined;
  readonly settled: number;
};

type Ended = { readonly exit: ExitName; readonly totals?: NightTotals | undefined; readonly steps: readonly StepOutcome[] };

/** Readings that no night will get any more: of this night's gaps, and of its steps. */
export function lostOf({ totals, steps }: Pick<Ended, "totals" | "steps">): number {
  return Math.max(0, totals?.settled ?? 0) + steps.reduce((sum, { said }) => sum + (said?.lost ?? 0), 0);
}

const maybeWhole = orNull(whole);

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
  lost: from((night: Ended) => night.totals && lostOf(night), maybe(whole)),
  steps: list(stepResult),
};
const planFields = { job: text, dry_run: always(true, truth), steps: list(object({ name: text, argv: list(text) })) };

export const nightResult = object(fields);

export const planResult = object(planFields);

export const nightResults = either<unknown>([nightResult, planResult, ofNetworks(fields), ofNetworks(planFields)]);
