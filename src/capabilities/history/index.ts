import { plural } from "../../core/base/plural.ts";
import { all, from, orNull, second, sha256, text, version, whole } from "../../core/base/result.ts";
import type { Capability } from "../../core/cli/capability.ts";
import { MovedexCommand } from "../../core/cli/movedex-command.ts";
import { wholeNumber } from "../../core/cli/options/options.ts";
import { forPeople, forPrograms, type ListOutput, list, printList } from "../../core/cli/output/list.ts";
import { madeAt, snapshotStatus } from "../../core/cli/output/result-fields.ts";
import type { RunRecord } from "../../core/work/runs/runs.ts";

export const history: Capability = {
  name: "history",
  commands: {
    "Look after the archive:": {
      snapshots: async () => snapshotsCommand,
      runs: async () => runsCommand,
    },
  },
};

type Flags = ListOutput & { readonly db: string; readonly limit: number };

/** The columns of the view `run_history`, and when the ledger made the version that was read. */
const runs = list({
  columns: {
    started_at: second,
    command: text,
    exit: orNull(text),
    seconds: forPeople(
      from(({ startedAt, finishedAt }: RunRecord) => finishedAt && Math.round((finishedAt - startedAt) / 1000), orNull(whole)),
    ),
    finished_at: forPrograms(orNull(second)),
    ledger_version: orNull(version),
    ...all(orNull(whole), "requests", "accounts", "gaps"),
    app_version: forPrograms(text),
    ...all(forPrograms(orNull(whole)), "retries", "bytes_received", "modules", "new_bytecodes"),
    ledger_time: forPrograms(madeAt.ledger_time),
    ledger_time_error_ms: forPrograms(madeAt.ledger_time_error_ms),
  },
  none: "no run yet.",
});

function runsCommand(): MovedexCommand {
  return new MovedexCommand("runs")
    .summary("list the runs and their cost")
    .description("List the runs of sync, backfill and trace, newest first: time, outcome and cost. Sends no request.")
    .option("--limit <n>", "print at most n runs", wholeNumber(1, 1_000_000), 20)
    .printsList(async () => runs.entry)
    .database()
    .examples("runs --db night.db")
    .runs(async ({ io }, { db, limit, ...output }: Flags) => {
      const { openStore } = await import("../../core/work/store.ts");
      const { runQueries } = await import("../../core/work/runs/runs.ts");
      await using store = await openStore(db, { mode: "read" });
      const held = await runQueries(store.engine).listRuns(limit);
      await printList(io, runs, held, output);
      if (held.some(({ finishedAt }) => finishedAt === null)) {
        io.stderr("movedex: a run without an end is still running, or was killed.\n");
      }
    });
}

/** The columns of the view `snapshots`. In a table the names are short enough for a digest beside them on a line of 80. */
const snapshots = list({
  columns: {
    ledger_version: version,
    status: snapshotStatus,
    sealed_at: orNull(second),
    ledger_time: madeAt.ledger_time,
    accounts: whole,
    modules: whole,
    changed: forPeople(from("changedModules", whole)),
    changed_modules: forPrograms(whole),
    gaps: whole,
    digest: orNull(sha256),
    created_at: forPrograms(second),
    ledger_time_error_ms: forPrograms(madeAt.ledger_time_error_ms),
  },
  none: "no snapshot yet; `movedex sync` makes the first.",
});

function snapshotsCommand(): MovedexCommand {
  return new MovedexCommand("snapshots")
    .summary("list the snapshots")
    .description("List the snapshots, newest first: ledger version, status and content. Sends no request.")
    .option("--limit <n>", "print at most n snapshots; 0 for all", wholeNumber(0, 1e9), 50)
    .printsList(async () => snapshots.entry)
    .database()
    .examples("snapshots --db night.db")
    .runs(async ({ io }, { db, limit, ...output }: Flags) => {
      const { openStore } = await import("../../core/work/store.ts");
      const { statusQueries } = await import("../../core/db/archive/read/status-queries.ts");
      await using store = await openStore(db, { mode: "read" });
      const held = await statusQueries(store.engine).listSnapshots();
      const shown = limit === 0 ? held : held.slice(0, limit);
      await printList(io, snapshots, shown, output);
      const rest = held.length - shown.length;
      if (rest > 0) io.stderr(`movedex: ${plural(rest, "older snapshot")} not printed; --limit 0 prints all.\n`);
    });
}
