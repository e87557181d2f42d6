import { expect } from "vitest";
import { SimLedger, startSimNode } from "../../../sim/index.ts";
import { writeModule } from "../../../sim/module-writer/module-writer.ts";
import { crawl } from "../../serve/support/served-archive.ts";
import { test } from "../../support/test.ts";
import { servePages } from "../support/served-pages.ts";

const MEGABYTE = 1_000_000;

/** A few kilobytes whose interface is megabytes: a long name, repeated in the type of every field. */
function wideModule(field: string): Uint8Array {
  const name = "S".repeat(250);
  const wide = `0xcafe::wide::${name}`;
  const type = `0xcafe::wide::Many<${new Array(30).fill(wide).join(", ")}>`;
  const many = { name: "Many", typeParams: new Array(30).fill(""), fields: [["x", "u8"]] as const };
  return writeModule({
    address: "0xcafe",
    name: "wide",
    structs: [
      { name, fields: [["x", "u8"]] },
      many,
      { name: "Wide", fields: Array.from({ length: 80 }, (_, i) => [`${field}${i}`, type] as const) },
    ],
  });
}

test("a comparison of megabytes is cut, and links lead to all of it", async ({ place }) => {
  const ledger = new SimLedger({ chainId: 4 });
  ledger.genesis((writer) => writer.publish("0xcafe", "wide", wideModule("before")));
  ledger.advance(10n);
  const db = place.file("wide.db");
  await using node = await startSimNode({ ledger });
  await crawl(db, node.url, ["0xcafe"]);
  ledger.transact((writer) => writer.publish("0xcafe", "wide", wideModule("after")));
  ledger.advance(10n);
  await crawl(db, node.url, ["0xcafe"]);
  await using served = await servePages(db);
  const seen = new Set<string>();
  let pages = 0;
  for (let path: string | undefined = "/diff/0xcafe/wide?full=1"; path !== undefined; pages++) {
    const { status, text } = await served.get(path);
    expect(status).toBe(200);
    expect(text.length).toBeLessThan(2 * MEGABYTE);
    for (const [, name = ""] of text.matchAll(/\b((?:before|after)\d+)\b/g)) seen.add(name);
    const [, next] = /<a href="([^"]*rest=\d+)">The rest/.exec(text) ?? [];
    path = next === undefined ? undefined : new URL(next.replaceAll("&amp;", "&"), `http://x${path}`).href.slice("http://x".length);
    expect(pages).toBeLessThan(40);
  }
  expect(pages).toBeGreaterThan(1);
  for (let i = 0; i < 80; i++) expect([i, seen.has(`before${i}`), seen.has(`after${i}`)]).toEqual([i, true, true]);
});
