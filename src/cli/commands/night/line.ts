import { plural } from "../../../base/plural.ts";
import { printable } from "../../../base/printable.ts";
import { formatDuration } from "../../../base/time/duration.ts";
import type { ExitName } from "../../../exit-codes.ts";
import type { StepOutcome } from "../../jobs/job.ts";
import { keepTexts } from "../../output/keep-texts.ts";
import { failingText, ofAllText, partText, percent } from "../sync/text.ts";
import type { NightTotals } from "./totals.ts";

/** A night or a week that is over. */
export type EndedNight = {
  readonly job: "night" | "week";
  readonly exit: ExitName;
  readonly durationMs: number;
  readonly totals?: NightTotals | undefined;
  readonly steps: readonly StepOutcome[];
  /** Whether the archive had no snapshot before. */
  readonly isFirst?: boolean;
  /** What went wrong outside of the steps. */
  readonly fault?: string | undefined;
  /** Said of the night that is no fault of it. */
  readonly remark?: string | undefined;
};

/** Characters of a cause: the whole of it is in the log. */
const CAUSE_MAX = 300;

/**
 * The line that a person reads, by mail, in a ping or in a log: whether tonight's snapshot is sealed, what it came to, then what went
 * wrong, with the cause and the command that tells more. What is as it should be is not named.
 */
export function nightLine(night: EndedNight): string {
  const troubles = troublesOf(night);
  const numbers = night.totals === undefined || !isSealed(night) ? [] : numberTexts(night.totals, night);
  const head = [`${night.job}: ${verdict(night)}`, numbers.join(", ")].filter((text) => text !== "").join(": ");
  const sentences = [head, troubles.join("; "), ...tellsMore(night), ...keepTexts([night.remark])];
  return sentences
    .filter((text) => text !== "")
    .map((text, i) => (i === 0 ? text : text.charAt(0).toUpperCase() + text.slice(1)))
    .join(". ");
}

/** The line of a night that ended before its steps. */
export function brokenLine(job: EndedNight["job"], message: string): string {
  return `${job}: ${job === "night" ? "not sealed" : "not verified"}: ${printable(message, CAUSE_MAX)}`;
}

function resultOf({ steps }: EndedNight, name: string): StepOutcome["result"] {
  return steps.find((step) => step.name === name)?.result ?? {};
}

/** Whether this night sealed a snapshot, or found that of the same version sealed. */
function isSealed(night: EndedNight): boolean {
  const { status, no_newer_state: isStale, sealed_by: others } = resultOf(night, "sync");
  return (status === "sealed" || status === "sealed_with_gaps") && isStale !== true && others === undefined;
}

function verdict(night: EndedNight): string {
  const took = formatDuration(night.durationMs);
  if (night.job === "week") {
    if (night.exit === "done") return `all is as it was written (${took})`;
    return night.exit === "corrupt" ? `not all is as it was written (${took})` : `not verified to the end (${took})`;
  }
  const sync = resultOf(night, "sync");
  const cause = causeOf(sync);
  if (cause !== undefined) return `not sealed after ${took}: ${cause}`;
  if (sync["sealed_by"] !== undefined) return `sealed by ${printable(String(sync["sealed_by"]), 100)}, which does what follows (${took})`;
  const version = `ledger version ${sync["ledger_version"]}`;
  if (sync["no_newer_state"] === true)
    return `nothing new after ${took}: the node's newest version, ${sync["head_version"]}, is ${formatDuration(Number(sync["head_age_ms"]))} old and no newer than what is held`;
  if (isSealed(night)) return `sealed ${version} in ${took}`;
  if (sync["status"] === undefined && sync["stopped_by"] === "budget")
    return `not sealed after ${took}: the first questions took all ${sync["requests"]} requests of its budget`;
  const read = night.totals === undefined ? "" : `, ${readText(night.totals)}`;
  return sync["status"] === undefined
    ? `not sealed after ${took}`
    : `not sealed after ${took}: ${version} is unfinished${read}, ${whyText(night)}`;
}

function readText({ accounts, gaps, accounts_left: left }: NightTotals): string {
  return ofAllText(accounts ?? 0, gaps ?? 0, left ?? 0);
}

/** Why a snapshot is left to the next night. */
function whyText(night: EndedNight): string {
  const { node_failures: failures, node_failure: last } = resultOf(night, "sync");
  if (typeof failures === "number")
    return `the node failed ${failingText({ attempts: failures, last: printable(String(last), CAUSE_MAX) })}`;
  const exit = night.steps.find(({ name }) => name === "sync")?.exit;
  if (exit === "interrupted" || exit === "terminated") return `stopped by ${exit === "interrupted" ? "SIGINT" : "SIGTERM"}`;
  const isTooSmall = resultOf(night, "sync")["accounts"] === 0;
  return isTooSmall ? "its budget did not suffice for one account" : "the budget of the night is spent, and the next one goes on";
}

/** Whether a step found no database, which follows from a first night that could not begin. */
function isNoDatabase(result: StepOutcome["result"]): boolean {
  return (result["error"] as { readonly code: string } | undefined)?.code === "MOVEDEX_STORE_MISSING";
}

