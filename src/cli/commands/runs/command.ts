import { dataWidth, type Io } from "../../io.ts";
import { MovedexCommand } from "../../movedex-command.ts";
import { wholeNumber } from "../../options/options.ts";
import { isForPrograms, type ListOutput, listText } from "../../output/rows.ts";
import { isoTime, ledgerTimeJson } from "../../output/times.ts";

type RunsFlags = ListOutput & { readonly db: string; readonly limit: number };

export function runsCommand(): MovedexCommand {
  return new MovedexCommand("runs")
    .summary("list the runs and their cost")
    .description("List the runs of sync, backfill and trace, newest first: time, outcome and cost. Sends no request.")
    .option("--limit <n>", "print at most n runs", wholeNumber(1, 1_000_000), 20)
    .listFormats()
    .database()
    .examples("runs --db night.db")
    .runs(({ io }, flags: RunsFlags) => printRuns(io, flags));
}

const TABLE = ["started_at", "command", "exit", "seconds", "ledger_version", "requests", "accounts", "gaps"];
/** The names of the view `run_history`, and when the ledger made the version that was read. */
const JSON_KEYS = TABLE.with(3, "finished_at").concat(
  ["app_version", "retries", "bytes_received", "modules", "new_bytecodes"],
  ["ledger_time", "ledger_time_error_ms"],
);

async function printRuns(io: Io, { db, limit, ...output }: RunsFlags): Promise<void> {
  const { openStore } = await import("../../../work/store.ts");
  await using store = await openStore(db, { mode: "read" });
  const runs = await store.listRuns(limit);
  const json = isForPrograms(output);
  const rows = runs.map(({ command, started_at, finished_at, exit, ledger_version, requests, accounts, gaps, ...more }) => {
    const seconds = finished_at === null ? null : Math.round((finished_at - started_at) / 1000);
    const end = json ? isoTime(finished_at) : seconds;
    const cells = [isoTime(started_at), command, exit, end, ledger_version, requests, accounts, gaps];
    const { app_version, retries, bytes_received, modules, new_bytecodes } = more;
    return json ? [...cells, app_version, retries, bytes_received, modules, new_bytecodes, ...Object.values(ledgerTimeJson(more))] : cells;
  });
  await io.stdout(listText(output, json ? JSON_KEYS : TABLE, rows, dataWidth(io)));
  if (runs.length === 0) io.stderr("movedex: no run yet.\n");
  if (runs.some(({ finished_at }) => finished_at === null)) {
    io.stderr("movedex: a run without an end is still running, or was killed.\n");
  }
}
