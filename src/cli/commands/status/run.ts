import type { SnapshotCounts } from "../../../archive/read/status-queries.ts";
import { formatBytes, keepTexts, plural } from "../../../base/plural.ts";
import { hangingText, printable } from "../../../base/printable.ts";
import { aboutTime, formatDuration } from "../../../base/time.ts";
import type { Estimate, HorizonForecast } from "../../../crawl/horizon/horizon-forecast.ts";
import type { ReadingAges } from "../../../crawl/night/reading-ages.ts";
import { frameworkAccounts } from "../../../crawl/targets/targets.ts";
import { dataWidth, type Io, MAKES_ROWS } from "../../io.ts";
import type { AgeFlags, DatabaseFlags } from "../../options/shared-flags.ts";
import { jsonLine } from "../../output/json-line.ts";
import { isoTime } from "../../output/list.ts";
import { agesText, outlookLines } from "../sync/text.ts";
import { readStatus, type Status } from "./read-status.ts";
import { statusResult } from "./result.ts";

/** How far ahead the horizon is foretold. */
const DAY_MS = 86_400_000;

/** The status in words: a subject and a sentence each, in lines of at most `width` characters. */
export function statusText(status: Status, width: number): string {
  const { holdings, newest, unfinished, ages, outlook, forecasts, nowMs } = status;
  const sentences: [subject: string, text: string | false | undefined][] = [
    ["database", databaseText(status)],
    ["held", heldText(status)],
    ["to come", holdings.underivedBytecodes > 0 && underivedText(holdings.underivedBytecodes)],
    ["newest", newest && snapshotText(newest)],
    ["missing", gapText(status)],
    ...unfinished.map((snapshot): [string, string] => [
      status.urgent.has(snapshot.ledgerVersion) ? "URGENT" : "unfinished",
      unfinishedText(snapshot, forecasts[0], nowMs),
    ]),
    ["backfill", status.wanted.length > 0 && backfillText(status)],
    ["targets", targetText(holdings.targets)],
    ["readings", ages !== undefined && ages.targets > 0 && readingText(ages, newest)],
    ...(outlook === undefined ? [] : outlookLines(outlook)).map((line): [string, string] => ["budget", line]),
    ["last run", runText(status)],
    ["horizon", forecasts.length === 0 && "unknown: no node has been asked yet"],
    ...forecasts.map((forecast): [string, string] => ["horizon", horizonText(forecast, nowMs)]),
  ];
  return sentences
    .flatMap(([subject, text]) => (text ? `${hangingText(`${subject.padEnd(10)}  `, printable(text, 2000), width)}\n` : []))
    .join("");
}

function databaseText({ path, holdings }: Status): string {
  return `${path}, ${holdings.chainId === null ? "no chain yet" : `chain ${holdings.chainId}`}, ${formatBytes(holdings.fileBytes)}`;
}

function heldText({ holdings, unfinished: [first] }: Status): string {
  if (holdings.snapshots === 0 && first !== undefined)
    return `no sealed snapshot yet: the first is not finished, and until it is sealed the views are empty; \`movedex sync\` continues it`;
  if (holdings.snapshots === 0) return "no sealed snapshot yet; `movedex sync` makes the first";
  const span =
    holdings.snapshots === 1
      ? `at ledger version ${holdings.newestSnapshot}`
      : `from ledger version ${holdings.oldestSnapshot} to ${holdings.newestSnapshot}`;
  const undecoded = holdings.undecodedBytecodes === 0 ? "" : `, ${holdings.undecodedBytecodes} of them not decodable by this movedex`;
  return `${plural(holdings.snapshots, "sealed snapshot")} ${span}: ${plural(holdings.accounts, "account")}, ${plural(holdings.bytecodes, "bytecode")} (${formatBytes(holdings.bytecodeBytes)} plain${undecoded})`;
}

function underivedText(count: number): string {
  return `the rows of ${plural(count, "bytecode")}, not made yet, so the views do not show their contents. ${MAKES_ROWS}`;
}

function snapshotText(snapshot: SnapshotCounts): string {
  const sealed = snapshot.sealedAt === null ? "" : `, sealed ${isoTime(snapshot.sealedAt)}`;
  const gaps = snapshot.gaps === 0 ? "" : `, ${plural(snapshot.gaps, "gap")}`;
  const made = aboutTime(snapshot.ledgerTime, snapshot.ledgerTimeErrorMs);
  return `ledger version ${snapshot.ledgerVersion}${made === undefined ? "" : `, made ${made}`}${sealed}: ${plural(snapshot.accounts, "account")}, ${plural(snapshot.modules, "module")}${gaps}; digest ${snapshot.digest}`;
}

