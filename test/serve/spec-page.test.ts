import { describe, expect, test } from "vitest";
import { routes } from "../../src/serve/operations/routes.ts";
import { specHtml } from "../../src/serve/spec/spec-page.ts";
import { createSampleLedger, startSimNode } from "../../src/sim/index.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import { chromiumPath, openChromium } from "./support/chromium.ts";
import { crawl, serveDatabase } from "./support/served-archive.ts";

/** Where to leave a picture of the page for people to look at; none when it is not said. */
const picture = process.env["MOVEDEX_SPEC_PICTURE"];

describe("the page of the API description", () => {
  test("fetches nothing from elsewhere", () => {
    expect(specHtml).not.toMatch(/(?:src|href)="(?!\/v1\/)/);
    expect(specHtml).not.toMatch(/https?:/);
  });

  test.skipIf(chromiumPath === undefined)(
    "works in a real browser without a network: a form sends its request, and the cursor can be seen from another origin (skipped without Chromium)",
    async () => {
      const sample = createSampleLedger();
      using place = temporaryDirectory();
      const db = place.file("archive.db");
      await using node = await startSimNode({ ledger: sample.ledger });
      await crawl(db, node.url, [...sample.codeAccounts, sample.trader]);
      await using served = await serveDatabase(db);
      await using chromium = await openChromium();
      const page = await chromium.browser.newPage({ viewport: { width: 1100, height: 1400 } });
      const asked: string[] = [];
      const complaints: string[] = [];
      page.on("request", (request) => void asked.push(request.url()));
      page.on("console", (message) => void (message.type() === "error" && complaints.push(message.text())));
      page.on("pageerror", (error) => void complaints.push(String(error)));
      await page.goto(`${served.url}/spec`);
      expect(await page.locator("details").count()).toBe(routes.length);
      await page.getByText("Newest sealed ledger versions: 2592000.").waitFor();

      await page.getByText("/v1/accounts/{address}/modules", { exact: true }).click();
      const form = page.locator('form[data-path="/v1/accounts/{address}/modules"]');
      await form.locator('input[name="limit"]').fill("1");
      await form.getByRole("button", { name: "Send" }).click();
      const output = form.locator("pre");
      await output.getByText("x-aptos-cursor").waitFor();
      const text = await output.textContent();
      expect(text).toContain("GET /v1/accounts/0x1/modules?limit=1");
      expect(text).toContain("200");
      expect(text).toContain('"bytecode": "0x');
      if (picture !== undefined) await page.screenshot({ path: picture });

      await form.locator("select").selectOption("application/x-bcs");
      await form.getByRole("button", { name: "Send" }).click();
      await output.getByText("application/x-bcs").waitFor();
      await form.locator('input[name="address"]').fill("<img src=x onerror=alert(1)>");
      await form.locator("select").selectOption("application/json");
      await form.getByRole("button", { name: "Send" }).click();
      await output.getByText("Invalid account address").waitFor();

      // A page of another origin: the port differs.
      await page.goto(node.url);
      const cursor = await page.evaluate(
        async (url) => (await fetch(url)).headers.get("x-aptos-cursor"),
        `${served.url}/accounts/0x1/modules?limit=1`,
      );
      expect(cursor).toMatch(/^[0-9a-f]{100,}$/);
      expect(asked.every((url) => url.startsWith(served.origin) || url.startsWith(node.url) || url.endsWith("/favicon.ico"))).toBe(true);
      expect(
        complaints.filter((text) => !text.includes("favicon") && !text.includes("400 (Bad Request)") && !text.includes("404")),
      ).toEqual([]);
    },
    60_000,
  );
});
