import { type Kind, text, whole } from "../../base/result/kinds.ts";
import { all, from, maybe, object, orNull } from "../../base/result/object.ts";
import { type ExitName, exitCodes } from "../../exit-codes.ts";
import type { Io, RunCommand } from "../io.ts";
import { exitWord } from "../output/result-fields.ts";

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

export function gravest(exits: readonly (ExitName | undefined)[]): ExitName {
  return byGravity.find((exit) => exits.includes(exit)) ?? "done";
}

const stepFields = object({
  name: text,
  exit: from(({ exit }: StepOutcome) => exit ?? "left out", exitWord),
  exit_code: from(({ exit }: StepOutcome) => exit && exitCodes[exit].code, orNull(whole)),
  duration_ms: whole,
  error: from("result.error", maybe(object(all(text, "code", "message")))),
});

/** A step with the flat part of what its command printed. */
export const stepResult: Kind<StepOutcome, Readonly<Record<string, unknown>>> = {
  schema: { ...stepFields.schema, additionalProperties: { type: ["string", "number", "boolean", "null"] } },
  print: (step) => ({ ...stepFields.print(step as never), ...step.result }),
};

function isLeftOut({ after }: JobStep, outcomes: readonly StepOutcome[]): boolean {
  if (outcomes.some(({ exit }) => exit !== undefined && askedEnds.includes(exit))) return true;
  if (outcomes.some(isOthers)) return true;
  if (after === undefined) return false;
  const before = outcomes.find(({ name }) => name === after.step);
  return before?.exit === undefined || !after.exits.includes(before.exit);
}

/** Whether other processes read the night to its end or have sealed it: what follows it is done once, by the one that seals. */
function isOthers({ exit, result }: StepOutcome): boolean {
  return exit === "absent" || result["others_go_on"] === true || result["sealed_by"] !== undefined;
}

function leftOut({ name }: JobStep): StepOutcome {
  return { name, exit: undefined, durationMs: 0, result: {} };
}

async function runStep({ name, argv }: JobStep, io: Io, run: RunCommand): Promise<StepOutcome> {
  const begun = io.clock.monotonic();
  let said = "";
  const stderr = (text: string): void => {
    said = text;
    io.stderr(text);
  };
  const { code, stdout } = await capture(argv, { ...io, stderr }, run);
  const result = flatPart(lastObject(stdout));
  // A step that prints no JSON has said on stderr what it failed of.
  const [, message] = /^movedex: (.*)$/m.exec(said) ?? [];
  const hasError = code !== exitCodes.done.code && Object.keys(result).length === 0 && message !== undefined;
  const error = hasError ? { error: { code: "MOVEDEX_STEP", message } } : {};
  return { name, exit: exitName(code), durationMs: io.clock.monotonic() - begun, result: { ...result, ...error } };
}

/** Runs a command line as a part of this one and keeps what it prints. The signals of the process reach it. */
export async function capture(
  argv: readonly string[],
  io: Io,
  run: RunCommand,
): Promise<{ readonly code: number; readonly stdout: string }> {
  let stdout = "";
  const keep = async (text: string): Promise<void> => {
    stdout += text;
  };
  return { code: await run(argv, { ...io, stdout: keep, stdoutIsTerminal: false, isPart: true }), stdout };
}

/** The JSON object on the last line; an empty one if that line is another. */
export function lastObject(stdout: string): Readonly<Record<string, unknown>> {
  const line = stdout.trimEnd().split("\n").at(-1) ?? "";
  return line.startsWith("{") ? (JSON.parse(line) as Record<string, unknown>) : {};
}

/** The row of the exit code table that a command ended with. */
export function exitName(code: number): ExitName {
  const names = Object.keys(exitCodes) as ExitName[];
  return names.find((name) => exitCodes[name].code === code) ?? "failed";
}

/** What has lists inside is for those who ask the command itself. */
function flatPart(whole: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const error = whole["error"] as { readonly code: string; readonly message: string } | undefined;
  if (error !== undefined) return { error: { code: error.code, message: error.message } };
  return Object.fromEntries(Object.entries(whole).filter(([, value]) => typeof value !== "object" || value === null));
}
