import { sumWorkers, type UnfinishedSnapshot, type WorkerState } from "../../work/workers/workers.ts";
import { type Metric, metricsOf } from "../http/metrics.ts";

/** The processes that share the work of a PostgreSQL database, and how far the snapshots are that they read together, as metrics. */
export function workerMetrics(workers: readonly WorkerState[], unfinished: readonly UnfinishedSnapshot[]): Metric[] {
  const perWorker = metricsOf("movedex_worker", workers, ({ owner, command, node }) => ({ worker: owner, command, node }));
  const perSnapshot = metricsOf("movedex_unfinished", unfinished, ({ ledgerVersion }) => ({ ledger_version: `${ledgerVersion}` }));
  return [
    {
      name: "movedex_workers",
      help: "Processes that share the work and gave a sign of life in time.",
      values: [{ value: workers.filter(({ isAlive }) => isAlive).length }],
    },
    perWorker("silent_seconds", "How long a worker's last sign of life was ago.", ({ silentMs }) => silentMs / 1000),
    perWorker("batches", "Batches that a worker has in hand.", ({ batches }) => batches),
    perWorker("intervals", "Intervals of changes that a worker is tracing.", ({ intervals }) => intervals ?? 0),
    perWorker("accounts", "Accounts that a worker has read.", ({ accounts }) => accounts),
    perWorker("requests", "Requests that a worker has sent.", ({ requests }) => requests),
    perWorker("requests_per_second", "A worker's requests a second over the last seconds.", ({ perMinute }) => perMinute / 60),
    perSnapshot("accounts_planned", "Accounts of a snapshot that is not finished.", ({ planned }) => planned),
    perSnapshot("accounts_left", "Accounts of it that are still to be read.", ({ left }) => left),
    perSnapshot("workers", "Processes that read it.", (snapshot) => sumWorkers(snapshot, workers).count),
    perSnapshot("eta_seconds", "How long what is left of it takes at their pace together.", (snapshot) => {
      const { leftMs } = sumWorkers(snapshot, workers);
      return leftMs === undefined ? undefined : leftMs / 1000;
    }),
  ];
}
