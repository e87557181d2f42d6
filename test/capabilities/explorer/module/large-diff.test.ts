import { expect } from "vitest";
import { SimLedger, startSimNode, writeModule } from "../../../../sim/index.ts";
import { test } from "../../../support/test.ts";
import { crawl } from "../../serve/support/served-archive.ts";
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

/** Many functions of one line, whose names are most of what a page has of them. */
function longModule(prefix: string): Uint8Array {
  const named = (_: unknown, i: number) =>
    ({ name: `${prefix}${i}${"_".repeat(200)}`, visibility: "public", params: [], returns: [] }) as const;
  return writeModule({ address: "0xcafe", name: "long", functions: Array.from({ length: 2000 }, named) });
}

test("a page of megabytes is cut, and says where the rest is", async ({ place }) => {
  const ledger = new SimLedger({ chainId: 4 });
  const db = place.file("wide.db");
  await using node = await startSimNode({ ledger });
  ledger.genesis((writer) => writer.account("0xcafe"));
  for (const when of ["before", "after"]) {
    ledger.transact((writer) => {
      writer.publish("0xcafe", "wide", wideModule(when));
      writer.publish("0xcafe", "long", longModule(when));
    });
    ledger.advance(10n);
    await crawl(db, node.url, ["0xcafe"]);
  }
  await using served = await servePages(db);
  for (const [path, most, ending] of [
    ["/diff/0xcafe/long?full=1", 2 * MEGABYTE, /The page would be too large: <code>movedex diff<\/code> prints \d+ more/],
    ["/diff/0xcafe/wide?full=1", 2 * MEGABYTE, /The page would be too large: <code>movedex diff<\/code> prints \d+ more/],
    ["/module/0xcafe/wide?show=source", 2 * MEGABYTE, /<a href="[^"]*wide\/abi\.json">abi\.json has all of it/],
    ["/module/0xcafe/wide/Wide", 2 * MEGABYTE, /<a href="[^"]*wide\/abi\.json">abi\.json has all of it/],
    ["/diff/0xcafe/wide", 0.2 * MEGABYTE, /The page would be too large: <a href="[^"]*full=1">\d+ more/],
  ] as const) {
    const { status, text } = await served.get(path);
    expect(status).toBe(200);
    expect(text.length).toBeLessThan(most);
    expect(text).toMatch(ending);
  }
});
