import { beforeAll, expect } from "vitest";
import { openStore } from "../../../src/core/work/store.ts";
import { describeReleases, loadHistory, readReleases, temporaryDirectory, test } from "../../support/index.ts";
import { inChromium, openChromium } from "../serve/support/chromium.ts";
import { bytesOfFirstVisit } from "./support/first-visit.ts";
import { inspectPages } from "./support/inspect-pages.ts";
import { pagesOfEveryKind } from "./support/page-kinds.ts";
import { servePages } from "./support/served-pages.ts";

/** Every tenth release of the real history, and the last. */
async function realArchive(db: string): Promise<readonly bigint[]> {
  const releases = readReleases();
  const store = await openStore(db, { mode: "write", now: () => 0 });
  try {
    return await loadHistory(
      store.engine,
      releases.filter((_, i) => i % 16 === 0 || i === releases.length - 1),
    );
  } finally {
    await store.close();
  }
}

describeReleases("pages of the real history", () => {
  const place = temporaryDirectory();
  const db = place.file("archive.db");
  let versions: readonly bigint[];
  beforeAll(async () => {
    versions = await realArchive(db);
  });

  inChromium("its pages show no error, ask no other host and have nothing to find for axe-core, at three widths", async () => {
    await using served = await servePages(db);
    await using chromium = await openChromium();
    const [from, to] = [versions.at(-4), versions.at(-1)];
    const paths = pagesOfEveryKind({ address: "0x1", name: "coin", from: from as bigint, to: to as bigint, items: ["withdraw", "Coin"] });
    const complaints = await inspectPages(chromium.browser, served.origin, paths);
    // A slip in SQL is answered by 400, with a page like the others.
    expect(complaints.filter((text) => !/\/sql\?sql=SELEC: Failed to load resource: .* status of 400 /.test(text))).toEqual([]);
  });

  test("whoever opens a page of any kind first fetches at most 150 kB over the wire", async () => {
    await using served = await servePages(db);
    const [from, to] = [versions.at(-4) as bigint, versions.at(-1) as bigint];
    for (const path of pagesOfEveryKind({ address: "0x1", name: "coin", from, to, items: ["withdraw", "Coin"] }))
      expect(await bytesOfFirstVisit(served.origin, path), path).toBeLessThanOrEqual(150_000);
  });
});
