import { expect, test } from "vitest";
import { nightsFrom } from "../../src/pages/changes/night-changes.ts";
import { openPageArchive, type PageArchive } from "../../src/pages/page-archive.ts";
import { warmUp } from "../../src/pages/warm-up.ts";
import { sealedAmong } from "../../src/questions/diff/last-night.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import { hostileArchive, sampleArchive } from "./support/archives.ts";

const changesOf = async (archive: PageArchive) => {
  const nights = await Array.fromAsync(nightsFrom(archive.store, sealedAmong(await archive.store.listSnapshots())));
  return nights.flatMap(({ changes }) => changes);
};

test.each([
  ["the sample", sampleArchive],
  ["a hostile archive", hostileArchive],
])("after warming up, all changes of %s are weighed", async (_, fill) => {
  using place = temporaryDirectory();
  await fill(place.file("archive.db"));
  const archive = await openPageArchive(place.file("archive.db"));
  try {
    const changes = await changesOf(archive);
    expect(changes.length).toBeGreaterThan(1);
    await warmUp(archive, 0, AbortSignal.abort());
    expect(changes.some((change) => archive.summaries.knows(change))).toBe(false);
    await warmUp(archive, 0, new AbortController().signal);
    expect(changes.filter((change) => !archive.summaries.knows(change))).toEqual([]);
  } finally {
    await archive.close();
  }
});
