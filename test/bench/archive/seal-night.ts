import type { Visit } from "../../../src/archive/content/visit-model.ts";
import type { Address } from "../../../src/move/address.ts";
import type { Store } from "../../../src/work/store.ts";

/** A night as a crawl would leave it: its visits in batches, each one transaction, and the accounts that gave no answer. */
export type Night = {
  readonly version: bigint;
  /** When it began, in milliseconds since 1970. */
  readonly now: number;
  readonly batches: Iterable<readonly Visit[]>;
  readonly silent: readonly Address[];
};

const CHAIN_ID = 1;
const LASTS_MS = 600_000;

/** Stores and seals a night of all targets, with its run and what the node said of itself. */
export async function sealNight(store: Store, { version, now, batches, silent }: Night): Promise<void> {
  const head = { headVersion: version + 1000n, oldestVersion: version > 3_000_000n ? version - 3_000_000n : 0n };
  const run = await store.startRun({ command: "sync", appVersion: "0.0.0", now });
  await store.addHeadSample({ node: "https://node.example", sampledAt: now, timestampUsec: BigInt(now) * 1000n, ...head });
  await store.createPin({ chainId: CHAIN_ID, ledgerVersion: version, ...head, headTimestampUsec: BigInt(now) * 1000n, now }, "targets");
  let visits = 0;
  for (const batch of batches) {
    await store.commitVisits(version, batch);
    visits += batch.length;
  }
  const miss = { reason: "http", errorCode: null, httpStatus: 503, message: "the node answered 503", attempts: 5, isFinal: false };
  for (const address of silent) await store.commitMiss(version, { address, ...miss }, now);
  const { accounts, modules, gaps } = await store.seal(version, { now: now + LASTS_MS });
  const work = { requests: 2 * visits, retries: 4 * gaps, bytesReceived: 900 * visits, newBytecodes: 0 };
  const exit = gaps > 0 ? "gaps" : "done";
  await store.finishRun(run, { now: now + LASTS_MS, exit, ledgerVersion: version, accounts, modules, gaps, ...work });
}
