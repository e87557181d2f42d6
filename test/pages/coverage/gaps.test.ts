import { expect } from "vitest";
import { faults, manyAccounts, startSimNode } from "../../../sim/index.ts";
import { crawl } from "../../serve/support/served-archive.ts";
import { variedLedger } from "../../serve/support/varied-ledger.ts";
import { test } from "../../support/test.ts";
import { textOfHtml } from "../support/page-text.ts";
import { servePages } from "../support/served-pages.ts";

test("accounts with gaps stand first in the map, also after a night that read them, and a page says why", async ({ place }) => {
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
  const lines = [...(await get("/coverage")).matchAll(/<g data-account="([^"]+)"/g)].map(([, address]) => address);
  expect([lines[0], lines.length]).toEqual([lost, scene.accounts.length]);
  const page = await get("/gaps");
  expect(textOfHtml(page)).toContain("1 answer missing");
  expect(page).toContain(`./account/${lost}`);
  expect(textOfHtml(page)).toMatch(/server_error|unable|unknown_error|bad_answer/);
  expect(textOfHtml(await get("/gaps?night=7"))).toContain("No gap at this version");
});

test("the map fills its width, and is looked at from nearer", async ({ place }) => {
  const many = manyAccounts(3, { packages: 1 });
  const db = place.file("nights.db");
  await using node = await startSimNode({ ledger: many.ledger });
  for (let night = 0; night < 14; night++) {
    many.ledger.advance(1000n);
    await crawl(db, node.url, [...many.addresses()]);
  }
  await using served = await servePages(db);
  const get = async (path: string) => (await served.get(path)).text;
  const bars = (page: string) => [...page.matchAll(/aria-label="version ([\d,]+): 3 accounts read/g)].map(([, version]) => version);
  const whole = await get("/coverage");
  expect(bars(whole).length).toBe(14);
  // A version's bar begins where the one before it ends, as shares of whatever width there is, and the last one ends at its end.
  const places = [...whole.matchAll(/<rect class="never" x="([\d.]+)%" y="\d+" width="([\d.]+)%"/g)].map(([, x, w]) => [
    Number(x),
    Number(w),
  ]);
  expect(places.map(([x]) => x?.toFixed(1))).toEqual(Array.from({ length: 14 }, (_, i) => ((100 / 14) * i).toFixed(1)));
  expect(places.at(-1)?.reduce((x, w) => x + w)).toBeCloseTo(100, 1);
  const href = /href="\.(\/coverage\?columns=12)">Zoom in/.exec(whole)?.[1] as string;
  const near = await get(href);
  expect(bars(near)).toEqual(bars(whole).slice(-12));
  const earlier = /href="\.(\/coverage\?[^"]*)">Earlier versions/.exec(near)?.[1]?.replaceAll("&amp;", "&") as string;
  expect(bars(await get(earlier))).toEqual(bars(whole).slice(0, 2));
  expect(near).toContain(">Zoom out</a>");
});
