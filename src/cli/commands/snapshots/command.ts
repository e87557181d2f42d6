import { plural } from "../../../base/plural.ts";
import { dataWidth, type Io } from "../../io.ts";
import { MovedexCommand } from "../../movedex-command.ts";
import { wholeNumber } from "../../options/options.ts";
import { isForPrograms, type ListOutput, listText } from "../../output/rows.ts";
import { isoTime, ledgerTimeJson } from "../../output/times.ts";

type SnapshotsFlags = ListOutput & { readonly db: string; readonly limit: number };

export function snapshotsCommand(): MovedexCommand {
  return new MovedexCommand("snapshots")
    .summary("list the snapshots")
    .description("List the snapshots, newest first: ledger version, status and content. Sends no request.")
    .option("--limit <n>", "print at most n snapshots; 0 for all", wholeNumber(0, 1e9), 50)
    .listFormats()
    .database()
    .examples("snapshots --db night.db")
    .runs(({ io }, flags: SnapshotsFlags) => printSnapshots(io, flags));
}

/** In a table the names are short enough for a digest beside them on a line of 80. */
const TABLE = ["ledger_version", "status", "sealed_at", "ledger_time", "accounts", "modules", "changed", "gaps", "digest"];
/** The names of the view `snapshots`. */
const JSON_KEYS = TABLE.with(6, "changed_modules").concat("created_at", "ledger_time_error_ms");

async function printSnapshots(io: Io, { db, limit, ...output }: SnapshotsFlags): Promise<void> {
  const { openStore } = await import("../../../work/store.ts");
  await using store = await openStore(db, { mode: "read" });
  const snapshots = await store.listSnapshots();
  const shown = limit === 0 ? snapshots : snapshots.slice(0, limit);
  const json = isForPrograms(output);
  const rows = shown.map(({ ledgerVersion, status, createdAt, sealedAt, accounts, modules, changedModules, gaps, digest, ...time }) => {
    const made = ledgerTimeJson(time);
    const counts = [accounts, modules, changedModules, gaps];
    const cells = [ledgerVersion, status, isoTime(sealedAt), made.ledger_time, ...counts, digest];
    return json ? [...cells, isoTime(createdAt), made.ledger_time_error_ms] : cells;
  });
  await io.stdout(listText(output, json ? JSON_KEYS : TABLE, rows, dataWidth(io)));
  if (snapshots.length === 0) io.stderr("movedex: no snapshot yet; `movedex sync` makes the first.\n");
  const rest = snapshots.length - shown.length;
  if (rest > 0) io.stderr(`movedex: ${plural(rest, "older snapshot")} not printed; --limit 0 prints all.\n`);
}
