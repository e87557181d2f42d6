import { statusQueries } from "../../archive/read/status-queries.ts";
import type { PlanRecords } from "../../archive/snapshots/plan.ts";
import { planQueries } from "../../archive/snapshots/plan-queries.ts";
import type { Engine } from "../../engine/engine.ts";
import type { Address } from "../../move/address.ts";
import { runQueries } from "../../work/runs/runs.ts";
import { frameworkAccounts, scopeOf } from "../targets/targets.ts";

const RUNS_BACK = 50;

export type PacedTime = { readonly name: string; readonly perSecond: number; readonly durationMs: number };

/** Accounts to visit, and the requests for them where each has one page of modules. */
export type VisitCost = { readonly accounts: number; readonly requests: number };

/**
 * What a snapshot reads of `requested`, else of the stored targets, else of the framework accounts: the accounts without an answer at
 * this version, with their record if `records` says so.
 */
export async function visitCost(
  engine: Engine | undefined,
  ledgerVersion: bigint,
  requested: readonly Address[] | undefined,
  records: PlanRecords,
): Promise<VisitCost> {
  if (engine === undefined) {
    const accounts = new Set(requested ?? frameworkAccounts).size;
    return { accounts, requests: records === "none" ? accounts : 2 * accounts };
  }
  const planned = await planQueries(engine).countPlan(ledgerVersion, await scopeOf(engine, requested), records);
  return { accounts: planned.accounts, requests: planned.accounts + planned.records };
}

/** How long `requests` take at each pace that has a limit. */
export function timesAt(requests: number, paces: readonly { readonly name: string; readonly perSecond: number }[]): PacedTime[] {
  return paces.filter(({ perSecond }) => perSecond > 0).map((pace) => ({ ...pace, durationMs: (requests * 1000) / pace.perSecond }));
}

/** Bytes to expect for `accounts`; undefined while no run has read any, since accounts differ too much to say it beforehand. */
export async function expectedBytes(engine: Engine | undefined, accounts: number) {
  if (engine === undefined) return undefined;
  const runs = (await runQueries(engine).listRuns(RUNS_BACK)).filter(({ command, accounts }) => command === "sync" && (accounts ?? 0) > 0);
  const [newest] = runs;
  if (newest === undefined || newest.accounts === null) return undefined;
  // A snapshot that was read in several runs: each has its own bytes, the last one all accounts.
  const bytes = runs
    .filter(({ ledgerVersion }) => ledgerVersion === newest.ledgerVersion)
    .reduce((sum, { bytesReceived }) => sum + (bytesReceived ?? 0), 0);
  const { fileBytes, accounts: held } = await statusQueries(engine).holdings();
  const missing = Math.max(0, accounts - held);
  return {
    /** Bytes of answers. */
    received: Math.round((bytes / newest.accounts) * accounts),
    /** Bytes that the database grows by; 0 where all accounts are held, since then it grows by what changed alone. */
    stored: Math.round((fileBytes / Math.max(newest.accounts, held)) * missing),
    judgedBy: newest.accounts,
  };
}
