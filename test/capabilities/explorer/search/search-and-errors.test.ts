import { expect } from "vitest";
import { createSampleLedger, faults, SimLedger, startSimNode, writeModule } from "../../../../sim/index.ts";
import { test } from "../../../support/index.ts";
import { crawl } from "../../serve/support/served-archive.ts";
import { serveSample } from "../support/sample-pages.ts";
import { servePages } from "../support/served-pages.ts";

const { served } = await serveSample();
const read = served.get;

/** Where the search field leads: the page itself, or a list of results. */
const entered = async (q: string, get = read): Promise<string> => {
  const { status, headers } = await get(`/search?go=1&q=${encodeURIComponent(q)}`);
  return status === 303 ? String(headers["location"]) : `${status}`;
};

test.each([
  ["0x1::coin::transfer", "./module/0x1/coin/transfer"],
  ["0x1::coin::Coin<…>", "./module/0x1/coin/Coin"],
  ["0x1::coin", "./module/0x1/coin"],
  ["0x1::coin@7000", "./module/0x1/coin"],
  ["coin::transfer", "./module/0x1/coin/transfer"],
  ["Move abort in 0x1::coin: EFROZEN(0x50001): The store is frozen", "./error/0x1/coin/327681"],
  ["Execution failed in 0x1::coin::transfer at code offset 15", "./module/0x1/coin/transfer"],
  [JSON.stringify({ hash: "ab".repeat(200), vm_status: "Move abort in 0x1::coin: EFROZEN(0x50001): Frozen" }), "./error/0x1/coin/327681"],
  ["3,456,004", "./changes?night=3456004"],
  ["2026-01-05", "./changes?night=3456004"],
  ["3,456,003", "200"],
  ["0x1", "./account/0x1"],
  ["coin", "200"],
])("Enter on `%s` leads to %s", async (typed, page) => {
  expect(await entered(typed)).toBe(page);
});

test("Enter on a function's name opens it though an event has the same name but for a capital; and a module that cannot be read", async ({
  place,
}) => {
  const ledger = new SimLedger({ chainId: 9 });
  const functions = [{ name: "withdraw", visibility: "public" as const, params: [], returns: [] }];
  const code = writeModule({ address: "0x1", name: "coin", functions, structs: [{ name: "Withdraw", abilities: [], fields: [] }] });
  const unreadable = new Uint8Array([0xa1, 0x1c, 0xeb, 0x0b, 6, 0, 0, 0, 0xff, 0xff]);
  ledger.genesis((writer) => {
    writer.publish("0x1", "coin", code);
    writer.publish("0x1", "opaque", unreadable);
  });
  await using node = await startSimNode({ ledger });
  const db = place.file("capital.db");
  await crawl(db, node.url, ["0x1"]);
  await using own = await servePages(db);
  expect(await entered("coin::withdraw", own.get)).toBe("./module/0x1/coin/withdraw");
  expect(await entered("coin::Withdraw", own.get)).toBe("./module/0x1/coin/Withdraw?kind=struct");
  expect(await entered("withdraw", own.get)).toBe("200");
  expect(await entered("0x1::opaque", own.get)).toBe("./module/0x1/opaque");
});

test("where the newest snapshot has no answer, the account, its modules, the overview, changes and the feed say so by name", async ({
  place,
}) => {
  const { ledger, codeAccounts, passDay } = createSampleLedger();
  let isSilent = false;
  const silent = faults.planFaults([
    { fault: faults.storageFailure("listing"), match: ({ target }) => isSilent && /accounts\/0x1\//.test(target) },
  ]);
  await using node = await startSimNode({ ledger, faults: silent });
  const db = place.file("gaps.db");
  await crawl(db, node.url, codeAccounts);
  passDay();
  isSilent = true;
  await crawl(db, node.url, codeAccounts);
  await using own = await servePages(db);
  for (const path of ["/account/0x1", "/module/0x1/coin"])
    expect((await own.get(path)).text).toMatch(
      /The newest snapshot, at <a [^>]*gaps\?night=.* has no answer about this account:\nthe node reported an internal error\./,
    );
  for (const path of ["/", "/changes"]) expect((await own.get(path)).text).toMatch(/No answer from <a [^>]*>0x1<\/a>: what changed there/);
  expect((await own.get("/changes.atom")).text).toContain("<title>no answer from 0x1</title>");
  expect((await own.get("/changes.atom?account=0x99")).text).not.toContain("no answer");
  // Also where nothing else changed that is asked for, and for those alone whom it concerns.
  expect((await own.get("/changes?account=0x1")).text).toMatch(/0 changes since [\d,]+<[\s\S]*No answer from <a [^>]*>0x1<\/a>/);
  expect((await own.get("/changes?account=0x99")).text).not.toContain("No answer from");
  // What is not known is no deletion.
  const { text: diff } = await own.get("/diff/0x1/coin");
  expect(diff).toMatch(/Ledger version \d+,\d+(?:,\d+)?: 0x1 gave no answer/);
  expect(diff).not.toMatch(/class="diff"|<h2>Findings/);
  expect((await own.get("/going")).text).toContain("What goes tomorrow");
});
