import { expect, test } from "vitest";
import { changeQueries } from "../../src/archive/read/changes.ts";
import { statusQueries } from "../../src/archive/read/status-queries.ts";
import { warmUp } from "../../src/pages/make-page.ts";
import { openPageArchive } from "../../src/pages/page-archive.ts";
import { lastNight, sealedAmong } from "../../src/questions/diff/last-night.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import { hostileArchive, sampleArchive } from "./support/archives.ts";
import { forgetJudgements } from "./support/judgements.ts";

test.each([
  ["the sample", sampleArchive],
  ["a hostile archive", hostileArchive],
])("after warming up, the last night's changes of %s are weighed, also where the run judged none", async (_, fill) => {
  using place = temporaryDirectory();
  const path = place.file("archive.db");
  await fill(path);
  forgetJudgements(path);
  const archive = await openPageArchive(path);
  try {
    const changes = await changeQueries(archive.engine).listModuleChanges(
      lastNight(sealedAmong(await statusQueries(archive.engine).listSnapshots())),
    );
    const known = () => changes.filter((change) => archive.summaries.knows(change)).length;
    expect(changes.length).toBeGreaterThan(1);
    await warmUp(archive, 0, AbortSignal.abort());
    expect(known()).toBeLessThan(changes.length);
    await warmUp(archive, 0, new AbortController().signal);
    expect(known()).toBe(changes.length);
  } finally {
    await archive.close();
  }
});
