import { createServer, type OutgoingHttpHeaders } from "node:http";
import { describe, expect } from "vitest";
import { createSampleLedger, startSimNode } from "../../../sim/index.ts";
import { routes } from "../../../src/capabilities/serve/routes.ts";
import { specHtml } from "../../../src/capabilities/serve/spec/openapi.ts";
import { asWords, listening, rawRequest, test } from "../../support/index.ts";
import { inChromium, openChromium } from "./support/chromium.ts";
import { crawl, serveDatabase } from "./support/served-archive.ts";

describe("the page of the API description", () => {
  test("fetches nothing from elsewhere", () => {
    expect(specHtml).not.toMatch(/src=|<script|<style|<form|style="/);
    const links = [...specHtml.matchAll(/href="([^"]*)"/g)].map(([, href]) => href as string);
    expect(links).toEqual(expect.arrayContaining(["../v1", "spec.json", "accounts/0x1/modules"]));
    // What a browser saves as a file it may not fetch from here.
    expect(links).not.toContain("spec.yaml");
    expect(links.filter((href) => /^(?:[a-z]+:|\/)/i.test(href))).toEqual([]);
    expect(specHtml).not.toMatch(/https?:/);
  });

  test("has every operation with its parameters and its errors by code", () => {
    const [, ...parts] = specHtml.replaceAll("<wbr>", "").split("<h2>");
    expect(parts.map((part) => /^GET \/v1([^<]*)<\/h2>/.exec(part)?.[1] || "/").sort()).toEqual(routes.map(({ path }) => path).sort());
    const modules = parts.find((part) => part.startsWith("GET /v1/accounts/{address}/modules<")) ?? "";
    for (const text of asWords`version_not_found rate_limited ledger_version start limit`) expect(modules, text).toContain(text);
  });

  inChromium("works behind a proxy with a path of its own, and fits a phone", async ({ place }) => {
    const sample = createSampleLedger();
    const db = place.file("archive.db");
    await using node = await startSimNode({ ledger: sample.ledger });
    await crawl(db, node.url, sample.codeAccounts);
    await using served = await serveDatabase(db);
    await using proxy = await startPrefixProxy("/archive", served.origin);
    await using chromium = await openChromium();
    const page = await chromium.browser.newPage({ viewport: { width: 380, height: 800 } });
    await page.goto(`${proxy.url}/v1/spec`);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(380);
    const links = page.getByRole("link", { name: "An example" });
    const hrefs = await links.evaluateAll((all: { href?: string }[]) => all.map(({ href = "" }) => href));
    expect(hrefs).toContain(`${proxy.url}/v1/accounts/0x1`);
    for (const href of hrefs) expect((await page.request.get(href)).status(), href).toBe(200);
    const href = await page.getByRole("link", { name: "spec.json" }).evaluate((link: { href?: string }) => link.href ?? "");
    const json = await page.request.get(href);
    // The server that the description names is the one it came from.
    const { servers } = (await json.json()) as { servers: { url: string }[] };
    expect(new URL(servers[0]?.url ?? "", json.url()).href).toBe(`${proxy.url}/v1`);
    await page.goto(`${proxy.url}/`);
    const welcome = await page.evaluate("[...document.querySelectorAll('a')].map((it) => it.href)");
    expect(welcome).toEqual(["", "/spec", "/snapshots"].map((path) => `${proxy.url}/v1${path}`));
  });
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
