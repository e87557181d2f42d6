import { expect } from "vitest";
import { SimLedger, startSimNode, writeModule } from "../../../sim/index.ts";
import { sealModules } from "../../support/sealed-modules.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";
import { test } from "../../support/test.ts";
import { crawl } from "../serve/support/served-archive.ts";
import { textOfHtml } from "./support/page-text.ts";
import { servePages } from "./support/served-pages.ts";

test("a module's line says what it uses of its own account and which accounts besides; a long list is cut and counted", async ({
  place,
}) => {
  const [account, held] = ["0x8000", "0x9000"];
  const names = Array.from({ length: 120 }, (_, i) => `m${String(i).padStart(3, "0")}`);
  const ledger = new SimLedger({ chainId: 7 });
  ledger.genesis((writer) => {
    for (const address of [account, held]) writer.account(address);
    writer.publish(held, "base", writeModule({ address: held, name: "base" }));
    for (const [i, name] of names.entries()) {
      const before = i === 40 ? names.slice(0, 40) : names.slice(Math.max(0, i - 1), i);
      const dependencies = [...before.map((other) => `${account}::${other}`), ...(i === 2 ? [`${held}::base`, "0xdead::gone"] : [])];
      writer.publish(account, name, writeModule({ address: account, name, dependencies }));
    }
  });
  ledger.advanceTo(1000n);
  const db = place.file("archive.db");
  await using node = await startSimNode({ ledger });
  await crawl(db, node.url, [account, held]);
  await using served = await servePages(db);
  const { text } = await served.get(`/account/${account}?tab=dependencies`);
  const [, dependencies = ""] = /(aria-label="Dependencies"[\s\S]*)<h3>/.exec(text) ?? [];
  const rows = [...dependencies.matchAll(/<tr>(<td[\s\S]*?)<\/tr>/g)].map(([, row = ""]) => row);
  const words = rows.map((row) => textOfHtml(row.replaceAll("</td>", " | ")).replaceAll(/\s+/g, " ").trim());
  expect(words.slice(0, 2)).toEqual(["m001 | m000 | |", "m002 | m001 | 0x9000, 0xdead (not held) |"]);
  // No link leads to what is not held.
  expect(rows[1]).toMatch(/href="[^"]*account\/0x9000"/);
  expect(rows[1]).not.toMatch(/href="[^"]*0xdead/);
  expect(words[39]).toBe(`m040 | ${names.slice(0, 20).join(", ")} and 20 more | |`);
  expect(rows).toHaveLength(60);
  expect(textOfHtml(text)).toContain("and 59 more modules");
  // What stood at an older version may be gone since.
  const older = (await served.get(`/account/${account}?at=1000&tab=dependencies`)).text;
  expect(/<h2>Dependencies[\s\S]*?href="([^"]*)"/.exec(older)?.[1]).toMatch(/module\/0x8000\/m001\?at=1000$/);
});

test("an account of more than a thousand modules has a thousand on a page, and a link to the next", async ({ place }) => {
  const account = "0x8000";
  const ledger = new SimLedger({ chainId: 7 });
  ledger.genesis((writer) => {
    writer.account(account);
    for (let i = 0; i < 1005; i++) writer.publish(account, `m${i}`, writeModule({ address: account, name: `m${i}` }));
  });
  const db = place.file("archive.db");
  await using node = await startSimNode({ ledger });
  await crawl(db, node.url, [account]);
  await using served = await servePages(db);
  const read = async (query: string) => (await served.get(`/account/${account}${query}`)).text;
  const rowsOf = (page: string) => page.match(/<tr><td/g)?.length;
  const text = await read("");
  const open = text.replaceAll(/<details>[\s\S]*?<\/details>/g, "<summary>");
  expect(open.match(/<(?:a |button|input|select|summary)|tabindex="0"/g)?.length).toBeLessThanOrEqual(120);
  const [, next = ""] = /<a href="([^"]*)">Next: 5 more of 1,005 modules<\/a>/.exec(text) ?? [];
  expect([rowsOf(text), rowsOf(await read(next.slice(next.indexOf("?"))))]).toEqual([1000, 5]);
});

test("a module of more than five hundred functions has five hundred on a page, and a link to the next", async ({ place }) => {
  const [account, name] = ["0x8000", "wide"];
  const functions = Array.from({ length: 507 }, (_, i) => ({ name: `f${i}`, visibility: i % 100 === 0 ? "private" : "public" }) as const);
  const db = place.file("archive.db");
  await sealModules(db, [{ version: 100n, accounts: { [account]: [writeModule({ address: account, name, functions })] } }]);
  await using served = await servePages(db);
  const read = async (query: string) => (await served.get(`/module/${account}/${name}${query}`)).text;
  const rowsOf = (page: string) => page.match(/ id="fun\./g)?.length;
  expect(await read("")).toContain("Next: 1 more of 501 functions");
  const all = await read("?all=1");
  const [, next = ""] = /<a href="([^"]*)">Next: 7 more of 507 functions<\/a>/.exec(all) ?? [];
  expect([rowsOf(all), rowsOf(await read(next.slice(next.indexOf("?")).replaceAll("&amp;", "&")))]).toEqual([500, 7]);
});

test.each([
  ["structs", "struct", "struct"],
  ["errors", "error", "error code"],
])("so has one of more than five hundred %s, beside whatever of the others", async (kind, anchor, noun) => {
  using place = temporaryDirectory();
  const module = writeModule({
    address: "0x8000",
    name: "wide",
    structs: Array.from({ length: 507 }, (_, i) => ({ name: `S${i}`, fields: [["x", "u8"]] as const })),
    errors: Array.from({ length: 507 }, (_, i) => ({ code: i + 1, name: `E${i}`, description: "too many" })),
  });
  const db = place.file("archive.db");
  await sealModules(db, [{ version: 100n, accounts: { "0x8000": [module] } }]);
  await using served = await servePages(db);
  const read = async (query: string) => (await served.get(`/module/0x8000/wide${query}`)).text;
  const rowsOf = (page: string) => new Set(page.match(new RegExp(` id="${anchor}\\.[^"]*"`, "g")));
  const first = await read("");
  const [, next = ""] = new RegExp(`<a href="([^"]*)#${kind}">Next: 7 more of 507 ${noun}s</a>`).exec(first) ?? [];
  const rest = await read(next.slice(next.indexOf("?")).replaceAll("&amp;", "&"));
  expect([rowsOf(first).size, rowsOf(rest).size, new Set([...rowsOf(first), ...rowsOf(rest)]).size]).toEqual([500, 7, 507]);
  // What a link leads to is not folded.
  expect(rest).toMatch(new RegExp(`<h2 id="${kind}">.*\\n<details open>`));
});

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