function gapText({ gaps }: Status): string {
  if (gaps.size === 0) return "nothing: no gaps";
  return `${[...gaps].map(([reason, count]) => `${plural(count, "gap")} (${reason})`).join(", ")}; \`movedex query "SELECT * FROM gaps"\` names them`;
}

function unfinishedText(snapshot: SnapshotCounts, forecast: HorizonForecast | undefined, nowMs: number): string {
  const progress = `ledger version ${snapshot.ledgerVersion}: ${snapshot.accounts} of ${snapshot.planned} accounts read, begun ${isoTime(snapshot.createdAt)}`;
  const left = forecast?.leftMs(snapshot.ledgerVersion, nowMs);
  if (left?.expected === 0) return `${progress}; its pin is pruned, the next \`sync\` seals what was read`;
  if (left === undefined || !Number.isFinite(left.expected)) return `${progress}; the next \`sync\` continues it`;
  return `${progress}; the node prunes its version ${leftText(left)}, the next \`sync\` continues it`;
}

function backfillText({ wanted, forecasts: [forecast], nowMs }: Status): string {
  const oldest = wanted[0] as bigint;
  const left = forecast?.leftMs(oldest, nowMs);
  const count = `${plural(wanted.length, "older version")} asked for and not read`;
  if (left === undefined || !Number.isFinite(left.expected)) return `${count}; \`movedex backfill\` continues`;
  const pruned = wanted.filter((version) => forecast?.leftMs(version, nowMs)?.expected === 0).length;
  if (pruned > 0)
    return `${count}; ${pruned} of them are pruned and lost, which the next \`movedex backfill\` records; it continues with the rest`;
  return `${count}; the oldest, ${oldest}, is pruned ${leftText(left)}; \`movedex backfill\` continues`;
}

/** When a version is pruned, from now on. */
function leftText({ expected, worst }: Estimate<number>): string {
  return `in about ${formatDuration(expected)} (at worst in ${formatDuration(worst)})`;
}

function targetText(count: number): string {
  return count === 0
    ? `none on the list: movedex reads the framework accounts ${frameworkAccounts.join(", ")}`
    : `${plural(count, "account")} on the list`;
}

function readingText(ages: ReadingAges, newest: SnapshotCounts | undefined): string {
  const { passedOver, unreadRecords } = newest ?? {};
  return keepTexts([
    ...agesText(ages),
    passedOver && `${plural(passedOver, "account")} not read in the newest snapshot, by choice of its budget`,
    unreadRecords && `${plural(unreadRecords, "account")} read there without the record`,
  ]).join(", ");
}

function runText({ lastRun }: Status): string {
  if (lastRun === undefined) return "none yet";
  const begun = `${lastRun.command}, begun ${isoTime(lastRun.startedAt)}`;
  return lastRun.finishedAt === null
    ? `${begun}: still running, or killed`
    : `${begun}: ${lastRun.exit}, ${plural(lastRun.requests ?? 0, "request")}`;
}

function horizonText({ node, lowest, oldest, latest, speed, sampledMs, prunedBy }: HorizonForecast, nowMs: number): string {
  const behind = lowest < oldest ? " (nodes with different windows answer there; the shortest counts)" : "";
  const seen = `${node}${behind}: versions ${oldest} to ${latest.headVersion} readable ${formatDuration(nowMs - latest.sampledAt)} ago`;
  const gone = prunedBy(nowMs + DAY_MS);
  if (speed === undefined || gone === undefined)
    return `${seen}; how fast the horizon rises is not known yet; two runs a minute apart show it`;
  if (speed === 0) return `${seen}; the horizon has not moved in ${formatDuration(sampledMs)}`;
  const worst = gone.worst > gone.expected ? `, at worst all below ${gone.worst.toLocaleString("en-US")}` : "";
  return (
    `${seen}; it rises ${speed.toFixed(1)} versions/s; ` +
    `versions below ${gone.expected.toLocaleString("en-US")} are gone by ${isoTime(nowMs + DAY_MS)}${worst}`
  );
}

export async function runStatus(io: Io, flags: AgeFlags & DatabaseFlags): Promise<void> {
  const status = await readStatus(flags.db, flags, io.clock.now());
  await io.stdout(flags.json ? jsonLine(statusResult.print(status)) : statusText(status, dataWidth(io)));
}
