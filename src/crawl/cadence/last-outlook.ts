import type { SnapshotCounts } from "../../archive/read/status-queries.ts";
import type { Engine } from "../../engine/engine.ts";
import { runQueries } from "../../work/runs/runs.ts";
import { targetQueries } from "../../work/targets/targets.ts";
import { storedForecasts } from "../horizon/horizon-forecast.ts";
import { nightOutlook } from "./choose-reads.ts";
import { defaultMaxAgeMs, UNKNOWN_MAX_AGE_MS } from "./max-age.ts";
import type { NightOutlook } from "./night-outlook.ts";

export type ChoiceAsked = { readonly maxAgeMs?: number | undefined; readonly halfLifeMs?: number | undefined };

/** What nights come to that read as much as the newest snapshot did; undefined where that left nothing out. */
export async function lastOutlook(
  engine: Engine,
  newest: Pick<SnapshotCounts, "ledgerVersion" | "passedOver" | "accounts" | "unreadRecords"> | undefined,
  { maxAgeMs, halfLifeMs }: ChoiceAsked,
): Promise<NightOutlook | undefined> {
  const head = await runQueries(engine).newestHead();
  if (!newest?.passedOver || head === undefined || (await targetQueries(engine).countTargets()) === 0) return undefined;
  return nightOutlook(engine, {
    head: { ledgerVersion: head.headVersion, timestampUsec: head.timestampUsec },
    ledgerVersion: newest.ledgerVersion,
    records: newest.unreadRecords < newest.accounts ? "all" : "none",
    requests: 2 * newest.accounts - newest.unreadRecords,
    maxAgeMs: maxAgeMs ?? (await knownMaxAgeMs(engine)),
    halfLifeMs,
    pageSize: undefined,
  });
}

/** The greatest age by what the database remembers of the node's horizon. */
async function knownMaxAgeMs(engine: Engine): Promise<number> {
  const head = await runQueries(engine).newestHead();
  if (head === undefined) return UNKNOWN_MAX_AGE_MS;
  const [node] = await storedForecasts(engine, head.seenAtMs);
  return node === undefined ? UNKNOWN_MAX_AGE_MS : defaultMaxAgeMs(node, head.seenAtMs);
}
