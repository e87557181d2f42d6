import { createServer } from "node:http";
import { fileURLToPath } from "node:url";
import { build } from "vite";
import { describe, expect } from "vitest";
import { createSampleLedger, startSimNode } from "../../../sim/index.ts";
import { openForwarder } from "../../../src/capabilities/serve/upstream/forwarder.ts";
import { type Listening, listening } from "../../support/scene/listening.ts";
import { inChromium, openChromium } from "./support/chromium.ts";
import { crawl, serveDatabase } from "./support/served-archive.ts";

/** The page's script with the SDK in it, as a browser gets it. */
async function bundleSdkPage(): Promise<string> {
  const entry = fileURLToPath(new URL("support/sdk-page.ts", import.meta.url));
  const output = await build({
    configFile: false,
    logLevel: "silent",
    build: { write: false, minify: false, lib: { entry, formats: ["es"], fileName: "page" } },
  });
  const [{ output: chunks }] = output as unknown as [{ output: { code: string }[] }];
  return (chunks[0] as { code: string }).code;
}

/** An empty page with a script, on an origin of its own. */
function servePage(script: string): Promise<Listening> {
  const server = createServer(({ url }, response) => {
    const isScript = url === "/page.js";
    response.writeHead(200, { "content-type": isScript ? "text/javascript; charset=utf-8" : "text/html; charset=utf-8" });
    response.end(isScript ? script : "<!doctype html><meta charset=utf-8><script type=module src=/page.js></script>");
  });
  return listening(server);
}

describe("the unmodified official SDK in a browser", () => {
  inChromium("reads everything from a page of another origin, in its default settings", async ({ place }) => {
    const sample = createSampleLedger();
    const account = sample.codeAccounts[2] as string;
    const db = place.file("archive.db");
    await using node = await startSimNode({ ledger: sample.ledger });
    await crawl(db, node.url, sample.codeAccounts);
    const forwarder = openForwarder({ url: node.url, connections: 2, silenceMs: 5000 });
    await using archive = await serveDatabase(db);
    await using front = await serveDatabase(db, { upstream: forwarder });
    await using page = await servePage(await bundleSdkPage());
    await using chromium = await openChromium();
    const tab = await chromium.browser.newPage();
    await tab.goto(page.origin);
    await tab.waitForFunction("globalThis.askAll !== undefined");
    for (const { url } of [archive, front]) {
      const seen = await tab.evaluate(
        (asked) => (globalThis as unknown as { askAll: (...args: string[]) => Promise<Record<string, unknown>> }).askAll(...asked),
        [url, account, "pool"],
      );
      expect(seen).toEqual({
        getLedgerInfo: "2592000",
        getChainId: 4,
        getAccountInfo: expect.stringMatching(/^[0-9]+$/),
        getAccountModule: "pool",
        getAccountModules: ["pool", "curve", "router"],
        getAccountModulesPage: ["pool"],
        cursor: "00",
        refusal: "module_not_found",
      });
    }
    await forwarder.close();
  });
});
