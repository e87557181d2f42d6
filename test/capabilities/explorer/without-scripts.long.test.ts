import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type SampleArchive, sampleArchive, temporaryDirectory } from "../../support/index.ts";
import { chromiumPath, openChromium } from "../serve/support/chromium.ts";
import { pagesOfEveryKind } from "./support/page-kinds.ts";
import { type ServedPages, servePages } from "./support/served-pages.ts";

// Not at the top of the file: without Chromium there is nothing to prepare, and nobody would close it.
const kept = new AsyncDisposableStack();
let sample: SampleArchive;
let served: ServedPages;
let browser: Browser;
beforeAll(async () => {
  sample = await sampleArchive(kept.use(temporaryDirectory()).file("sample.db"));
  served = kept.use(await servePages(sample.db));
  browser = kept.use(await openChromium()).browser;
});
afterAll(() => kept.disposeAsync());

/** A page's heading, and where each of its forms leads. */
async function sentForms(page: Page, path: string): Promise<{ readonly heading: string; readonly sent: string[] }> {
  await page.goto(`${served.origin}${path}`);
  const heading = await page.locator("h1").innerText();
  const forms = await page.locator("form").count();
  const sent: string[] = [];
  for (let i = 0; i < forms; i++) {
    if (i > 0) await page.goto(`${served.origin}${path}`);
    const form = page.locator("form").nth(i);
    const folded = form.locator("xpath=ancestor::details[not(@open)]/summary");
    if ((await folded.count()) > 0) await folded.first().click();
    const button = form.locator("button:visible");
    const answer = page.waitForResponse((response) => response.request().isNavigationRequest());
    if ((await button.count()) > 0) await button.first().click();
    else await form.locator("input:visible").first().press("Enter");
    const response = await answer;
    sent.push(`${response.status()} ${new URL(response.url()).pathname}`);
  }
  return { heading, sent };
}

describe.skipIf(chromiumPath === undefined)("with scripts switched off (skipped without Chromium)", () => {
  test("a page of every kind is whole, and each of its forms leads to a page", async () => {
    const context = await browser.newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    const pair = { address: sample.exchange, name: "pool", from: sample.first, to: sample.last, items: ["swap", "Pool"] };
    for (const path of pagesOfEveryKind(pair)) {
      const { heading, sent } = await sentForms(page, path);
      expect(heading, path).not.toBe("");
      expect(sent.length, path).toBeGreaterThan(0);
      // A question that is not understood says so again.
      const asked = path === "/sql?sql=SELEC" ? "400 /sql" : "200 ";
      expect(
        sent.filter((line) => !line.startsWith("200 ") && !line.startsWith(asked)),
        path,
      ).toEqual([]);
      // Nothing that only a script could work is shown.
      await page.goto(`${served.origin}${path}`);
      for (const button of await page.locator("button:visible").all())
        expect(await button.locator("xpath=ancestor::form").count(), path).toBe(1);
    }
    await context.close();
  });
});
