import { type ExitName, exitCodes } from "../../exit-codes.ts";
import type { Io, RunCommand } from "../io.ts";

export type JobStep = {
  readonly name: string;
  readonly argv: readonly string[];
  /** The step before that must have ended in one of these ways, else this one is left out. */
  readonly after?: { readonly step: string; readonly exits: readonly ExitName[] };
};

/** What came of a step; one that was left out has no exit. */
export type StepOutcome = {
  readonly name: string;
  readonly exit: ExitName | undefined;
  readonly durationMs: number;
  /** The flat part of the JSON object that the command ended with: counts, versions, digests; or its error. */
  readonly result: Readonly<Record<string, unknown>>;
};

/** Ends that the user or the system asked for: what would come next is left out. */
export const askedEnds: readonly ExitName[] = ["interrupted", "terminated"];

/** Ends from the one that most needs a person to the one that needs none. */
const byGravity = [
  "wrongChain",
  "corrupt",
  "lost",
  "usage",
  "failed",
  "locked",
  "interrupted",
  "terminated",
  "absent",
  "stale",
  "gaps",
  "incomparable",
  "breaking",
  "done",
] as const satisfies readonly ExitName[];

/** Runs commands one after the other, in this process; what they say on stderr is passed on, their last JSON line is kept. */
export async function runSteps(steps: readonly JobStep[], io: Io, run: RunCommand): Promise<StepOutcome[]> {
  const outcomes: StepOutcome[] = [];
  for (const step of steps) outcomes.push(isLeftOut(step, outcomes) ? leftOut(step) : await runStep(step, io, run));
  return outcomes;
}

/** The end of a job: that of its gravest step. */
export function gravest(exits: readonly (ExitName | undefined)[]): ExitName {
  return byGravity.find((exit) => exits.includes(exit)) ?? "done";
}

export function stepJson({ name, exit, durationMs, result }: StepOutcome): Record<string, unknown> {
  return {
    name,
    exit: exit ?? "left out",
    exit_code: exit === undefined ? null : exitCodes[exit].code,
    duration_ms: Math.round(durationMs),
    ...result,
  };
}

function isLeftOut({ after }: JobStep, outcomes: readonly StepOutcome[]): boolean {
  if (outcomes.some(({ exit }) => exit !== undefined && askedEnds.includes(exit))) return true;
  if (after === undefined) return false;
  const before = outcomes.find(({ name }) => name === after.step);
  return before?.exit === undefined || !after.exits.includes(before.exit);
}

function leftOut({ name }: JobStep): StepOutcome {
  return { name, exit: undefined, durationMs: 0, result: {} };
}

async function runStep({ name, argv }: JobStep, io: Io, run: RunCommand): Promise<StepOutcome> {
  const begun = io.clock.monotonic();
  let lastLine = "";
  const stdout = async (text: string): Promise<void> => {
    lastLine = text.trimEnd().split("\n").at(-1) ?? "";
  };
  // The signals of the job's process reach the step at work.
  const code = await run(argv, { ...io, stdout, stdoutIsTerminal: false });
  return { name, exit: exitName(code), durationMs: io.clock.monotonic() - begun, result: flatPart(lastLine) };
}

/** The row of the exit code table that a command ended with. */
export function exitName(code: number): ExitName {
  const names = Object.keys(exitCodes) as ExitName[];
  return names.find((name) => exitCodes[name].code === code) ?? "failed";
}

/** What has lists inside is for those who ask the command itself. */
function flatPart(line: string): Record<string, unknown> {
  if (!line.startsWith("{")) return {};
  const whole = JSON.parse(line) as Record<string, unknown>;
  const error = whole["error"] as { readonly code: string; readonly message: string } | undefined;
  if (error !== undefined) return { error: { code: error.code, message: error.message } };
  return Object.fromEntries(Object.entries(whole).filter(([, value]) => typeof value !== "object" || value === null));
}
