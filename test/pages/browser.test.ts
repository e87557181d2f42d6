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
