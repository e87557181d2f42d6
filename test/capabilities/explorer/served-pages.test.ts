import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { describe, expect } from "vitest";
import { createSampleLedger, SimLedger, startSimNode, writeModule } from "../../../sim/index.ts";
import { rules } from "../../../src/capabilities/changes/compare/rules/rules.ts";
import { pagesPlugin } from "../../../src/capabilities/explorer/open.ts";
import { sha256 } from "../../../src/core/base/sha256.ts";
import { asWords, ended, rawRequest, runCli, test } from "../../support/index.ts";
import { askDatabase, crawl } from "../serve/support/served-archive.ts";
import { pagesOfEveryKind } from "./support/page-kinds.ts";
import { textOfHtml } from "./support/page-text.ts";
import { serveSample } from "./support/sample-pages.ts";
import { servePages } from "./support/served-pages.ts";

const { sample, served } = await serveSample();
const { get } = served;

describe("pages of two nights", () => {
  test("what is a type leads to where it is defined, elsewhere or below, and a finding has an address of its own", async () => {
    const { exchange, first, last } = sample;
    const { text } = await get(`/module/${exchange}/pool?show=source`);
    expect(text).toMatch(/class="ty" href="\.\.\/\.\.\/module\/0x1\/coin\/Coin[?"]/);
    expect(text).toMatch(/class="ty" href="#struct\.\w+"/);
    const { text: diff } = await get(`/diff/${exchange}/pool?from=${first}&to=${last}`);
    expect(diff).toContain('id="function-removed.spot_price"');
    expect(diff).toContain(`#function-removed.spot_price"`);
  });

  test("changes are filtered by account, module, severity and audience, on the page as in the feed", async () => {
    const { exchange } = sample;
    const modulesOf = async (path: string) =>
      [...(await get(path)).text.matchAll(/title="0x[0-9a-f]+::(\w+)"|<title>\w+: 0x[0-9a-f]+::(\w+) /g)].map(([, a, b]) => a ?? b);
    for (const page of ["/changes", "/changes.atom"]) {
      expect(await modulesOf(page)).toEqual(["pool", "badge", "orders"]);
      expect(await modulesOf(`${page}?severity=breaking`)).toEqual(["pool"]);
      expect(await modulesOf(`${page}?account=${exchange}`)).toEqual(["pool", "orders"]);
      expect(await modulesOf(`${page}?module=bad`)).toEqual(["badge"]);
      expect(await modulesOf(`${page}?audience=readers&severity=dangerous`)).toEqual(["badge"]);
      const unknown = await get(`${page}?severity=braking`);
      expect([unknown.status, unknown.text]).toEqual([400, expect.stringContaining("Give one of breaking, dangerous,")]);
    }
    const feed = await get("/changes.atom");
    expect(feed.headers["content-type"]).toBe("application/atom+xml; charset=utf-8");
  });

  test("a search names what is held as a file only, and links to no page of it", async ({ place }) => {
    const db = place.file("archive.db");
    copyFileSync(sample.db, db);
    mkdirSync(place.file("files"));
    writeFileSync(place.file("files/loose.mv"), writeModule({ address: "0xf", name: "loose" }));
    await ended(runCli(["import", place.file("files"), "--db", db]));
    await using again = await servePages(db);
    const { status, text } = await again.get("/search?q=loose");
    expect(status).toBe(200);
    expect(textOfHtml(text)).toContain("imported as a file; no snapshot shows it");
    expect(text).not.toContain("module/0xf");
  });

  test("files of a module are its bytes and its ABI", async () => {
    const { exchange } = sample;
    const bytes = await get(`/module/${exchange}/pool/bytecode.mv`);
    const listed = (await get(`/v1/accounts/${exchange}/module/pool`)).text;
    const { bytecode, abi } = JSON.parse(listed) as { bytecode: string; abi: unknown };
    expect(`0x${Buffer.from(bytes.body).toString("hex")}`).toBe(bytecode);
    expect(JSON.parse((await get(`/module/${exchange}/pool/abi.json`)).text)).toEqual(abi);
  });
});

