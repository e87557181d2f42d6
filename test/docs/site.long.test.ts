import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import * as library from "../../src/index.ts";
import { chromiumPath, openChromium } from "../serve/support/chromium.ts";
import { test } from "../support/test.ts";

const site = fileURLToPath(new URL("../../docs-site", import.meta.url));
const vitepress = join(site, "node_modules/vitepress/bin/vitepress.js");
const typedoc = join(site, "node_modules/typedoc/bin/typedoc");
const types: Readonly<Record<string, string>> = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
};

test.skipIf(chromiumPath === undefined || !existsSync(vitepress))(
  "the documentation site has every page, no dead link, and a search that finds (skipped without Chromium, or before `npm run docs:site`)",
  async ({ place }) => {
    execFileSync(process.execPath, [typedoc], { cwd: site, stdio: "pipe" });
    // VitePress fails on a link that leads nowhere.
    execFileSync(process.execPath, [vitepress, "build", site, "--outDir", place.path], { stdio: "pipe" });
    const server = createServer(({ url = "/" }, response) => {
      const path = join(place.path, new URL(url, "http://site").pathname.replace(/\/$/, "/index"));
      const file = [path, `${path}.html`].find((one) => extname(one) !== "" && existsSync(one));
      response.writeHead(file === undefined ? 404 : 200, { "content-type": types[extname(file ?? "")] ?? "application/octet-stream" });
      response.end(file === undefined ? "" : readFileSync(file));
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await using chromium = await openChromium();
    const page = await chromium.browser.newPage({ viewport: { width: 1280, height: 900 } });
    const wrong: string[] = [];
    page.on("pageerror", ({ message }) => wrong.push(message));
    page.on("response", (answer) => answer.status() >= 400 && wrong.push(`${answer.status()} ${answer.url()}`));
    await page.goto(`${url}/`);
    expect(await page.locator("h1").first().innerText()).toContain("movedex");
    const links = await page.locator("aside a").evaluateAll((found) => found.map((link) => link.getAttribute("href") ?? ""));
    expect(links).toEqual(expect.arrayContaining(["/docs/querying", "/docs/commands", "/docs/schema", "/docs/decisions/", "/api/"]));
    for (const link of links) {
      await page.goto(url + link);
      expect(await page.locator("h1").first().innerText()).not.toBe("404");
      expect(await page.locator("main").innerText()).not.toContain("<!--");
    }
    await page.goto(`${url}/api/`);
    const functions = Object.entries(library).flatMap(([name, value]) =>
      typeof value === "function" && !/^[A-Z]/.test(name) ? [name] : [],
    );
    for (const name of functions) expect(await page.locator(`h3[id="${name.toLowerCase()}"]`).innerText()).toContain(`${name}()`);
    // The examples are those of docs/library.md, which other tests run.
    expect(await page.locator('h4:has-text("Example")').count()).toBeGreaterThanOrEqual(5);
    await page.locator("#local-search button").first().click();
    await page.locator("#localsearch-input").fill("keep-daily");
    await page.locator("#localsearch-list a").first().waitFor();
    expect(await page.locator("#localsearch-list a").first().getAttribute("href")).toMatch(/commands|operations|CHANGELOG/);
    expect(wrong).toEqual([]);
    if (process.env["MOVEDEX_TEST_SCREENSHOT"] !== undefined) {
      await page.goto(`${url}/docs/querying`);
      await page.screenshot({ path: process.env["MOVEDEX_TEST_SCREENSHOT"] });
    }
    server.closeAllConnections();
    server.close();
  },
);
