import { prepareStatusQueries } from "../archive/read/status-queries.ts";
import { closing } from "../base/closing.ts";
import { databaseAt } from "../engine/database-at.ts";
import { prepareBackfill } from "./runs/backfill.ts";
import { prepareRuns } from "./runs/runs.ts";
import { prepareTargetHistories } from "./targets/target-histories.ts";
import { listWorkers } from "./workers/workers.ts";

/** Opens a database for these questions alone, which takes a third of the time that loading a whole `Store` takes. @throws StoreError */
export async function openStatus(path: string) {
  const { engine, close } = await databaseAt(path).open({ mode: "read" });
  return closing({
    ...prepareStatusQueries(engine),
    ...prepareTargetHistories(engine),
    ...prepareRuns(engine),
    ...prepareBackfill(engine),
    /** The processes that share the work of a PostgreSQL database. */
    workers: () => listWorkers(engine, 0),
    close,
  });
}
