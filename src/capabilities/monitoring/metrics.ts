import { readdirSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { Hooks, Metric } from "../../core/cli/hooks.ts";
import type { AgeFlags } from "../../core/cli/options/declared-command.ts";
import { readIfAble } from "../../core/cli/store-access.ts";
import { type LoadChooser, lastOutlook } from "../../core/crawl/targets/choice.ts";
import { type SnapshotCounts, sealedAmong, statusQueries, unfinishedAmong } from "../../core/db/archive/read/status-queries.ts";
import { snapshotQueries } from "../../core/db/archive/snapshots/snapshot-queries.ts";
import type { Engine } from "../../core/db/engine/engine.ts";
import { type ExitName, exitCodes, stoppedByUser } from "../../core/exit-codes.ts";
import { type RunRecord, runQueries } from "../../core/work/runs/runs.ts";
import { storedForecasts } from "../horizon/horizon-forecast.ts";
import { metricsOf, withLabels } from "./exposition.ts";

/** A run that has ended. Moments in milliseconds since 1970. */
export type EndedRun = {
  readonly command: string;
  readonly startedMs: number;
  readonly finishedMs: number;
  readonly durationMs: number;
  readonly exit: ExitName;
};

/** How many runs back the last good one is looked for. */
const RUNS_BACK = 1000;

/** How long another's lock is waited for, also by a run whose time is over. */
const WAIT = { lockTimeoutMs: 750 } as const;
/** What a run that was stopped still gives a database that is slow. */
const STOPPED_WAIT = { lockTimeoutMs: 50, statementTimeoutMs: 250 } as const;
const STOPPED_MS = 500;

/**
 * Metrics of the run, of the database's contents and of the time left until the node prunes them. Those of a database that cannot be read
 * stay as the file has them: a series that goes away alarms nobody. Each has labels with the archive's name and its chain, so that one host
 * can have several. `before` is what the file held: what it has of other archives stays.
 */
export async function readMetrics(
  path: string,
  run: EndedRun,
  { archive, before, ...asked }: Asked & { readonly archive: string; readonly before: string },
): Promise<Metric[]> {
  // A database that was locked for all of a run's time may still be.
  const isStopped = run.exit === "locked" || stoppedByUser.includes(run.exit);
  const read = (engine: Engine) => readHeld(engine, run.finishedMs, asked);
  const reading = readIfAble(path, read, isStopped ? STOPPED_WAIT : WAIT);
  // The process of a run that was stopped ends with it, whatever a server still owes.
  const held = await (isStopped ? Promise.race([reading, setTimeout(STOPPED_MS, undefined, { ref: false })]) : reading);
  const stored = metricsByArchive(before);
  const ownBefore = stored.get(archive) ?? [];
  // A database that cannot be read for the moment has not changed its chain.
  const chainId = held?.holdings.chainId ?? ownBefore[0]?.values[0]?.labels?.["chain_id"];
  const labels = { ...(chainId !== undefined && { chain_id: `${chainId}` }), archive };
  const others = [...stored].flatMap(([name, metrics]) => (name === "" || name === archive ? [] : metrics));
  const kept = held === undefined ? ownBefore.filter(({ name }) => !name.startsWith("movedex_run_")) : [];
  return joinMetrics([...others, ...metricsOfRun(run, held).map((metric) => withLabels(metric, labels)), ...kept]);
}

const FILE_BYTES_MAX = 8_000_000;

/** What stands in the place of a file of metrics; nothing where that is longer than any, or can not be read. */
export function textBefore(path: string): string {
  try {
    const { size } = statSync(path);
    return size > 0 && size <= FILE_BYTES_MAX ? readFileSync(path, "utf8") : "";
  } catch {
    return "";
  }
}

const SERIES = /^(movedex_\w+)\{((?:\w+="(?:[^"\\]|\\.)*",?)+)\} (\S+)$/;
const LABEL = /(\w+)="((?:[^"\\]|\\.)*)"/g;

/** Another file beside a file of metrics that has series of the same archive, or of another one of its name: a collector refuses both. */
export function fileOfSameSeries(path: string, archive: string): string | undefined {
  const isOfSame = (name: string): boolean => metricsByArchive(textBefore(join(dirname(path), name))).has(archive);
  try {
    return readdirSync(dirname(path)).find((name) => name.endsWith(".prom") && name !== basename(path) && isOfSame(name));
  } catch {
    // A folder that may be written and not listed.
    return undefined;
  }
}

