import { expect } from "vitest";
import { faults, manyAccounts, startSimNode } from "../../../../sim/index.ts";
import { test } from "../../../support/test.ts";
import { crawl } from "../../serve/support/served-archive.ts";
import { variedLedger } from "../../serve/support/varied-ledger.ts";
import { textOfHtml } from "../support/page-text.ts";
import { servePages } from "../support/served-pages.ts";

test("accounts with gaps stand first, also after a night that read them, and a page says why", async ({ place }) => {
  const scene = variedLedger();
  scene.next();
  const lost = scene.accounts.at(-1) as string;
  const db = place.file("gaps.db");
  {
    const plan = faults.planFaults([{ fault: faults.storageFailure("stateValue"), match: ({ target }) => target.includes(lost) }]);
    await using node = await startSimNode({ ledger: scene.ledger, faults: plan });
    expect(await crawl(db, node.url, scene.accounts)).toMatchObject({ gaps: 1 });
  }
  scene.next();
  // So the second night cannot fill what the first one missed.
  scene.ledger.pruneTo(scene.ledger.head);
  await using node = await startSimNode({ ledger: scene.ledger });
  expect(await crawl(db, node.url, scene.accounts)).toMatchObject({ gaps: 0 });
  await using served = await servePages(db);
  const get = async (path: string) => (await served.get(path)).text;
  const lines = [...(await get("/coverage")).matchAll(/<td><a class="mono" href="[^"]*" title="([^"]+)">/g)]
    .slice(0, scene.accounts.length)
    .map(([, address]) => address);
  expect([lines[0], lines.length]).toEqual([lost, scene.accounts.length]);
  const page = await get("/gaps");
  expect(textOfHtml(page)).toContain("1 answer missing");
  expect(page).toContain(`./account/${lost}`);
  expect(textOfHtml(page)).toMatch(/server_error|unable|unknown_error|bad_answer/);
  expect(textOfHtml(await get("/gaps?night=7"))).toContain("No gap at this version");
});

test("a page has sixty accounts, and says how many more there are", async ({ place }) => {
  const many = manyAccounts(70, { packages: 1 });
  const db = place.file("many.db");
  await using node = await startSimNode({ ledger: many.ledger });
  await crawl(db, node.url, [...many.addresses()]);
  await using served = await servePages(db);
  const get = async (path: string) => (await served.get(path)).text;
  const shown = (page: string) => [...page.matchAll(/<svg class="covered"/g)].length;
  const first = await get("/coverage");
  expect(textOfHtml(first)).toContain("70 accounts, 1 version.");
  expect(shown(first)).toBe(60);
  const [, next = ""] = /href="\.(\/coverage[^"]*)">Next accounts \(10 more\)/.exec(first) ?? [];
  expect(shown(await get(next))).toBe(10);
});
