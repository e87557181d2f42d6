import { createServer, type OutgoingHttpHeaders } from "node:http";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormatsModule from "ajv-formats";
import { afterAll, describe, expect } from "vitest";
import { parse } from "yaml";
import { createSampleLedger, startSimNode } from "../../../sim/index.ts";
import { routes } from "../../../src/capabilities/serve/routes.ts";
import { openApi, specHtml } from "../../../src/capabilities/serve/spec/openapi.ts";
import { asWords, listening, rawRequest, temporaryDirectory, test } from "../../support/index.ts";
import { inChromium, openChromium } from "./support/chromium.ts";
import { askDatabase, crawl, jsonOf, serveDatabase, textOf } from "./support/served-archive.ts";

type Described = {
  readonly parameters: readonly { readonly name: string; readonly in: string }[];
  readonly responses: Readonly<
    Record<string, { readonly headers?: object; readonly content?: Readonly<Record<string, { readonly schema: object }>> }>
  >;
};

const paths = openApi.paths as unknown as Readonly<Record<string, { readonly get: Described }>>;
const ajv = new Ajv2020({ strict: false, allErrors: true });
(addFormatsModule as unknown as { default: (ajv: Ajv2020) => void }).default(ajv);
ajv.addSchema({ ...openApi, $id: "api" });

describe("the API description", async () => {
  const sample = createSampleLedger();
  const place = temporaryDirectory();
  const exchange = sample.codeAccounts[2] as string;

  await using node = await startSimNode({ ledger: sample.ledger });
  await crawl(place.file("archive.db"), node.url, [...sample.codeAccounts, sample.trader]);
  const served = await askDatabase(place.file("archive.db"));
  afterAll(() => served[Symbol.asyncDispose]());

  test("names every route under /v1 and no other", () => {
    expect(Object.keys(paths).sort()).toEqual(routes.map(({ path }) => path).sort());
  });

  test("is the same in JSON and in YAML, and says so where it is served", async () => {
    expect(jsonOf(await served.ask("/v1/spec.json"))).toEqual(JSON.parse(JSON.stringify(openApi)));
    expect(parse(textOf(await served.ask("/v1/spec.yaml")))).toEqual(JSON.parse(JSON.stringify(openApi)));
    expect((await served.ask("/v1/spec.yaml")).headers["content-type"]).toBe("application/x-yaml");
  });

  test("describes each parameter of a path", () => {
    for (const [path, { get }] of Object.entries(paths)) {
      const open = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      expect(get.parameters.filter((it) => it.in === "path").map(({ name }) => name)).toEqual(open);
    }
  });

  const asked: readonly (readonly [path: string, target: string, status: number])[] = [
    ["/", "/v1", 200],
    ["/accounts/{address}", `/v1/accounts/${exchange}`, 200],
    ["/accounts/{address}", "/v1/accounts/zz", 400],
    ["/accounts/{address}", "/v1/accounts/0x1?ledger_version=1", 410],
    ["/accounts/{address}", "/v1/accounts/0x77", 404],
    ["/accounts/{address}/modules", `/v1/accounts/${exchange}/modules`, 200],
    ["/accounts/{address}/modules", `/v1/accounts/${exchange}/modules?limit=1`, 200],
    ["/accounts/{address}/modules", `/v1/accounts/${exchange}/modules?limit=0`, 400],
    ["/accounts/{address}/modules", `/v1/accounts/${sample.trader}/modules`, 200],
    ["/accounts/{address}/module/{module_name}", `/v1/accounts/${exchange}/module/pool`, 200],
    ["/accounts/{address}/module/{module_name}", `/v1/accounts/${exchange}/module/nope`, 404],
    ["/info", "/v1/info", 200],
    ["/-/healthy", "/v1/-/healthy", 200],
    ["/snapshots", "/v1/snapshots", 200],
    ["/snapshots/{ledger_version}", "/v1/snapshots/2592000", 200],
    ["/snapshots/{ledger_version}", "/v1/snapshots/7", 404],
    ["/snapshots/{ledger_version}", "/v1/snapshots/x", 400],
  ];
  test.each(asked)("%s: what answers %s is as described (%i)", async (path, target, status) => {
    const response = await served.ask(target);
    expect(response.status).toBe(status);
    const described = paths[path]?.get.responses[`${status}`];
    expect(described).toBeDefined();
    const pointer = `api#/paths/${path.replaceAll("/", "~1").replaceAll("{", "%7B").replaceAll("}", "%7D")}/get/responses/${status}/content/application~1json/schema`;
    const validate = ajv.getSchema(pointer);
    expect(validate, pointer).toBeDefined();
    expect(validate?.(jsonOf(response)), JSON.stringify(validate?.errors)).toBe(true);
    const names = Object.keys(described?.headers ?? {}).map((name) => name.toLowerCase());
    const ledgers = Object.keys(response.headers).filter((name) => /^x-(aptos|node|movedex)-/.test(name));
    if (names.length > 0) expect(names).toEqual(expect.arrayContaining(ledgers));
  });
});

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
