import { createServer, type OutgoingHttpHeaders } from "node:http";
import { describe, expect } from "vitest";
import { createSampleLedger, startSimNode } from "../../sim/index.ts";
import { routes } from "../../src/serve/routes.ts";
import { specHtml } from "../../src/serve/spec/spec-page.ts";
import { isLongRun } from "../run-size.ts";
import { asWords } from "../support/command/as-words.ts";
import { rawRequest } from "../support/raw-request.ts";
import { listening } from "../support/scene/listening.ts";
import { test } from "../support/test.ts";
import { chromiumPath, inChromium, openChromium } from "./support/chromium.ts";
import { crawl, serveDatabase } from "./support/served-archive.ts";

/** Where to leave a picture of the page for people to look at; none when it is not said. */
const picture = process.env["MOVEDEX_SPEC_PICTURE"];

describe("the page of the API description", () => {
  test("fetches nothing from elsewhere", () => {
    expect(specHtml).not.toContain("src=");
    const links = [...specHtml.matchAll(/href="([^"]*)"/g)].map(([, href]) => href as string);
    expect(links).toEqual(expect.arrayContaining(["spec.json", "spec.yaml"]));
    expect(links.filter((href) => /^(?:[a-z]+:|\/)/i.test(href))).toEqual([]);
    expect(specHtml).not.toMatch(/https?:/);
  });

  inChromium(
    "works in a real browser without a network: a form sends its request, and the cursor can be seen from another origin",
    async ({ place }) => {
      const sample = createSampleLedger();
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
      const output = form.locator(".answer");
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
  );

  test("has for every operation its errors by code, its headers, the fields of its answer, and a line for curl", () => {
    const [, ...parts] = specHtml.split("<details>");
    const modules = parts.find((part) => part.includes("/v1/accounts/{address}/modules")) ?? "";
    for (const text of asWords`version_not_found rate_limited x-aptos-cursor x-movedex-inferred exposed_functions generic_type_params`) {
      expect(modules, text).toContain(text);
    }
    expect(parts.find((part) => part.includes("An account&#39;s sequence number"))).toContain("sequence_number");
    expect(parts.every((part) => part.includes("curl -s /v1"))).toBe(true);
    expect(modules).toContain("curl -s /v1/accounts/0x1/modules");
  });

  test.skipIf(chromiumPath === undefined || !isLongRun)(
    "works behind a proxy with a path of its own, and fits a phone with everything open (skipped without Chromium)",
    async ({ place }) => {
      const sample = createSampleLedger();
      const db = place.file("archive.db");
      await using node = await startSimNode({ ledger: sample.ledger });
      await crawl(db, node.url, sample.codeAccounts);
      await using served = await serveDatabase(db);
      await using proxy = await startPrefixProxy("/archive", served.origin);
      await using chromium = await openChromium();
      const page = await chromium.browser.newPage({ viewport: { width: 380, height: 800 } });
      await page.goto(`${proxy.url}/v1/spec`);
      await page.getByText("Newest sealed ledger versions: 2592000.").waitFor();
      const form = page.locator('form[data-path="/v1/accounts/{address}"]');
      await page.evaluate("for (const it of document.querySelectorAll('details')) it.open = true");
      await form.getByRole("button", { name: "Send" }).click();
      await form.locator(".answer").getByText("sequence_number").waitFor();
      expect(await form.locator(".answer").textContent()).toContain("GET /archive/v1/accounts/0x1");
      expect(await form.locator(".curl").textContent()).toBe(`curl -s '${proxy.url}/v1/accounts/0x1'`);
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(380);
      if (picture !== undefined) await page.screenshot({ path: `${picture}.phone.png` });
      const href = await page.getByRole("link", { name: "spec.json" }).evaluate((link: { href?: string }) => link.href ?? "");
      const json = await page.request.get(href);
      // The server that the description names is the one it came from.
      const { servers } = (await json.json()) as { servers: { url: string }[] };
      expect(new URL(servers[0]?.url ?? "", json.url()).href).toBe(`${proxy.url}/v1`);
      await page.goto(`${proxy.url}/`);
      const links = await page.evaluate("[...document.querySelectorAll('a')].map((it) => it.href)");
      expect(links).toEqual(["", "/spec", "/snapshots"].map((path) => `${proxy.url}/v1${path}`));
    },
  );
});

/** A proxy that gives a service a path of its own, as `location /archive/ { proxy_pass http://…/; }` does. */
async function startPrefixProxy(prefix: string, origin: string): Promise<AsyncDisposable & { readonly url: string }> {
  const proxy = createServer((incoming, outgoing) => {
    const { url = "", method = "GET", headers } = incoming;
    const path = url.startsWith(`${prefix}/`) ? url.slice(prefix.length) : undefined;
    if (path === undefined) {
      outgoing.writeHead(404).end();
      return;
    }
    rawRequest(origin, { method, path, headers: { accept: headers.accept ?? "" } }).then(
      (answer) => outgoing.writeHead(answer.status, answer.headers as OutgoingHttpHeaders).end(answer.body),
      () => outgoing.writeHead(502).end(),
    );
  });
  const server = await listening(proxy);
  return { ...server, url: `${server.origin}${prefix}` };
}
