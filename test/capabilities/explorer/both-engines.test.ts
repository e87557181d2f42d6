import { expect } from "vitest";
import { createSampleLedger, startSimNode } from "../../../sim/index.ts";
import { pagesPlugin } from "../../../src/capabilities/explorer/open.ts";
import { eachPostgres } from "../../engine/support/postgres-databases.ts";
import { ManualClock, runCli, test } from "../../support/index.ts";
import { mirror } from "../serve/support/mirror.ts";
import { crawl } from "../serve/support/served-archive.ts";
import { walkPages } from "./support/crawl-pages.ts";
import { servePages } from "./support/served-pages.ts";

const NOW = Date.UTC(2026, 0, 2);

eachPostgres("the pages of two nights", (open) => {
  test("are the same from a file and from a server, every one that a link leads to", async ({ place }) => {
    const file = place.file("archive.db");
    const at = await open();
    const sample = createSampleLedger();
    await using node = await startSimNode({ ledger: sample.ledger });
    await crawl(file, node.url, [...sample.codeAccounts, sample.trader]);
    sample.passDay();
    await crawl(file, node.url, [...sample.codeAccounts, sample.trader]);
    await runCli(["trace", "--rpc", node.url, "--db", file, "--rate", "0"], { clock: new ManualClock({ skipSleeps: true }) });
    await mirror(file, at.url());

    const clock = { now: () => NOW, monotonic: () => 0, sleep: async () => undefined };
    // A server is asked no SQL of readers.
    await using onFile = await servePages(file, { clock, pages: pagesPlugin(file, { hasSql: false }) });
    await using onServer = await servePages(await at.reader(), { clock });
    const { pages } = await walkPages(onFile.origin, ["/", "/search?q=pool", "/changes.atom"], 150);
    expect(pages.length).toBeGreaterThan(80);
    for (const path of pages) {
      const [ours, theirs] = [await onFile.get(path), await onServer.get(path)];
      expect([path, theirs.status, theirs.text]).toEqual([path, ours.status, ours.text]);
      expect(theirs.text).not.toMatch(/(?:href|action)="[^"]*\/sql\b/);
    }
    for (const path of ["/sql", "/sql?sql=SELECT+1", "/sql.csv?sql=SELECT+1", "/sql.json?sql=SELECT+1"]) {
      const browser = { headers: { accept: "text/html" } };
      const [ours, theirs] = [await fetch(onFile.origin + path, browser), await fetch(onServer.origin + path, browser)];
      expect([path, theirs.status, await theirs.text()]).toEqual([
        path,
        404,
        expect.stringContaining("Ask it in SQL with psql or any BI tool."),
      ]);
      expect([path, ours.status, await ours.text()]).toEqual([path, 404, expect.stringContaining("Nothing is served at this address.")]);
    }
  });
});
