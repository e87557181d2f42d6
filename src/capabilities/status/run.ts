import { formatBytes, grouped, keepTexts, plural } from "../../core/base/plural.ts";
import { hangingText, printable } from "../../core/base/printable.ts";
import {
  all,
  from,
  list,
  named,
  number,
  object,
  orNull,
  perhaps,
  second,
  sha256,
  text,
  time,
  version,
  whole,
  within,
} from "../../core/base/result.ts";
import { aboutTime, DAY_MS, formatDuration } from "../../core/base/time.ts";
import { agesText, outlookText, readOfTotal } from "../../core/cli/commands/sync/text.ts";
import { dataWidth, type Io, MAKES_ROWS } from "../../core/cli/io.ts";
import type { AgeFlags, DatabaseFlags } from "../../core/cli/options/declared-command.ts";
import { jsonLine } from "../../core/cli/output/json-line.ts";
import { madeAt, outlook, snapshotStatus } from "../../core/cli/output/result-fields.ts";
import { lastOutlook } from "../../core/crawl/targets/choice.ts";
import { frameworkAccounts, type ReadingAges, readingAges } from "../../core/crawl/targets/targets.ts";
import { type SnapshotCounts, sealedAmong, statusQueries, unfinishedAmong } from "../../core/db/archive/read/status-queries.ts";
import { versionsOf } from "../../core/db/engine/row-shape.ts";
import { sql } from "../../core/db/schema/sql/sql.ts";
import { exitCodes } from "../../core/exit-codes.ts";
import { type RunRecord, runQueries } from "../../core/work/runs/runs.ts";
import { openStore } from "../../core/work/store.ts";
import { type Estimate, type HorizonForecast, storedForecasts } from "../horizon/horizon-forecast.ts";

const notRead = sql`SELECT ledger_version FROM _backfill_points WHERE state IN ('planned', 'refused') ORDER BY ledger_version`;

const snapshot = {
  ledger_version: version,
  status: snapshotStatus,
  created_at: time,
  sealed_at: orNull(time),
  accounts_planned: from("planned", whole),
  accounts_left: from("left", whole),
  ...all(whole, "accounts", "modules", "changed_modules", "gaps"),
  accounts_passed_over: from("passedOver", orNull(whole)),
  records_unread: from("unreadRecords", whole),
  digest: orNull(sha256),
  ...madeAt,
};

const unfinished = object({
  ...within("snapshot", snapshot),
  left_ms: from("left.expected", orNull(whole)),
  left_ms_at_worst: from("left.worst", orNull(whole)),
});

const run = object({
  id: whole,
  ...all(text, "command", "app_version"),
  exit: orNull(text),
  ledger_version: orNull(version),
  ...all(orNull(whole), "requests", "retries", "bytes_received", "accounts", "modules", "new_bytecodes", "gaps"),
  started_at: time,
  finished_at: orNull(time),
});

const node = object({
  node: text,
  ...within("latest", { sampled_at: time, head_version: version }),
  oldest_version: from("oldest", version),
  horizon_versions_per_second: from("speed", orNull(number)),
  gone_in_a_day_below: from("gone.expected", orNull(version)),
  gone_in_a_day_below_at_worst: from("gone.worst", orNull(version)),
});

export const statusResult = object({
  database: from("path", text),
  ...within("holdings", {
    database_bytes: from("fileBytes", whole),
    chain_id: orNull(whole),
    snapshots: whole,
    oldest_version: from("oldestSnapshot", orNull(version)),
    newest_version: from("newestSnapshot", orNull(version)),
    ...all(whole, "accounts", "targets"),
  }),
  targets_never_read: from("ages.neverRead", orNull(whole)),
  oldest_reading_ms: from("ages.oldestMs", orNull(whole)),
  median_reading_ms: from("ages.medianMs", orNull(whole)),
  ...perhaps("outlook", outlook),
  ...within("holdings", {
    bytecodes: whole,
    bytecodes_undecoded: from("undecodedBytecodes", whole),
    bytecodes_underived: from("underivedBytecodes", whole),
    ...all(whole, "bytecode_bytes", "abis", "functions", "structs", "gaps"),
  }),
  gap_reasons: from("gaps", named(whole)),
  newest_snapshot: from("newest", orNull(object(snapshot))),
  unfinished: from(unfinishedOf, list(unfinished)),
  backfill_wanted: from("wanted", list(version)),
  last_run: orNull(run),
  nodes: from(({ forecasts, nowMs }: Status) => forecasts.map((one) => ({ ...one, gone: one.prunedBy(nowMs + DAY_MS) })), list(node)),
});

