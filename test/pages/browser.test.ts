import { describe, expect, test } from "vitest";
import { createSampleLedger, startSimNode } from "../../src/sim/index.ts";
import { chromiumPath, openChromium } from "../serve/support/chromium.ts";
import { crawl } from "../serve/support/served-archive.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import { walkPages } from "./support/crawl-pages.ts";
import { hostileAccount, hostileLedger } from "./support/hostile-ledger.ts";
import { inspectPages } from "./support/inspect-pages.ts";
import { servePages } from "./support/served-pages.ts";

const withoutChromium = chromiumPath === undefined;

/** Two nights of the hostile ledger and of the sample ledger, in a database each. */
async function hostileArchive(db: string): Promise<void> {
  const { ledger, passDay } = hostileLedger();
  await using node = await startSimNode({ ledger });
  await crawl(db, node.url, [hostileAccount, "0xdead"]);
  passDay();
  await crawl(db, node.url, [hostileAccount, "0xdead"]);
}

async function sampleArchive(db: string): Promise<readonly string[]> {
  const sample = createSampleLedger();
  await using node = await startSimNode({ ledger: sample.ledger });
  const accounts = [...sample.codeAccounts, sample.trader];
  await crawl(db, node.url, accounts);
  sample.passDay();
  await crawl(db, node.url, accounts);
  return accounts;
}

describe("the pages of a hostile archive", () => {
  test("every link of every page leads somewhere", async () => {
    using place = temporaryDirectory();
    const db = place.file("archive.db");
    await hostileArchive(db);
    await using served = await servePages(db);
    const { pages, broken } = await walkPages(served.origin, ["/"], 250);
    expect(broken).toEqual([]);
    expect(pages.length).toBeGreaterThan(20);
  });

  test.skipIf(withoutChromium)(
    "no text of it runs, asks another host or spoils a page, at any width, in light and dark (skipped without Chromium)",
    async () => {
      using place = temporaryDirectory();
      const db = place.file("archive.db");
      await hostileArchive(db);
      await using served = await servePages(db);
      await using chromium = await openChromium();
      const module = `/module/${hostileAccount}/${"n".repeat(255)}`;
      const paths = [
        "/",
        "/changes",
        "/coverage",
        `/account/${hostileAccount}`,
        "/account/0xdead",
        `${module}?all=1`,
        `/module/${hostileAccount}/opaque`,
        `/diff/${hostileAccount}/plain?usage=1&code=1`,
        "/search?q=script",
        "/sql?recipe=holdings",
        `/sql?sql=${encodeURIComponent("SELECT code, name, description FROM error_codes_latest")}`,
        "/module/0x1/none",
      ];
      expect(await inspectPages(chromium.browser, served.origin, paths)).toEqual([]);
    },
    240_000,
  );
});

describe("the pages without scripts", () => {
  test.skipIf(withoutChromium)(
    "can all be walked, searched, filtered, compared and asked in SQL (skipped without Chromium)",
    async () => {
      using place = temporaryDirectory();
      const db = place.file("archive.db");
      await sampleArchive(db);
      await using served = await servePages(db);
      await using chromium = await openChromium();
      const context = await chromium.browser.newContext({ javaScriptEnabled: false });
      const page = await context.newPage();
      await page.goto(`${served.origin}/`);
      await page.getByRole("searchbox", { name: "Search" }).fill("pool");
      await page.keyboard.press("Enter");
      await page
        .getByRole("link", { name: /::pool$/ })
        .first()
        .click();
      await page.getByRole("link", { name: "Compare with the version before" }).click();
      expect(await page.locator(".findings li").count()).toBeGreaterThan(1);
      await page.getByLabel("instructions").check();
      await page.getByRole("button", { name: "Compare" }).click();
      await page.getByRole("heading", { name: "Instructions" }).waitFor();
      await page.getByRole("link", { name: "Changes" }).click();
      await page.getByLabel("At least").selectOption("breaking");
      await page.getByRole("button", { name: "Filter" }).click();
      expect(await page.locator(".changes li").count()).toBe(1);
      await page.getByRole("link", { name: "SQL", exact: true }).click();
      await page.getByRole("textbox", { name: "Statement" }).fill("SELECT count(*) AS n FROM snapshots");
      await page.getByRole("button", { name: "Run" }).click();
      expect(await page.locator("td").allTextContents()).toEqual(["2"]);
    },
    120_000,
  );

  test.skipIf(withoutChromium)(
    "gain the keyboard and sorting with them (skipped without Chromium)",
    async () => {
      using place = temporaryDirectory();
      const db = place.file("archive.db");
      const accounts = await sampleArchive(db);
      await using served = await servePages(db);
      await using chromium = await openChromium();
      const page = await chromium.browser.newPage();
      await page.goto(`${served.origin}/account/${accounts[2]}`);
      await page.keyboard.press("/");
      expect(await page.evaluate("document.activeElement.name")).toBe("q");
      await page.keyboard.press("Escape");
      const names = () => page.locator("table.sortable tbody tr td:first-child").allTextContents();
      expect(await names()).toEqual(["curve", "orders", "pool", "router"]);
      await page.getByRole("button", { name: "Bytes" }).click();
      expect(await names()).toEqual(["curve", "router", "orders", "pool"]);
      await page.getByRole("button", { name: "Bytes" }).click();
      expect(await names()).toEqual(["pool", "orders", "router", "curve"]);
    },
    120_000,
  );
});
