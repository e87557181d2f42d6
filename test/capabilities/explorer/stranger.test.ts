import { createServer } from "node:http";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { pagesPlugin } from "../../../src/capabilities/explorer/open.ts";
import { listening, sampleArchive, temporaryDirectory } from "../../support/index.ts";
import { chromiumPath, openChromium } from "../serve/support/chromium.ts";
import type { ServedTest } from "../serve/support/served-archive.ts";
import { SQL_MS, servePages } from "./support/served-pages.ts";

const NAMED = "archive.example.org";
const QUESTION = "SELECT 40 + 2 AS answer";
const ASKED = `sql=${encodeURIComponent(QUESTION)}`;

/** A stranger's page, and the service, each in a browser that reaches both. */
describe.skipIf(chromiumPath === undefined)("a stranger's page in a browser (skipped without Chromium)", () => {
  const kept = new AsyncDisposableStack();
  const answered: string[] = [];
  let [strangerPort, port] = [0, ""];
  let html = "";
  let browser: Browser;
  let served: ServedTest;
  beforeAll(async () => {
    const place = kept.use(temporaryDirectory());
    const { db } = await sampleArchive(place.file("sample.db"));
    served = kept.use(
      await servePages(db, {
        pages: pagesPlugin(db, { hostNames: [NAMED], sqlMs: SQL_MS }),
        onRequest: ({ target, status }) => answered.push(`${status} ${target.replace(/\?.*/, "")}`),
      }),
    );
    port = new URL(served.origin).port;
    const stranger = createServer((_request, response) => response.setHeader("content-type", "text/html").end(html));
    strangerPort = kept.use(await listening(stranger)).port;
    browser = kept.use(await openChromium(["evil.example", NAMED])).browser;
  });
  afterAll(() => kept.disposeAsync());

  async function visit(body: string): Promise<Page> {
    html = `<!doctype html><body>${body}`;
    answered.length = 0;
    const page = await browser.newPage();
    await page.goto(`http://evil.example:${strangerPort}/`);
    return page;
  }
  const hasResult = async (page: Page): Promise<boolean> => (await page.getByRole("region", { name: "Result" }).count()) > 0;

  // A name without TLS, of which a browser does not say where a request comes from, and loopback, of which it does.
  test.each(["127.0.0.1", NAMED])("runs nothing by what it has in itself, at %s", async (host) => {
    const at = `http://${host}:${port}`;
    const page = await visit(
      `<img src="${at}/sql.csv?${ASKED}"><script src="${at}/sql?${ASKED}"></script><link rel="stylesheet" href="${at}/sql.csv?${ASKED}">` +
        `<iframe src="${at}/sql?${ASKED}"></iframe><object data="${at}/sql.csv?${ASKED}"></object>` +
        `<script>document.done = Promise.allSettled(["/sql", "/sql.csv", "/search"].map((path) => fetch("${at}" + path + "?${ASKED}&q=pool", { mode: "no-cors", headers: { accept: "text/html" }, credentials: "include" })))</script>`,
    );
    await page.evaluate("document.done");
    await expect.poll(() => answered.length).toBeGreaterThanOrEqual(6);
    expect(answered.filter((line) => line.includes("sql.csv") && !line.startsWith("403 "))).toEqual([]);
    if (host === "127.0.0.1") expect(answered.filter((line) => !line.startsWith("403 "))).toEqual([]);
    expect(
      page
        .frames()
        .slice(1)
        .map((frame) => frame.url())
        .filter((url) => url.includes("/sql?")),
    ).toEqual([]);
    await page.close();
  });

  test.each(["127.0.0.1", NAMED])("that leads to a statement has it shown, and a click runs it, at %s", async (host) => {
    const page = await visit(`<a href="http://${host}:${port}/sql?${ASKED}">look</a>`);
    await page.getByRole("link", { name: "look" }).click();
    await page.getByText("Look at the statement, then run it").waitFor();
    expect(await hasResult(page)).toBe(false);
    expect(await page.getByRole("textbox", { name: "Statement" }).inputValue()).toBe(QUESTION);
    await page.getByRole("button", { name: "Run" }).click();
    await page.getByRole("region", { name: "Result" }).first().waitFor();
    expect(await page.locator("td").allTextContents()).toEqual(["42"]);
    await page.close();
  });

  test("reads nothing by a name of its own that leads to the service", async () => {
    const page = await visit("");
    await page.goto(`http://evil.example:${port}/sql?${ASKED}`);
    expect(await page.textContent("body")).toContain("not served under this name");
    expect(await page.evaluate(`fetch("/sql.csv?${ASKED}").then((response) => response.status)`)).toBe(421);
    await page.close();
  });
});
