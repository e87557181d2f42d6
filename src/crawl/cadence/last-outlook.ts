import type { SnapshotCounts } from "../../archive/read/status-queries.ts";
import type { Store } from "../../work/store.ts";
import { storedForecasts } from "../horizon/horizon-forecast.ts";
import { type ChoosingStore, nightOutlook } from "./choose-reads.ts";
import { defaultMaxAgeMs, UNKNOWN_MAX_AGE_MS } from "./max-age.ts";
import type { NightOutlook } from "./night-outlook.ts";

export type ChoiceAsked = { readonly maxAgeMs?: number | undefined; readonly halfLifeMs?: number | undefined };

/** What nights come to that read as much as the newest snapshot did; undefined where that left nothing out. */
export async function lastOutlook(
  store: ChoosingStore & Pick<Store, "newestHead" | "headSamples">,
  newest: Pick<SnapshotCounts, "ledgerVersion" | "passedOver" | "accounts" | "unreadRecords"> | undefined,
  { maxAgeMs, halfLifeMs }: ChoiceAsked,
): Promise<NightOutlook | undefined> {
  const head = await store.newestHead();
  if (!newest?.passedOver || head === undefined || (await store.countTargets()) === 0) return undefined;
  return nightOutlook(store, {
    head: { ledgerVersion: head.headVersion, timestampUsec: head.timestampUsec },
    ledgerVersion: newest.ledgerVersion,
    records: newest.unreadRecords < newest.accounts ? "all" : "none",
    requests: 2 * newest.accounts - newest.unreadRecords,
    maxAgeMs: maxAgeMs ?? (await knownMaxAgeMs(store)),
    halfLifeMs,
    pageSize: undefined,
  });
}

/** The greatest age by what the database remembers of the node's horizon. */
async function knownMaxAgeMs(store: Pick<Store, "newestHead" | "headSamples">): Promise<number> {
  const head = await store.newestHead();
  if (head === undefined) return UNKNOWN_MAX_AGE_MS;
  const [node] = await storedForecasts(store, head.seenAtMs);
  return node === undefined ? UNKNOWN_MAX_AGE_MS : defaultMaxAgeMs(node, head.seenAtMs);
}