/** The words of a step's error; undefined for a step without one. */
function causeOf(result: StepOutcome["result"]): string | undefined {
  const error = result["error"] as { readonly message: string } | undefined;
  return error === undefined ? undefined : printable(error.message, CAUSE_MAX).replace(/\.$/, "");
}

/** What went wrong beside the snapshot, a text for each step. What was left out since another step failed follows from that. */
function troublesOf(night: EndedNight): string[] {
  const { totals } = night;
  // Those of a receiver that is no longer there wait for nobody, and are untold all the same.
  const untold = Math.max(totals?.alerts_waiting ?? 0, Number(resultOf(night, "tell")["alerts_untold"] ?? 0));
  const cause = causeOf(resultOf(night, "sync"));
  const ofSteps = night.steps.flatMap((step) => {
    const { name, exit, result } = step;
    if (name === "sync" || exit === undefined || exit === "done" || exit === "gaps" || exit === "stale") return [];
    // What keeps the night from the database keeps every step from it.
    if (exit === "lost" || isNoDatabase(result) || (cause !== undefined && causeOf(result) === cause)) return [];
    const findings = Number(result["findings_count"] ?? 0);
    if (findings > 0) return [`verify found damage: ${plural(findings, "finding")}`];
    return [`${name}: ${causeOf(result) ?? wordsOf(exit)}`];
  });
  return keepTexts([
    totals !== undefined && totals.lost > 0 && `lost for good: ${plural(totals.lost, "answer")} that the node pruned or never gave`,
    ...ofSteps,
    totals?.versions_left && `${plural(totals.versions_left, "older version")} left to other nights`,
    totals?.inexact_changes && `${plural(totals.inexact_changes, "change")} without an exact version`,
    untold > 0 && `${plural(untold, "alert")} not told yet`,
    totals?.watches_dead && `${plural(totals.watches_dead, "watch", "watches")} that can hear nothing (see \`movedex watch list\`)`,
    night.fault,
  ]);
}

function wordsOf(exit: ExitName): string {
  const words: Partial<Record<ExitName, string>> = {
    interrupted: "stopped by SIGINT",
    terminated: "stopped by SIGTERM",
    locked: "another run is at work",
  };
  return words[exit] ?? "failed";
}

/** The command that tells more of the first thing that went wrong. */
function tellsMore(night: EndedNight): string[] {
  const [first] = night.steps.filter(
    ({ exit }) => exit !== undefined && exit !== "done" && exit !== "interrupted" && exit !== "terminated",
  );
  if (first === undefined) return [];
  const { name, exit, result } = first;
  if (exit === "gaps" || exit === "lost") return ["`movedex gaps` says why"];
  if (exit === "corrupt") return [name === "verify" ? "`movedex verify` names it" : "Restore a backup: `movedex restore`"];
  const code = (result["error"] as { readonly code: string } | undefined)?.code ?? "";
  const isOfNode =
    name === "sync" && (exit === "stale" || result["node_failures"] !== undefined || /^MOVEDEX_(?:NODE|STOPPED|SPENT)/.test(code));
  return isOfNode && !causeOf(result)?.includes("movedex doctor") ? ["`movedex doctor` tells more"] : [];
}

function numberTexts(totals: NightTotals, night: EndedNight): string[] {
  const { accounts, accounts_before: before, accounts_passed_over: passedOver, oldest_reading_ms: oldestMs } = totals;
  const { modules_undecoded: undecoded, modules_doubtful: doubtful, gaps, head_age_ms: headMs } = totals;
  return keepTexts([
    night.isFirst && "the first snapshot",
    accounts !== null && (passedOver ? `read ${partText(accounts, passedOver)}` : plural(accounts, "account") + beforeText(before)),
    passedOver && oldestMs !== null && `oldest reading ${formatDuration(oldestMs)}`,
    ...choiceText(totals),
    night.isFirst ? `${plural(Number(resultOf(night, "sync")["modules"] ?? 0), "module")}` : changedText(night),
    undecoded && `${plural(undecoded, "module")} not decodable`,
    doubtful && `${plural(doubtful, "module")} doubtful`,
    gaps !== null && (gaps === 0 ? "no gaps" : plural(gaps, "gap")),
    totals.alerts_told && `${plural(totals.alerts_told, "alert")} told`,
    headMs !== null && `head ${formatDuration(headMs)} old`,
  ]);
}

/** How many modules changed: as tonight's report counts them, where there is one. */
function changedText(night: EndedNight): string | undefined {
  const report = resultOf(night, "report");
  const counts = ["modules_added", "modules_abi_changed", "modules_bytes_changed", "modules_changed_unclear", "modules_removed"];
  const reported = counts.reduce((sum, name) => sum + Number(report[name] ?? Number.NaN), 0);
  const changed = Number.isNaN(reported) ? night.totals?.changed_modules : reported;
  return typeof changed === "number" ? `${plural(changed, "module")} changed` : undefined;
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
