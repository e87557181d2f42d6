import { expect } from "vitest";
import { createSampleLedger, startSimNode } from "../../sim/index.ts";
import { eachPostgres } from "../engine/support/postgres-databases.ts";
import { mirror } from "../serve/support/mirror.ts";
import { crawl } from "../serve/support/served-archive.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { runCli } from "../support/run-cli.ts";
import { test } from "../support/test.ts";
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
    await using onFile = await servePages(file, { clock });
    await using onServer = await servePages(await at.reader(), { clock });
    const { pages } = await walkPages(onFile.origin, ["/", "/search?q=pool", "/changes.atom"], 150);
    expect(pages.length).toBeGreaterThan(80);
    // How a database would answer is its own affair.
    for (const path of pages.filter((one) => !one.includes("plan=1"))) {
      const [ours, theirs] = [await onFile.get(path), await onServer.get(path)];
      expect([path, theirs.status, timeless(theirs.text)]).toEqual([path, ours.status, timeless(ours.text)]);
    }
    for (const [sql, status] of [
      ["SELECT count(*) FROM functions_latest WHERE module = :m", 200],
      ["ANALYZE SELECT 1", 400],
      ["SELECT 1; SELECT 2", 400],
    ] as const) {
      const planned = await onServer.get(`/sql?${new URLSearchParams({ sql, plan: "1", "p.m": "coin" })}`);
      expect([sql, planned.status, planned.text.includes("QUERY PLAN")]).toEqual([sql, status, status === 200]);
    }
  });
});

/** An answer of the SQL page says how long it took. */
function timeless(text: string): string {
  return text.replace(/<span class="dim">in [^<]*<\/span>/, "");
}
