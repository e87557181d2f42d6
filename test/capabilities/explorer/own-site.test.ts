import { connect } from "node:net";
import { describe, expect, test } from "vitest";
import { pagesPlugin } from "../../../src/capabilities/explorer/open.ts";
import { asWords, rawRequest } from "../../support/index.ts";
import { textOf } from "../serve/support/served-archive.ts";
import { serveSample } from "./support/sample-pages.ts";
import { SQL_MS, servePages, typed } from "./support/served-pages.ts";

const ASK = `/sql?sql=${encodeURIComponent("SELECT 40 + 2 AS n")}`;
const PAGES = ["/", "/changes", "/coverage", "/sql", ASK, ASK.replace("/sql", "/sql.csv"), "/search?q=pool", "/static/icon.svg"];

const { sample, served } = await serveSample((db) => ({ pages: pagesPlugin(db, { hostNames: ["Archive.Example.org"], sqlMs: SQL_MS }) }));
const { db } = sample;

const get = async (path: string, headers: Record<string, string>) => {
  const response = await rawRequest(served.origin, { path, headers });
  return { ...response, text: textOf(response) };
};
/** Whether a statement was run for a request. */
const runs = async (headers: Record<string, string>): Promise<boolean> => (await get(ASK, headers)).text.includes('aria-label="Result"');

describe("the pages are answered under names of the service's own", () => {
  const port = () => new URL(served.origin).port;

  test.each(["localhost", "127.0.0.1", "127.9.9.9", "[::1]", "a.localhost", "archive.example.org", "ARCHIVE.example.org.", "0x7f.1"])(
    "under %s",
    async (name) => {
      for (const host of [name, `${name}:${port()}`]) expect([host, (await get("/changes", { host })).status]).toEqual([host, 200]);
    },
  );

  test.each(asWords`
    evil.example 127.0.0.1.evil.example localhost.evil.example evil-localhost xn--lcalhost-c4a 192.0.2.7 [2001:db8::7]
    archive.example.org.evil.example 2130706434.example
  `)("not under %s, on any page", async (host) => {
    for (const path of PAGES) {
      const { status, text, headers } = await get(path, { ...typed, host });
      expect([path, status, headers["content-type"]]).toEqual([path, 421, "text/plain; charset=utf-8"]);
      expect(text).not.toContain(host);
    }
  });

  test("nor under two of them, of which a proxy may have looked at the other", async () => {
    const socket = connect(Number(port()), "127.0.0.1");
    socket.write("GET /changes HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\nConnection: close\r\n\r\n");
    let answer = "";
    for await (const chunk of socket) answer += String(chunk);
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
  });

  test("nor by what a page says in a proxy's place", async () => {
    const trusting = { trustProxy: () => true, pages: pagesPlugin(db, { hostNames: ["archive.example.org"], sqlMs: SQL_MS }) };
    await using behind = await servePages(db, trusting);
    for (const [host, forwarded, status] of [
      ["localhost", "archive.example.org", 200],
      ["archive.example.org", "archive.example.org", 200],
      ["localhost", "evil.example", 421],
      ["evil.example", "localhost", 421],
      ["evil.example", "archive.example.org", 421],
    ] as const) {
      const headers = { host, "x-forwarded-host": forwarded };
      expect([host, forwarded, (await rawRequest(behind.origin, { path: "/changes", headers })).status]).toEqual([host, forwarded, status]);
    }
  });

  test("while the node's API is answered under every name, to every origin", async () => {
    const { status, headers } = await get("/v1", { host: "evil.example", origin: "http://evil.example", "sec-fetch-site": "cross-site" });
    expect([status, headers["access-control-allow-origin"]]).toEqual([200, "http://evil.example"]);
  });
});

describe("what costs much is done for these pages and the address bar", () => {
  const own = () => ({ host: new URL(served.origin).host });

  test("by what a browser says of a request", async () => {
    expect(await runs({ "sec-fetch-site": "none" })).toBe(true);
    expect(await runs({ "sec-fetch-site": "same-origin" })).toBe(true);
    const navigation = { "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" };
    for (const site of ["cross-site", "same-site", "nonsense"])
      expect([site, await runs({ "sec-fetch-site": site, ...navigation })]).toEqual([site, false]);
  });

  test("by where it comes from, for a name without TLS of which a browser says no more", async () => {
    const host = "archive.example.org:8080";
    expect(await runs({ host, referer: `http://${host}/sql` })).toBe(true);
    expect(await runs({ host, origin: `https://${host}` })).toBe(true);
    for (const headers of [
      {},
      { referer: "" },
      { referer: "http://evil.example/" },
      { referer: "http://archive.example.org:8081/" },
      { referer: `http://evil.example/?${host}` },
      { referer: `http://${host}.evil.example/` },
      { referer: `http://${host}@evil.example/` },
      { origin: "null" },
      { origin: "null", referer: `http://${host}/` },
      { origin: "http://evil.example", referer: `http://${host}/` },
    ])
      expect([headers, await runs({ host, ...headers })]).toEqual([headers, false]);
  });

  test("and a statement that is not run is shown, to be run by a click", async () => {
    const { status, text } = await get(ASK, own());
    expect([status, text]).toEqual([200, expect.stringContaining("SELECT 40 + 2 AS n</textarea>")]);
    expect(text).toContain("Look at the statement, then run it");
    expect(await get(ASK.replace("/sql", "/sql.csv"), own())).toMatchObject({ status: 403 });
    const search = await get("/search?q=pool", own());
    expect([search.status, search.text]).toEqual([200, expect.stringContaining('value="pool"')]);
    expect(search.text).not.toContain('class="hits"');
  });

  test("no answer for one is given to the other", async () => {
    const path = "/search?q=orders";
    const [mine, foreign] = [await get(path, { ...typed }), await get(path, own())];
    expect([mine.text, foreign.text].map((text) => text.includes('class="hits"'))).toEqual([true, false]);
    expect((await get(path, { ...typed })).text).toContain('class="hits"');
  });

  test("no page of another site has a page of these in itself", async () => {
    for (const site of ["cross-site", "same-site"])
      for (const [mode, dest] of [
        ["no-cors", "image"],
        ["no-cors", "script"],
        ["cors", "empty"],
        ["navigate", "iframe"],
        ["navigate", "object"],
        ["websocket", "empty"],
      ] as const)
        for (const path of PAGES) {
          const headers = { "sec-fetch-site": site, "sec-fetch-mode": mode, "sec-fetch-dest": dest };
          expect([path, mode, dest, (await get(path, headers)).status]).toEqual([path, mode, dest, 403]);
        }
    const link = { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" };
    expect((await get("/changes", link)).status).toBe(200);
    expect((await get("/changes", {})).headers).toMatchObject({
      "referrer-policy": "same-origin",
      "cross-origin-resource-policy": "same-origin",
    });
  });
});