/** What a file of metrics has, as this program writes it, by archive: each series once, since a collector refuses one that comes twice. */
function metricsByArchive(text: string): Map<string, Metric[]> {
  const lines = text.split("\n");
  const helps = new Map(lines.flatMap((line) => [/^# HELP (\S+) (.*)$/.exec(line)?.slice(1) ?? []]) as [string, string][]);
  const found = lines.flatMap((line): [string, Metric][] => {
    const [, name = "", list = "", value] = SERIES.exec(line) ?? [];
    const labels = Object.fromEntries(Array.from(list.matchAll(LABEL), ([, key = "", said = ""]) => [key, unescaped(said)]));
    const metric = { name, help: helps.get(name) ?? "", values: [{ labels, value: Number(value) }] };
    return value === undefined ? [] : [[name + JSON.stringify(Object.entries(labels).sort()), metric]];
  });
  return Map.groupBy(new Map(found).values(), ({ values }) => values[0]?.labels?.["archive"] ?? "");
}

const unescaped = (text: string): string => text.replaceAll(/\\(.)/gs, (_, letter: string) => (letter === "n" ? "\n" : letter));

/** One metric of each name, with the values of all: a file names each once. */
function joinMetrics(metrics: readonly Metric[]): Metric[] {
  const byName = Map.groupBy(metrics, ({ name }) => name);
  return Array.from(byName.values(), (same) => ({ ...(same[0] as Metric), values: same.flatMap(({ values }) => values) }));
}

function metricsOfRun(run: EndedRun, held: Held | undefined): Metric[] {
  if (held === undefined) return runMetrics(run);
  return [...runMetrics(run), ...heldMetrics(held), ...nodeMetrics(held, run.finishedMs), ...unfinishedMetrics(held)];
}

type Held = Awaited<ReturnType<typeof readHeld>>;

type Asked = AgeFlags & { readonly chooser: LoadChooser | undefined; readonly hooks: readonly Hooks[] };

async function readHeld(engine: Engine, nowMs: number, { maxAge, chooser, hooks }: Asked) {
  const snapshots = await statusQueries(engine).listSnapshots();
  const [newest] = sealedAmong(snapshots);
  return {
    snapshots,
    newest,
    outlook: await lastOutlook(chooser, engine, newest, { maxAgeMs: maxAge }),
    holdings: await statusQueries(engine).holdings(),
    runs: (await runQueries(engine).listRuns(RUNS_BACK)).filter(({ command, finishedAt }) => command === "sync" && finishedAt !== null),
    ofCapabilities: (await Promise.all(hooks.map(async ({ metrics }) => (await metrics?.())?.(engine) ?? []))).flat(),
    reasons: [...(await statusQueries(engine).gapReasons())],
    forecasts: await storedForecasts(engine, nowMs),
    unfinished: await snapshotQueries(engine).unfinishedSnapshots(),
  };
}

function unfinishedMetrics({ snapshots }: Held): Metric[] {
  const perSnapshot = metricsOf("movedex_unfinished", unfinishedAmong(snapshots), ({ ledgerVersion }) => ({
    ledger_version: `${ledgerVersion}`,
  }));
  return [
    perSnapshot("accounts_planned", "Accounts of a snapshot that is not finished.", ({ planned }) => planned),
    perSnapshot("accounts_left", "Accounts of it that are still to be read.", ({ left }) => left),
  ];
}

function runMetrics({ command, startedMs, finishedMs, durationMs, exit }: EndedRun): Metric[] {
  const { code } = exitCodes[exit];
  const perRun = metricsOf("movedex_run", [command], () => ({ command }));
  return [
    perRun("start_time_seconds", "Unix time when the run began.", () => startedMs / 1000),
    perRun("end_time_seconds", "Unix time when the run ended.", () => finishedMs / 1000),
    perRun("duration_seconds", "How long the run took.", () => durationMs / 1000),
    perRun("exit_code", "The run's exit code.", () => code),
    perRun("success", "1 when the exit code is 0, else 0.", () => (code === 0 ? 1 : 0)),
  ];
}

function heldMetrics({ holdings, snapshots, newest, outlook, runs, ofCapabilities, reasons }: Held): Metric[] {
  const gauge = (name: string, help: string, value: number | undefined): Metric => ({
    name: `movedex_${name}`,
    help,
    values: [{ value }],
  });
  const perReason = metricsOf("movedex", reasons, ([reason]) => ({ reason }));
  const good = runs.find((run) => snapshots.some((snapshot) => isSealedIn(snapshot, run)));
  return [
    gauge("last_good_sync_time_seconds", "Unix time of the last sync that sealed a snapshot.", seconds(good?.finishedAt)),
    gauge("sync_requests", "Requests of the latest sync.", runs[0]?.requests ?? undefined),
    gauge("sync_retries", "Retries of the latest sync.", runs[0]?.retries ?? undefined),
    gauge("sync_received_bytes", "Bytes received by the latest sync.", runs[0]?.bytesReceived ?? undefined),
    gauge("snapshots", "Sealed snapshots.", holdings.snapshots),
    gauge("snapshots_unfinished", "Snapshots begun and not sealed.", snapshots.filter(({ status }) => status === "unsealed").length),
    gauge("newest_snapshot_version", "Ledger version of the newest sealed snapshot.", newest && Number(newest.ledgerVersion)),
    gauge("newest_snapshot_sealed_time_seconds", "Unix time when the newest snapshot was sealed.", seconds(newest?.sealedAt)),
    gauge("newest_snapshot_accounts", "Accounts that answered in it.", newest?.accounts),
    gauge("newest_snapshot_modules", "Their modules.", newest?.modules),
    gauge("newest_snapshot_gaps", "Accounts that did not answer in it.", newest?.gaps),
    perReason("gaps", "Accounts without an answer in all snapshots, by reason.", ([, count]) => count),
    gauge("targets", "Accounts on the list.", holdings.targets),
    gauge("bytecodes", "Distinct bytecodes.", holdings.bytecodes),
    gauge("bytecodes_undecoded", "Those that this movedex could not decode.", holdings.undecodedBytecodes),
    gauge("newest_snapshot_passed_over", "Accounts that its budget left to other nights.", newest?.passedOver ?? undefined),
    gauge(
      "greatest_age_seconds",
      "The greatest age that the newest reading of an account reaches at the budget of the newest snapshot.",
      outlook && outlook.ageMs / 1000,
    ),
    gauge("greatest_age_wanted_seconds", "The greatest age wanted (--max-age).", outlook && outlook.wantedAgeMs / 1000),
    ...ofCapabilities,
    gauge("database_bytes", "Size of the database file, its log not counted.", holdings.fileBytes),
  ];
}

/**
 * Whether a snapshot was sealed in the time of a run, however that ended. Where the clock was set meanwhile, it is by the run's version:
 * of one that it found sealed it counts no account.
 */
function isSealedIn({ ledgerVersion, sealedAt }: SnapshotCounts, run: RunRecord): boolean {
  const { startedAt, finishedAt } = run;
  if (sealedAt === null || finishedAt === null) return false;
  if (startedAt <= sealedAt && sealedAt <= finishedAt) return true;
  const isRead = ledgerVersion === run.ledgerVersion && (run.accounts ?? 0) + (run.gaps ?? 0) > 0;
  return isRead && (finishedAt < sealedAt || finishedAt < startedAt);
}

function nodeMetrics({ forecasts: nodes, unfinished }: Held, nowMs: number): Metric[] {
  const perNode = metricsOf("movedex_node", nodes, ({ node }) => ({ node }));
  const left = unfinished.flatMap(({ ledgerVersion }) => nodes[0]?.leftMs(ledgerVersion, nowMs)?.worst ?? []);
  return [
    perNode("head_version", "The node's newest version in its last answer.", ({ latest }) => Number(latest.headVersion)),
    perNode("oldest_version", "The node's oldest readable version in its last answer.", ({ latest }) => Number(latest.oldestVersion)),
    perNode("heard_time_seconds", "Unix time of the node's last answer.", ({ latest }) => latest.sampledAt / 1000),
    perNode("horizon_versions_per_second", "How fast the node's oldest readable version rises.", ({ speed }) => speed),
    {
      name: "movedex_unfinished_left_seconds",
      help: "How long the most endangered unfinished snapshot can still be read, at worst.",
      // Without one it is infinite, and left out.
      values: [{ value: Math.min(...left) / 1000 }],
    },
  ];
}

function seconds(ms: number | null | undefined): number | undefined {
  return ms === null || ms === undefined ? undefined : ms / 1000;
}
