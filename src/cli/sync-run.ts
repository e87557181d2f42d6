import { existsSync } from "node:fs";
import { jsonLog, type Log, plainLog } from "../base/log.ts";
import { databasePath } from "../config.ts";
import { dryRun } from "../crawl/dry-run.ts";
import { Stop } from "../crawl/stop.ts";
import { exitOf, summaryJson } from "../crawl/summary.ts";
import { type SyncRequest, sync } from "../crawl/sync.ts";
import { parseTargetsFile } from "../crawl/targets-file.ts";
import { ConfigError } from "../errors.ts";
import type { ExitName } from "../exit-codes.ts";
import type { Address } from "../move/address.ts";
import type { LedgerNode } from "../node/ledger-node.ts";
import { openStore } from "../store/store.ts";
import type { Io } from "./io.ts";
import { chooseNode, type NodeChoice, openChosenNode } from "./node-options.ts";
import { packageVersion } from "./package-version.ts";
import { progressReport } from "./progress-report.ts";
import type { SyncFlags } from "./sync.ts";
import { dryRunJson, dryRunText, summaryText } from "./sync-text.ts";
import { readTextFile } from "./text-file.ts";
import { type Ended, withNotices } from "./with-notices.ts";

type Run = {
  readonly flags: SyncFlags;
  readonly io: Io;
  readonly log: Log;
  readonly stop: Stop;
  readonly node: LedgerNode;
  readonly choice: NodeChoice;
  readonly path: string;
  readonly request: SyncRequest;
};

/** Runs `sync`: checks what was asked, opens the node's door and the store, and prints what came of it. */
export async function runSync(flags: SyncFlags, io: Io): Promise<ExitName> {
  const path = databasePath(flags.db, io.env);
  const scope = readScope(flags);
  const choice = chooseNode(flags, io);
  const request = { version: flags.ledgerVersion, lag: flags.lag ?? BigInt(choice.pace.lag), scope, crossCheck: flags.crossCheck };
  const log = io.stderrIsTerminal ? plainLog(io.stderr) : jsonLog(io.stderr, io.clock.now);
  const stop = new Stop(io.clock);
  const unlisten = io.onStopSignal((signal) => {
    if (stop.reason === undefined) log("warn", `${signal}: finishing the accounts in hand; once more stops at once`);
    stop.request(signal);
  });
  const node = await openChosenNode(choice, flags, io, log);
  try {
    const run = { flags, io, log, stop, node, choice, path, request };
    if (flags.dryRun) return await planNight(run);
    return await withNotices({ io, log, flags, command: "sync", database: path }, () => readNight(run));
  } finally {
    stop.close();
    unlisten();
    await node.close();
  }
}

async function planNight({ flags, io, node, path, request, choice, stop }: Run): Promise<ExitName> {
  const store = existsSync(path) ? openStore(path, { mode: "read", now: io.clock.now }) : undefined;
  try {
    const plan = await dryRun({ node, store, nowMs: io.clock.now(), signal: stop.signal }, request, choice.pace.rate);
    await io.stdout(flags.json ? `${JSON.stringify(dryRunJson(plan))}\n` : dryRunText(plan));
    return "done";
  } finally {
    store?.close();
  }
}

async function readNight(run: Run): Promise<Ended> {
  const { flags, io, log, stop, node, choice, path, request } = run;
  const store = openStore(path, { mode: "write", now: io.clock.now, appVersion: packageVersion() });
  const report = progressReport(io, log);
  endAfter(run);
  try {
    const { concurrency } = choice.pace;
    const work = {
      store,
      node,
      clock: io.clock,
      stop,
      concurrency,
      pageSize: flags.pageSize,
      report: report.show,
      log,
      appVersion: packageVersion(),
    };
    const summaries = await sync(work, request);
    report.end();
    for (const summary of summaries) {
      await io.stdout(flags.json ? `${JSON.stringify(summaryJson(summary))}\n` : summaryText(summary, path));
    }
    return { exit: exitOf(summaries), summary: { snapshots: summaries.map(summaryJson) } };
  } finally {
    report.end();
    store.close();
  }
}

/** Ends the run well once `--max-duration` is over. */
function endAfter({ flags, io, stop }: Run): void {
  if (flags.maxDuration === undefined) return;
  io.clock.sleep(flags.maxDuration, stop.signal).then(
    () => stop.request("budget"),
    () => undefined,
  );
}

/** The accounts named on the command line, or undefined when none are. */
function readScope(flags: SyncFlags): Address[] | undefined {
  if (flags.account === undefined && flags.targets === undefined) return undefined;
  const fromFile = flags.targets === undefined ? [] : parseTargetsFile(readTextFile(flags.targets, "targets file"), flags.targets);
  const scope = [...new Set([...(flags.account ?? []), ...fromFile])];
  if (scope.length === 0)
    throw new ConfigError(`the targets file \`${flags.targets}\` names no account, and no --account was given: there is nothing to read.`);
  return scope;
}