describe("pages beside the API", () => {
  test("the API answers the same bytes with pages as without", async () => {
    const { db, exchange, first } = sample;
    await using plain = await askDatabase(db);
    await using withPages = await askDatabase(db, { pages: pagesPlugin(db) });
    for (const target of asWords`
      /v1 /v1/ /v1/spec.json /v1/info /v1/snapshots /v1/accounts/${exchange} /v1/accounts/${exchange}/modules?limit=1
      /v1/accounts/${exchange}/module/pool?ledger_version=${first} /v1/accounts/0x1/module/none /v1/nothing /nothing
    `) {
      const [a, b] = [await plain.ask(target), await withPages.ask(target)];
      const { date: _, ...headers } = a.headers;
      const { date: __, ...same } = b.headers;
      expect([target, b.status, same]).toEqual([target, a.status, headers]);
      expect(Buffer.from(b.body).equals(Buffer.from(a.body))).toBe(true);
    }
  });

  test("each page forbids what it does not need; nothing of another host is named", async () => {
    const { exchange } = sample;
    for (const path of ["/", "/changes", "/coverage", "/sql", "/search?q=pool", `/account/${exchange}`, `/module/${exchange}/pool`]) {
      const { headers, text } = await get(path);
      expect(headers["content-security-policy"]).toMatch(
        /^default-src 'none'; style-src 'self'; script-src 'self';.*frame-ancestors 'none'$/,
      );
      expect(headers["referrer-policy"]).toBe("same-origin");
      expect(text).not.toMatch(/(?:href|src|action)="(?:https?:)?\/\//);
      expect(text).not.toMatch(/<script>|\sstyle="|\son\w+="/);
    }
    const style = /href="\.\/(static\/page\.[0-9a-f]+\.css)"/.exec((await get("/")).text)?.[1] as string;
    expect((await get(`/${style}`)).headers["cache-control"]).toContain("immutable");
  });

  test("no page answers to a method that could change something, and looking changes nothing of the database", async () => {
    const { db, exchange, first, last } = sample;
    const before = sha256(readFileSync(db));
    for (const path of pagesOfEveryKind({ address: exchange, name: "pool", from: first, to: last, items: ["swap", "Pool"] })) {
      await get(path);
      for (const method of ["POST", "PUT", "PATCH", "DELETE"])
        expect([404, 405], `${method} ${path}`).toContain((await rawRequest(served.origin, { path, method })).status);
    }
    expect(sha256(readFileSync(db))).toEqual(before);
  });

  test("a page that did not change is not sent again, and a new snapshot shows at once", async ({ place }) => {
    const { ledger, codeAccounts, passDay } = createSampleLedger();
    const db = place.file("archive.db");
    await using node = await startSimNode({ ledger });
    await crawl(db, node.url, codeAccounts);
    await using fresh = await servePages(db);
    const first = await fresh.get("/account/0x1");
    const again = await fresh.get("/account/0x1", { "if-none-match": first.headers["etag"] as string });
    expect(again.status).toBe(304);
    passDay();
    await crawl(db, node.url, codeAccounts);
    const after = await fresh.get("/account/0x1", { "if-none-match": first.headers["etag"] as string });
    expect(after.status).toBe(200);
    expect(textOfHtml(after.text)).toContain("At version 3,456,004");
  });
});

test("where only instructions changed, findings have what is typed as code, and a link leads to the instructions", async ({ place }) => {
  const ledger = new SimLedger({ chainId: 9 });
  const rows = (comparison: number) => [[0x0a, 0], [0x06, 5, 0, 0, 0, 0, 0, 0, 0], [comparison], [0x01], [0x02]];
  const publish = (comparison: number) => {
    const code = rows(comparison).map((bytes) => Uint8Array.of(...bytes));
    const functions = [{ name: "f", visibility: "public" as const, params: ["u64"], code }];
    ledger.transact((writer) => writer.publish("0x1", "m", writeModule({ address: "0x1", name: "m", functions })));
    ledger.advance(10n);
  };
  const db = place.file("archive.db");
  await using node = await startSimNode({ ledger });
  for (const comparison of [0x23, 0x25]) {
    publish(comparison);
    await crawl(db, node.url, ["0x1"]);
  }
  await using own = await servePages(db);
  const { text } = await own.get("/diff/0x1/m");
  expect(text).toContain("compares by <code>&lt;= 5</code>");
  expect(textOfHtml(text)).toContain(rules["comparison-changed"].meaning.replaceAll("`", ""));
  const [, link = ""] = /<a class="more" href="([^"]*)">with instructions/.exec(text) ?? [];
  expect((await own.get(`/diff/0x1/m${link.slice(link.indexOf("?")).replaceAll("&amp;", "&")}`)).text).toMatch(/class="code" open/);
});
