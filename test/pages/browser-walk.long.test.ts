import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createSampleLedger, startSimNode } from "../../sim/index.ts";
import { pageRoutes } from "../../src/pages/page.ts";
import { chromiumPath, openChromium } from "../serve/support/chromium.ts";
import { crawl } from "../serve/support/served-archive.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import { walkInBrowser } from "./support/browser-walk.ts";
import { servePages } from "./support/served-pages.ts";

/** Three nights of the sample ledger without its framework. They are few enough that every address is opened. */
const kept = new AsyncDisposableStack();
let browser: Browser;
const place = temporaryDirectory();
const db = place.file("archive.db");
// Not at the top of the file: without Chromium there is nothing to prepare.
beforeAll(async () => {
  const sample = createSampleLedger();
  await using node = await startSimNode({ ledger: sample.ledger });
  for (let night = 0; night < 3; night++) {
    if (night > 0) sample.passDay();
    await crawl(db, node.url, [...sample.codeAccounts.slice(1), sample.trader]);
  }
  browser = kept.use(await openChromium()).browser;
});
afterAll(() => kept.disposeAsync());

describe.skipIf(chromiumPath === undefined)("in Chromium, every link of three nights leads somewhere (skipped without it)", () => {
  test("on the service, and pages of every kind are reached", async () => {
    await using served = await servePages(db);
    const { pages, broken } = await walkInBrowser(browser, served.origin, "/");
    expect(broken).toEqual([]);
    const reached = pageRoutes.filter(({ path }) => {
      const pattern = new RegExp(`^${path.replaceAll(".", "\\.").replaceAll(/:\w+/g, "[^/?]+")}(?:\\?|$)`);
      return pages.some((page) => pattern.test(page));
    });
    const isFile = (path: string): boolean => /\.(?:csv|json|atom)$|^\/suggest$/.test(path);
    expect(reached.map(({ path }) => path)).toEqual(pageRoutes.map(({ path }) => path).filter((path) => !isFile(path)));
    expect(pages.length).toBeGreaterThan(150);
  });
});
