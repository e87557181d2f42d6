import { prepareStatusQueries, type StatusStore } from "../archive/read/status-queries.ts";
import { closing } from "../base/closing.ts";
import { databaseAt } from "../engine/database-at.ts";
import { type BackfillStore, prepareBackfill } from "./runs/backfill.ts";
import { prepareRuns, type RunStore } from "./runs/runs.ts";
import { prepareTargetHistories, type TargetHistoryStore } from "./targets/target-histories.ts";
import { listWorkers, type WorkerState } from "./workers/workers.ts";

/** What a database holds, what its runs did and saw, and what is still to be read: all that `status` tells. */
export type StatusSource = StatusStore &
  TargetHistoryStore &
  Pick<RunStore, "listRuns" | "headSamples" | "newestHead"> &
  Pick<BackfillStore, "backfillPoints" | "timeMarks"> & {
    /** The processes that share the work of a PostgreSQL database. */
    readonly workers: () => Promise<readonly WorkerState[]>;
    readonly close: () => Promise<void>;
  };

/**
 * Opens a database for these questions alone. A whole `Store` answers them too, and takes three times as long to load.
 * @throws StoreError
 */
export async function openStatus(path: string): Promise<StatusSource & AsyncDisposable> {
  const { engine, close } = await databaseAt(path).open({ mode: "read" });
  return closing({
    ...prepareStatusQueries(engine),
    ...prepareTargetHistories(engine),
    ...prepareRuns(engine),
    ...prepareBackfill(engine),
    // A file has none.
    workers: () => listWorkers(engine, 0),
    close,
  });
}
