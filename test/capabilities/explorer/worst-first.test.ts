import { expect } from "vitest";
import { SimLedger, startSimNode, writeModule } from "../../../sim/index.ts";
import { runCli, test } from "../../support/index.ts";
import { crawl } from "../serve/support/served-archive.ts";
import { servePages } from "./support/served-pages.ts";

/** An address after all the others in every order. */
const LAST = `0x${"f".repeat(64)}`;
const SINGLE = 215;

/** A night in which 215 accounts gain a struct, one account upgrades seven modules, and the last account loses a function. */
async function busyNight(db: string): Promise<void> {
  const ledger = new SimLedger({ chainId: 9 });
  const singles = Array.from({ length: SINGLE }, (_, i) => `0x${(i + 0x100).toString(16)}`);
  const names = "abcdefg".split("").map((letter) => `module_${letter}`);
  const code = (address: string, name: string, structs: readonly string[], functions: readonly string[] = []) =>
    writeModule({
      address,
      name,
      structs: structs.map((struct) => ({ name: struct, abilities: [], fields: [] })),
      functions: functions.map((fn) => ({ name: fn, visibility: "public" as const, params: [], returns: [] })),
    });
  ledger.genesis((writer) => {
    for (const address of [...singles, "0xa1", LAST]) writer.account(address, { sequenceNumber: 1n });
    for (const address of singles) writer.publish(address, "one", code(address, "one", ["First"]));
    for (const name of names) writer.publish("0xa1", name, code("0xa1", name, ["First"]));
    writer.publish(LAST, "broken", code(LAST, "broken", [], ["stays", "goes"]));
  });
  await using node = await startSimNode({ ledger });
  const accounts = [...singles, "0xa1", LAST];
  ledger.advanceTo(100n);
  await crawl(db, node.url, accounts, { version: 100n });
  ledger.transact((writer) => {
    for (const address of singles) writer.publish(address, "one", code(address, "one", ["First", "Second"]));
    for (const name of names) writer.publish("0xa1", name, code("0xa1", name, ["First", "Second"]));
    writer.publish(LAST, "broken", code(LAST, "broken", [], ["stays"]));
  });
  ledger.advanceTo(200n);
  await crawl(db, node.url, accounts, { version: 200n });
}

test("one change among hundreds stands first on pages and in diff; a release is one entry; totals are totals", async ({ place }) => {
  const db = place.file("archive.db");
  await busyNight(db);
  await using served = await servePages(db);
  const read = async (path: string) => (await served.get(path)).text;
  const total = SINGLE + 8;
  const { stdout } = await runCli(["diff", "previous", "latest", "--db", db, "--json"]);
  const { modules } = JSON.parse(stdout) as { modules: { module: string; findings: { severity: string }[] }[] };
  expect([modules.length, modules[0]?.findings[0]?.severity, modules[0]?.module]).toEqual([total, "dangerous", "broken"]);
  for (const path of ["/", "/changes", "/changes?night=200"]) {
    const page = await read(path);
    const items = [...page.matchAll(/<li(?: class="release")?><span class="tag (\w+)">/g)].map(([, severity]) => severity);
    expect([path, items[0], items.slice(1).every((severity) => severity === "safe")]).toEqual([path, "dangerous", true]);
    expect(page.indexOf("::broken")).toBeLessThan(page.indexOf("::one"));
    expect(page).toContain(`1 dangerous, ${total - 1} safe`);
    expect(page.match(/<li class="release">/g)?.length ?? 0).toBeLessThanOrEqual(1);
    const open = page.replaceAll(/<details>[\s\S]*?<\/details>/g, "<summary>");
    expect(open.match(/<(?:a |button|input|select|summary)/g)?.length).toBeLessThanOrEqual(120);
  }
  expect(await read("/")).toContain(`${total} modules changed: `);
  expect(await read("/changes?night=200")).toContain(`${total} changes since 100`);
  // All pages of the night together show each change once, the release in one entry.
  const seen: string[] = [];
  let releases = 0;
  for (let path: string | undefined = "/changes?night=200"; path !== undefined; ) {
    const page: string = await read(path);
    expect(page).toContain(`${total} changes since 100`);
    releases += page.match(/<li class="release">/g)?.length ?? 0;
    seen.push(...[...page.matchAll(/<p><a class="mono" href="[^"]*" title="(0x[0-9a-f]+::\w+)">/g)].map(([, id]) => id as string));
    const next: string | undefined = /<a class="button" href="\.\/([^"]+)" rel="next">More of this night/.exec(page)?.[1];
    path = next === undefined ? undefined : `/${next.replaceAll("&amp;", "&")}`;
  }
  expect([seen.length, new Set(seen).size, releases]).toEqual([total, total, 1]);
  // So do all parts of the feed.
  let feed = "";
  for (let path: string | undefined = "changes.atom"; path !== undefined; ) {
    const part: string = await read(`/${path.replaceAll("&amp;", "&")}`);
    path = /<link rel="next" href="\.\/([^"]+)"/.exec(part)?.[1];
    feed += part;
  }
  expect(feed.match(/<entry>/g)).toHaveLength(SINGLE + 2);
  expect(feed.match(/&lt;li&gt;/g)).toHaveLength(7);
});
