import type { Engine } from "../../engine/engine.ts";
import { targetHistoryQueries } from "../../work/targets/target-histories.ts";
import { type Head, ledgerTimes } from "../horizon/ledger-time.ts";

export type ReadingAges = Awaited<ReturnType<typeof readingAges>>;

/**
 * How old what is known of the targets is, now or at the time of a node's newest version. Ages are of those that were read, in
 * milliseconds; undefined when none was.
 */
export async function readingAges(engine: Engine, head: Head, nowMs?: number) {
  const timeOf = await ledgerTimes(engine, head);
  const now = nowMs ?? timeOf(head.ledgerVersion);
  const readings = await targetHistoryQueries(engine).newestReadings();
  const targets = readings.reduce((sum, reading) => sum + reading.targets, 0);
  // Newest first: half of the targets are as young as the median, or younger.
  const ages = readings
    .flatMap(({ newest, targets: count }) => (newest === undefined ? [] : [{ count, ageMs: Math.max(0, now - timeOf(newest)) }]))
    .sort((a, b) => a.ageMs - b.ageMs);
  const read = ages.reduce((sum, { count }) => sum + count, 0);
  let before = 0;
  const median = ages.find(({ count }) => {
    before += count;
    return before > Math.floor((read - 1) / 2);
  });
  return { targets, neverRead: targets - read, oldestMs: ages.at(-1)?.ageMs, medianMs: median?.ageMs };
}
