import type { LedgerHead } from "../../node/protocol/ledger-head.ts";
import type { Store } from "../../work/store.ts";
import { SAMPLED_MS } from "./head-watch.ts";
import { forecastHorizon, type HorizonForecast } from "./horizon-forecast.ts";

/** The forecast for a node from the samples of earlier runs and its newest answer. `store` is undefined where there is no database yet. */
export async function forecastNow(
  store: Pick<Store, "headSamples"> | undefined,
  node: string,
  head: LedgerHead,
  nowMs: number,
): Promise<HorizonForecast> {
  const earlier = ((await store?.headSamples({ since: nowMs - SAMPLED_MS })) ?? []).filter((sample) => sample.node === node);
  const samples = earlier.map(({ sampledAt, headVersion, oldestVersion }) => ({ atMs: sampledAt, headVersion, oldestVersion }));
  return forecastHorizon(node, [...samples, { atMs: nowMs, headVersion: head.ledgerVersion, oldestVersion: head.oldestVersion }]);
}
