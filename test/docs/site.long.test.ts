import { execFileSync } from "node:child_process";
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { dirname, extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import * as library from "../../src/index.ts";
import { chromiumPath, openChromium } from "../serve/support/chromium.ts";
import { listening } from "../support/scene/listening.ts";
import { test } from "../support/test.ts";

const site = fileURLToPath(new URL("../../docs-site", import.meta.url));
const vitepress = join(site, "node_modules/vitepress/bin/vitepress.js");
const typedoc = join(site, "node_modules/typedoc/bin/typedoc");
const types: Readonly<Record<string, string>> = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
  ".json": "application/json",
  ".svg": "image/svg+xml",
};

test.skipIf(chromiumPath === undefined || !existsSync(vitepress))(
  "the documentation site has every page, no dead link, a search that finds, and a way to other versions (skipped without Chromium, or before `npm run docs:site`)",
  async ({ place }) => {
    execFileSync(process.execPath, [typedoc], { cwd: site, stdio: "pipe" });
    // VitePress fails on a link that leads nowhere.
    mkdirSync(place.file("v0.9"));
    const words = ["build", site, "--base", "/v0.10/", "--outDir", place.file("v0.10")];
    execFileSync(process.execPath, [vitepress, ...words], { stdio: "pipe" });
    // The other version is a copy at its own place: a build takes ten seconds.
    for (const file of globSync("**/*.*", { cwd: place.file("v0.10") })) {
      const copy = place.file(`v0.9/${file}`);
      mkdirSync(dirname(copy), { recursive: true });
      const bytes = readFileSync(place.file(`v0.10/${file}`));
      writeFileSync(copy, /\.(html|js|css|json)$/.test(file) ? bytes.toString().replaceAll("/v0.10/", "/v0.9/") : bytes);
    }
    // A page that the newer version does not have any more.
    rmSync(place.file("v0.10/docs/scale.html"));
    const server = createServer(({ url = "/" }, response) => {
      const path = join(place.path, new URL(url, "http://site").pathname.replace(/\/$/, "/index"));
      const file = [path, `${path}.html`].find((one) => extname(one) !== "" && existsSync(one));
      response.writeHead(file === undefined ? 404 : 200, { "content-type": types[extname(file ?? "")] ?? "application/octet-stream" });
      response.end(file === undefined ? "" : readFileSync(file));
    });
    await using listener = await listening(server);
    const top = listener.origin;
    const url = `${top}/v0.10`;
    await using chromium = await openChromium();
    const page = await chromium.browser.newPage({ viewport: { width: 1280, height: 900 } });
    const wrong: string[] = [];
    page.on("pageerror", ({ message }) => wrong.push(message));
    page.on("response", (answer) => answer.status() >= 400 && wrong.push(`${answer.status()} ${answer.url()}`));
    await page.goto(`${top}/`);
    await page.waitForURL(`${url}/`);
    expect(await page.locator("h1").first().innerText()).toContain("movedex");
    const links = await page.locator("aside a").evaluateAll((found) => found.map((link) => link.getAttribute("href") ?? ""));
    expect(links).toEqual(expect.arrayContaining(["querying", "commands", "schema", "decisions/"].map((name) => `/v0.10/docs/${name}`)));
    expect(links).toContain("/v0.10/api/");
    for (const link of links.filter((one) => one !== "/v0.10/docs/scale")) {
      await page.goto(top + link);
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
    await page.locator("#localsearch-input").fill("page-size");
    await page.locator("#localsearch-list a").first().waitFor();
    expect(await page.locator("#localsearch-list a").first().getAttribute("href")).toMatch(/commands|operations|CHANGELOG/);
    expect(wrong).toEqual([]);

    const versions = page.locator("select").first();
    const choose = async (version: string, path: string): Promise<void> => {
      await versions.selectOption(version);
      await page.waitForURL(`${top}/${version}/${path}`);
      expect(await page.locator("h1").first().innerText()).not.toBe("404");
    };
    await page.goto(`${url}/docs/operations#being-told`);
    await choose("v0.9", "docs/operations#being-told");
    expect(await versions.locator("option").allInnerTexts()).toEqual(["v0.10", "v0.9"]);
    await choose("v0.10", "docs/operations#being-told");
    await page.goto(`${top}/v0.9/docs/scale`);
    await choose("v0.10", "");
    if (process.env["MOVEDEX_TEST_SCREENSHOT"] !== undefined) {
      await page.goto(`${url}/docs/querying`);
      await page.screenshot({ path: process.env["MOVEDEX_TEST_SCREENSHOT"] });
    }
  },
);