function unfinishedOf({ unfinished, forecasts: [forecast], nowMs }: Status) {
  return unfinished.map((snapshot) => ({ snapshot, left: forecast?.leftMs(snapshot.ledgerVersion, nowMs) }));
}

/** The status in words: a subject and a sentence each, in lines of at most `width` characters. */
function statusText(status: Status, width: number): string {
  const { path, holdings, newest, unfinished, ages, outlook, gaps, wanted, lastRun, forecasts, nowMs } = status;
  const chain = holdings.chainId === null ? "no chain yet" : `chain ${holdings.chainId}`;
  const sentences: [subject: string, text: string | false | undefined][] = [
    ["database", `${path}, ${chain}, ${formatBytes(holdings.fileBytes)}`],
    ["held", heldText(status)],
    [
      "to come",
      holdings.underivedBytecodes > 0 &&
        `the rows of ${plural(holdings.underivedBytecodes, "bytecode")}, not made yet, so the views do not show their contents. ${MAKES_ROWS}`,
    ],
    ["newest", newest && snapshotText(newest)],
    ["missing", gapText(gaps)],
    ...unfinished.map((snapshot): [string, string] => ["unfinished", unfinishedText(snapshot, forecasts[0], nowMs)]),
    ["backfill", wanted.length > 0 && backfillText(status)],
    [
      "targets",
      holdings.targets === 0
        ? `none on the list: movedex reads the framework accounts ${frameworkAccounts.join(", ")}`
        : `${plural(holdings.targets, "account")} on the list`,
    ],
    ["readings", ages !== undefined && ages.targets > 0 && readingText(ages, newest)],
    ["budget", outlook && outlookText(outlook)],
    ["last run", lastRun === undefined ? "none yet" : runText(lastRun)],
    ["horizon", forecasts.length === 0 && "unknown: no node has been asked yet"],
    ...forecasts.map((forecast): [string, string] => ["horizon", horizonText(forecast, nowMs)]),
  ];
  return sentences
    .flatMap(([subject, text]) => (text ? `${hangingText(`${subject.padEnd(10)}  `, printable(text, 2000), width)}\n` : []))
    .join("");
}

function heldText({ holdings, unfinished }: Status): string {
  const { snapshots, oldestSnapshot, newestSnapshot, accounts, bytecodes, bytecodeBytes, undecodedBytecodes } = holdings;
  if (snapshots === 0)
    return unfinished.length === 0
      ? "no sealed snapshot yet; `movedex sync` makes the first"
      : "no sealed snapshot yet: the first is not finished, and until it is sealed the views are empty; `movedex sync` continues it";
  const stretch = snapshots === 1 ? `at ledger version ${newestSnapshot}` : `from ledger version ${oldestSnapshot} to ${newestSnapshot}`;
  const undecoded = undecodedBytecodes === 0 ? "" : `, ${undecodedBytecodes} of them not decodable by this movedex`;
  return `${plural(snapshots, "sealed snapshot")} ${stretch}: ${plural(accounts, "account")}, ${plural(bytecodes, "bytecode")} (${formatBytes(bytecodeBytes)} plain${undecoded})`;
}

function snapshotText({ ledgerVersion, ledgerTime, ledgerTimeErrorMs, sealedAt, accounts, modules, gaps, digest }: SnapshotCounts): string {
  const made = aboutTime(ledgerTime, ledgerTimeErrorMs);
  const about = keepTexts([
    `ledger version ${ledgerVersion}`,
    made && `made ${made}`,
    sealedAt !== null && `sealed ${second.print(sealedAt)}`,
  ]);
  const counts = keepTexts([plural(accounts, "account"), plural(modules, "module"), gaps > 0 && plural(gaps, "gap")]);
  return `${about.join(", ")}: ${counts.join(", ")}; digest ${digest}`;
}

function gapText(gaps: Status["gaps"]): string {
  if (gaps.size === 0) return "nothing: no gaps";
  return `${[...gaps].map(([reason, count]) => `${plural(count, "gap")} (${reason})`).join(", ")}; \`movedex query "SELECT * FROM gaps"\` names them`;
}

function unfinishedText(snapshot: SnapshotCounts, forecast: HorizonForecast | undefined, nowMs: number): string {
  const progress = `ledger version ${snapshot.ledgerVersion}: ${readOfTotal(snapshot.accounts, 0, snapshot.planned - snapshot.accounts)}, begun ${second.print(snapshot.createdAt)}`;
  const left = forecast?.leftMs(snapshot.ledgerVersion, nowMs);
  if (left?.expected === 0) return `${progress}; its pin is pruned, the next \`sync\` seals what was read`;
  if (left === undefined || !Number.isFinite(left.expected)) return `${progress}; the next \`sync\` continues it`;
  return `${progress}; the node prunes its version ${leftText(left)}, the next \`sync\` continues it`;
}

