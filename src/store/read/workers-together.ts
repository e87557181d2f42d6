import type { UnfinishedSnapshot, WorkerState } from "../work/workers.ts";

/** A record and one page of modules. */
const REQUESTS_PER_ACCOUNT = 2;

/** The workers at a snapshot, their pace together, and how long what is left takes at it. */
export function together(
  { ledgerVersion, left }: Pick<UnfinishedSnapshot, "ledgerVersion" | "left">,
  workers: readonly WorkerState[],
): { readonly count: number; readonly perSecond: number; readonly leftMs: number | undefined } {
  const there = workers.filter((worker) => worker.isAlive && worker.ledgerVersion === ledgerVersion);
  const perSecond = there.reduce((sum, { perMinute }) => sum + perMinute, 0) / 60;
  return { count: there.length, perSecond, leftMs: perSecond === 0 ? undefined : (left * REQUESTS_PER_ACCOUNT * 1000) / perSecond };
}
