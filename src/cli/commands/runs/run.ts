import { closing } from "../../../base/closing.ts";
import { openStore } from "../../../work/store.ts";
import type { Io } from "../../io.ts";
import { rowPrinter } from "../../output/rows.ts";
import { isoTime } from "../../output/times.ts";

/** The command line of `runs`, parsed. */
export type RunsFlags = { readonly limit: number; readonly json?: boolean };

const COLUMNS = ["started_at", "command", "exit", "seconds", "ledger_version", "requests", "accounts", "gaps"];

/** Runs `runs`. @throws StoreError */
export async function runRuns(io: Io, path: string, { limit, json }: RunsFlags): Promise<void> {
  await using store = closing(await openStore(path, { mode: "read" }));
  const runs = await store.listRuns(limit);
  const printer = rowPrinter(json ? "jsonl" : "table", COLUMNS, io.stdoutIsTerminal ? io.columns : undefined);
  const rows = runs.map(({ command, started_at, finished_at, exit, ledger_version, requests, accounts, gaps }) => {
    const seconds = finished_at === null ? null : Math.round((finished_at - started_at) / 1000);
    return printer.row([isoTime(started_at), command, exit, seconds, ledger_version, requests, accounts, gaps]);
  });
  if (json || rows.length > 0) await io.stdout(printer.begin() + rows.join("") + printer.end());
  if (runs.length === 0) io.stderr("movedex: no run yet.\n");
  if (runs.some(({ finished_at }) => finished_at === null)) {
    io.stderr("movedex: a run without an end is going on, or its process was killed.\n");
  }
}