function backfillText({ wanted, forecasts: [forecast], nowMs }: Status): string {
  const oldest = wanted[0] as bigint;
  const left = forecast?.leftMs(oldest, nowMs);
  const pruned = wanted.filter((version) => forecast?.leftMs(version, nowMs)?.expected === 0).length;
  const when =
    pruned > 0
      ? `; ${pruned} of them pruned and lost`
      : left === undefined || !Number.isFinite(left.expected)
        ? ""
        : `; the oldest, ${oldest}, is pruned ${leftText(left)}`;
  return `${plural(wanted.length, "older version")} asked for and not read${when}; \`movedex backfill\` continues`;
}

function leftText({ expected, worst }: Estimate<number>): string {
  return `in about ${formatDuration(expected)} (at worst in ${formatDuration(worst)})`;
}

function readingText(ages: ReadingAges, newest: SnapshotCounts | undefined): string {
  const { passedOver, unreadRecords } = newest ?? {};
  return keepTexts([
    ...agesText(ages),
    passedOver && `${plural(passedOver, "account")} not read in the newest snapshot, by choice of its budget`,
    unreadRecords && `${plural(unreadRecords, "account")} read there without the record`,
  ]).join(", ");
}

function runText({ command, startedAt, finishedAt, exit, requests }: RunRecord): string {
  // What ended with 0 may have stopped at its budget.
  const ended = exit === "done" ? "ended with exit code 0" : exit === "lost" ? exitCodes.lost.meaning : exit;
  const end = finishedAt === null ? "still running, or killed" : `${ended}, ${plural(requests ?? 0, "request")}`;
  return `${command}, begun ${second.print(startedAt)}: ${end}`;
}

function horizonText({ node, oldest, latest, speed, sampledMs, prunedBy, isPast }: HorizonForecast, nowMs: number): string {
  const seen = `${node}: versions ${oldest} to ${latest.headVersion} readable ${formatDuration(nowMs - latest.sampledAt)} ago`;
  const gone = prunedBy(nowMs + DAY_MS);
  if (speed === undefined || gone === undefined) return `${seen}; how fast the horizon rises shows after two runs a minute apart`;
  if (speed === 0) return `${seen}; the horizon has not moved in ${formatDuration(sampledMs)}`;
  if (isPast(nowMs)) return `${seen}; it rose ${speed.toFixed(1)} versions/s, so all of these are pruned by now`;
  const worst = gone.worst > gone.expected ? `, at worst all below ${grouped(gone.worst)}` : "";
  return (
    `${seen}; it rises ${speed.toFixed(1)} versions/s; ` +
    `versions below ${grouped(gone.expected)} are gone by ${second.print(nowMs + DAY_MS)}${worst}`
  );
}

export async function runStatus(io: Io, flags: AgeFlags & DatabaseFlags): Promise<void> {
  const status = await readStatus(io, flags);
  await io.stdout(flags.json ? jsonLine(statusResult.print(status)) : statusText(status, dataWidth(io)));
}

type Status = Awaited<ReturnType<typeof readStatus>>;

async function readStatus({ clock, chooseTargets }: Io, { db: path, maxAge }: AgeFlags & DatabaseFlags) {
  const nowMs = clock.now();
  await using store = await openStore(path, { mode: "read" });
  const { engine } = store;
  const { listSnapshots, holdings, gapReasons } = statusQueries(engine);
  const snapshots = await listSnapshots();
  const newest = sealedAmong(snapshots)[0];
  const head = await runQueries(engine).newestHead();
  return {
    path,
    nowMs,
    holdings: await holdings(),
    newest,
    unfinished: unfinishedAmong(snapshots),
    /** Versions that backfill was asked for and that are neither read nor inferred nor lost yet, oldest first. */
    wanted: await versionsOf(engine, notRead),
    /** How old what is known of the targets is; undefined before a node was asked. */
    ages: head && (await readingAges(engine, head, nowMs)),
    /** What nights come to that read as much as the newest snapshot; undefined where it left nothing out. */
    outlook: await lastOutlook(chooseTargets, engine, newest, { maxAgeMs: maxAge }),
    gaps: await gapReasons(),
    lastRun: (await runQueries(engine).listRuns(1))[0],
    forecasts: await storedForecasts(engine, nowMs),
  };
}
