import { afterAll, describe, expect, test } from "vitest";
import { pageRoutes } from "../../../src/capabilities/pages/page.ts";
import { sized } from "../../run-size.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";
import { browserOfFile, chromiumPath, inChromium } from "../serve/support/chromium.ts";
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
    const { pages, broken } = await walkPages(hostile.origin, ["/"], sized(60, 250));
    expect(broken).toEqual([]);
    expect(pages.length).toBeGreaterThan(20);
  });

  inChromium("no text of it runs, asks another host or spoils a page, at any width, in light and dark", async () => {
    // Every second page; real-history.long.test.ts looks at each.
    const paths = hostilePaths.filter((_, i) => i % 2 === 1);
    expect(await inspectPages(browser, hostile.origin, paths, { isQuick: true })).toEqual([]);
  });

  inChromium("a name that is written from right to left leaves the numbers beside it as they are", async () => {
    const page = await browser.newPage();
    await page.goto(`${hostile.origin}/error/0xbad/plain/9`);
    const parts = await page.evaluate("[...document.querySelectorAll('h1 .num')].map((one) => one.getClientRects().length)");
    expect(parts).toEqual([1, 1]);
    await page.close();
  });
});

test("every link of the sample's pages leads somewhere, and pages of every kind are reached", async () => {
  const { pages, broken } = await walkPages(served.origin, ["/"], sized(150, 250));
  expect(broken).toEqual([]);
  const reached = (path: string): boolean => {
    const pattern = new RegExp(`^${path.replaceAll(/:\w+/g, "[^/?]+")}(?:\\?|$)`);
    return pages.some((page) => pattern.test(page));
  };
  const isFile = (path: string): boolean => /\.(?:csv|json|atom)$|^\/suggest$/.test(path);
  expect(pageRoutes.map(({ path }) => path).filter((path) => !isFile(path) && !reached(path))).toEqual([]);
});

describe.skipIf(chromiumPath === undefined)("the pages in a browser (skipped without Chromium)", () => {
  test.each([
    ["who raises a pasted abort", "/", "type Move abort in 0x1::coin: EFROZEN(0x50001): The store is frozen", "Raised by"],
    ["who takes and returns a type", "/", "type Coin; click Coin", "Returned by"],
    ["a type as explorers print it", "/", "type 0x1::coin::Coin<0x1::aptos_coin::AptosCoin>", "Stored in"],
    ["a name of which a part is typed", "/", "suggest coin::transf", "transfer public entry function"],
    ["a name as it is", "/", "type coin::transfer", "transfer public entry function"],
    ["a name with a slip", "/", "type transfr; click 0x1::coin::transfer", "transfer public entry function"],
    ["an account at an old date", "/account/EXCHANGE", "choose 2592000; click Show", "At version 2,592,000"],
    ["a version that is not held", "/account/EXCHANGE?at=7", "click 2,592,000", "At version 2,592,000"],
    ["what changed in a function", "/", "type pool::swap", "Unchanged in all 2 versions held."],
    ["an account's record", "/account/EXCHANGE", "click Record", "sequence number"],
  ])("with at most three actions show %s", async (_task, start, actions, words) => {
    const page = await browser.newPage();
    await page.goto(served.origin + start.replace("EXCHANGE", sample.exchange));
    const field = page.locator(".find input");
    const main = page.locator("main");
    let count = 0;
    for (const [, verb, what = ""] of actions.split("; ").map((action) => /^(\w+) (.*)$/.exec(action) ?? [])) {
      const leaves = verb === "choose" ? undefined : page.waitForNavigation();
      count += { type: 2, suggest: 3, choose: 1, click: 1 }[verb as string] as number;
      if (verb === "choose") await main.locator("select").first().selectOption(what);
      if (verb === "click")
        await main
          .getByRole(what === "Show" ? "button" : "link", { name: what, exact: true })
          .first()
          .click();
      if (verb === "type") await field.fill(what).then(() => field.press("Enter"));
      if (verb === "suggest") {
        await field.pressSequentially(what);
        await page.getByRole("option").first().waitFor();
        expect(await field.getAttribute("aria-expanded")).toBe("true");
        await field.press("ArrowDown").then(() => field.press("Enter"));
      }
      await leaves;
    }
    expect([count <= 3, await main.innerText()]).toEqual([true, expect.stringContaining(words)]);
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
