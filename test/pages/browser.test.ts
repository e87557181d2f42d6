import { afterAll, describe, expect, test } from "vitest";
import { pageRoutes } from "../../src/pages/page.ts";
import { browserOfFile, chromiumPath, inChromium } from "../serve/support/chromium.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import { hostileArchive, hostilePaths } from "./support/archives.ts";
import { walkPages } from "./support/crawl-pages.ts";
import { inspectPages } from "./support/inspect-pages.ts";
import { serveSample } from "./support/sample-pages.ts";
import { servePages } from "./support/served-pages.ts";

const kept = new AsyncDisposableStack();
const hostileDb = kept.use(temporaryDirectory()).file("hostile.db");
await hostileArchive(hostileDb);
const hostile = kept.use(await servePages(hostileDb));
const { sample, served } = await serveSample();
const browser = await browserOfFile();
afterAll(() => kept.disposeAsync());

describe("the pages of a hostile archive", () => {
  test("every link of every page leads somewhere", async () => {
    const { pages, broken } = await walkPages(hostile.origin, ["/"], 250);
    expect(broken).toEqual([]);
    expect(pages.length).toBeGreaterThan(20);
  });

  inChromium("no text of it runs, asks another host or spoils a page, at any width, in light and dark", async () => {
    // Every second page; real-history.long.test.ts looks at each.
    const paths = hostilePaths.filter((_, i) => i % 2 === 1);
    expect(await inspectPages(browser, hostile.origin, paths, { isQuick: true })).toEqual([]);
  });
});

test("every link of the sample's pages leads somewhere, and pages of every kind are reached", async () => {
  const { pages, broken } = await walkPages(served.origin, ["/"], 250);
  expect(broken).toEqual([]);
  const reached = (path: string): boolean => {
    const pattern = new RegExp(`^${path.replaceAll(/:\w+/g, "[^/?]+")}(?:\\?|$)`);
    return pages.some((page) => pattern.test(page));
  };
  const isFile = (path: string): boolean => /\.(?:csv|json|atom)$|^\/suggest$/.test(path);
  expect(pageRoutes.map(({ path }) => path).filter((path) => !isFile(path) && !reached(path))).toEqual([]);
});

describe.skipIf(chromiumPath === undefined)("the pages in a browser (skipped without Chromium)", () => {
  test("without scripts can all be walked, searched, filtered, compared and asked in SQL", async () => {
    const context = await browser.newContext({ javaScriptEnabled: false });
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
    await page.locator(".diff .code summary").first().waitFor();
    // What is the same unfolds, and each item that differs has an address.
    const fold = page.locator(".diff details.fold").first();
    expect(await fold.locator("tbody tr").first().isVisible()).toBe(false);
    await fold.locator("summary").click();
    expect(await fold.locator("tbody tr").first().isVisible()).toBe(true);
    expect(await page.locator('.diff h3[id="diff.fun.spot_price"] a').getAttribute("href")).toBe("#diff.fun.spot_price");
    await page.setViewportSize({ width: 380, height: 800 });
    const shown = (cell: string) => page.locator(`.diff tr:has(td.del:not(.ln)) ${cell}`).first().isVisible();
    expect([await shown("td.none"), await shown("td.del:not(.ln)")]).toEqual([false, true]);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(380);
    await page.getByRole("link", { name: "Changes" }).click();
    await page.getByLabel("At least").selectOption("breaking");
    await page.getByRole("button", { name: "Filter" }).click();
    expect(await page.locator(".changes li").count()).toBe(1);
    await page.getByRole("link", { name: "SQL", exact: true }).click();
    await page.getByRole("textbox", { name: "Statement" }).fill("SELECT count(*) AS n FROM snapshots");
    await page.getByRole("button", { name: "Run" }).click();
    expect(await page.locator("td").allTextContents()).toEqual(["2"]);
    await context.close();
  });

  test("with scripts suggest what a search would find, by arrows and enter", async () => {
    const page = await browser.newPage();
    await page.goto(`${served.origin}/account/${sample.exchange}`);
    await page.keyboard.press("/");
    await page.keyboard.type("place");
    const option = page.getByRole("option", { name: /orders::place$/ });
    await option.waitFor();
    expect(await page.getByRole("combobox").getAttribute("aria-expanded")).toBe("true");
    await page.keyboard.press("ArrowDown");
    expect(await page.getByRole("combobox").getAttribute("aria-activedescendant")).toBe("suggestion-0");
    await Promise.all([page.waitForURL(/\/module\/0x[0-9a-f]+\/orders\/place$/), page.keyboard.press("Enter")]);
    await page.keyboard.press("/");
    await page.keyboard.type("place");
    await page.getByRole("option").first().waitFor();
    await page.keyboard.press("Escape");
    expect(await page.getByRole("option").count()).toBe(0);
    await page.close();
  });

  test("with scripts gain the keyboard and sorting", async () => {
    const page = await browser.newPage();
    await page.goto(`${served.origin}/account/${sample.exchange}`);
    await page.keyboard.press("/");
    expect(await page.evaluate("document.activeElement.name")).toBe("q");
    await page.keyboard.press("Escape");
    const names = () => page.locator("table.sortable tbody tr td:first-child").allTextContents();
    expect(await names()).toEqual(["curve", "orders", "pool", "router"]);
    await page.getByRole("button", { name: "Bytes" }).click();
    expect(await names()).toEqual(["curve", "router", "orders", "pool"]);
    await page.getByRole("button", { name: "Bytes" }).click();
    expect(await names()).toEqual(["pool", "orders", "router", "curve"]);
    await page.close();
  });
});
