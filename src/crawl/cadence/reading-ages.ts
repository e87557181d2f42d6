import type { Store } from "../../store/store.ts";
import type { TimeOf } from "./target-rates.ts";

/** How old what is known of the targets is. Ages are of those that were read, in milliseconds; undefined when none was. */
export type ReadingAges = {
  readonly targets: number;
  readonly neverRead: number;
  readonly oldestMs: number | undefined;
  readonly medianMs: number | undefined;
};

/** How long ago each target was read last, all together. */
export async function readingAges(store: Pick<Store, "targetHistories">, timeOf: TimeOf, nowMs: number): Promise<ReadingAges> {
  const ages: number[] = [];
  let targets = 0;
  for await (const page of store.targetHistories()) {
    targets += page.length;
    for (const { covered } of page) if (covered !== undefined) ages.push(Math.max(0, nowMs - timeOf(covered.newest)));
  }
  ages.sort((a, b) => a - b);
  return { targets, neverRead: targets - ages.length, oldestMs: ages.at(-1), medianMs: ages[Math.floor((ages.length - 1) / 2)] };
}
