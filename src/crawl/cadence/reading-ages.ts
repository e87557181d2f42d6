import type { Engine } from "../../engine/engine.ts";
import { targetHistoryQueries } from "../../work/targets/target-histories.ts";
import type { TimeOf } from "./target-beliefs.ts";

/** How old what is known of the targets is. Ages are of those that were read, in milliseconds; undefined when none was. */
export type ReadingAges = Awaited<ReturnType<typeof readingAges>>;

export async function readingAges(engine: Engine, timeOf: TimeOf, nowMs: number) {
  const readings = await targetHistoryQueries(engine).newestReadings();
  const targets = readings.reduce((sum, reading) => sum + reading.targets, 0);
  // Newest first: half of the targets are as young as the median, or younger.
  const ages = readings
    .flatMap(({ newest, targets: count }) => (newest === undefined ? [] : [{ count, ageMs: Math.max(0, nowMs - timeOf(newest)) }]))
    .sort((a, b) => a.ageMs - b.ageMs);
  const read = ages.reduce((sum, { count }) => sum + count, 0);
  let before = 0;
  const median = ages.find(({ count }) => {
    before += count;
    return before > Math.floor((read - 1) / 2);
  });
  return { targets, neverRead: targets - read, oldestMs: ages.at(-1)?.ageMs, medianMs: median?.ageMs };
}
