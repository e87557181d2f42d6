import type { UnfinishedSnapshot, WorkerState } from "./workers.ts";

export function together(
  { ledgerVersion, requestsLeft }: Pick<UnfinishedSnapshot, "ledgerVersion" | "requestsLeft">,
  workers: readonly WorkerState[],
): { readonly count: number; readonly perSecond: number; readonly leftMs: number | undefined } {
  const there = workers.filter((worker) => worker.isAlive && worker.ledgerVersion === ledgerVersion);
  const perSecond = there.reduce((sum, { perMinute }) => sum + perMinute, 0) / 60;
  return { count: there.length, perSecond, leftMs: perSecond === 0 ? undefined : (requestsLeft * 1000) / perSecond };
}
