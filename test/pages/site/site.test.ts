import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect } from "vitest";
import { createSampleLedger, startSimNode } from "../../../sim/index.ts";
import { closing } from "../../../src/base/closing.ts";
import { sha256Hex } from "../../../src/base/sha256.ts";
import type { Address } from "../../../src/move/address.ts";
import { openPageArchive } from "../../../src/pages/page-archive.ts";
import { readSearch } from "../../../src/pages/site/search-parts.ts";
import { readInputs } from "../../../src/pages/site/site-inputs.ts";
import { unitOf } from "../../../src/pages/site/site-links.ts";
import { makeUnit } from "../../../src/pages/site/site-page-maker.ts";
import { readWorld } from "../../../src/pages/site/site-world.ts";
import { inChromium, openChromium } from "../../serve/support/chromium.ts";
import { crawl } from "../../serve/support/served-archive.ts";
import { ended } from "../../support/command/ended.ts";
import { runCli } from "../../support/run-cli.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";
import { test } from "../../support/test.ts";
import { walkPages } from "../support/crawl-pages.ts";
import { inspectPages } from "../support/inspect-pages.ts";
import { sourceOn, withoutConstants } from "../support/page-text.ts";
import { servePages } from "../support/served-pages.ts";
import { serveFiles } from "./static-server.ts";

/**
 * Three nights of the sample ledger: a site of the first; the same after the second, which changed modules; and after the third, which
 * changed none.
 */
const kept = new AsyncDisposableStack();
const place = kept.use(temporaryDirectory());
const [db, site] = [place.file("archive.db"), place.file("site")];
const make = async (...more: string[]) => {
  const { stdout, stderr, code } = await runCli(["site", site, "--db", db, "--json", ...more]);
  expect([code, stderr]).toEqual([0, expect.stringContaining("about")]);
  return JSON.parse(stdout) as {
    files: number;
    written: number;
    deleted: number;
    bytes: number;
    expected: Record<"files" | "bytes" | "duration_ms" | "duration_max_ms", number>;
  };
};
const filesOf = (folder: string): Map<string, string> =>
  new Map(
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((name) => !name.startsWith(".") && statSync(join(folder, name)).isFile())
      .map((name) => [name, `${sha256Hex(readFileSync(join(folder, name)))} ${statSync(join(folder, name)).mtimeMs}`]),
  );

const sample = createSampleLedger();
const node = kept.use(await startSimNode({ ledger: sample.ledger }));
const accounts = [...sample.codeAccounts, sample.trader];
const exchange = sample.codeAccounts[2] as string;
await crawl(db, node.url, accounts);
await make();
const first = filesOf(site);
sample.passDay();
await crawl(db, node.url, accounts);
const second = await make();
afterAll(() => kept.disposeAsync());

describe("a site of files", () => {
  test("has pages of which every link leads to a file, with no other host", async () => {
    await using server = await serveFiles(site);
    const { pages, broken } = await walkPages(server.origin, ["/"]);
    expect(broken).toEqual([]);
    const held = [...filesOf(site).keys()].filter((name) => name.endsWith(".html"));
    // Every page can be walked to.
    expect(new Set(pages.map((path) => path.replace(/\?.*$/, "").slice(1) || "index.html"))).toEqual(new Set(held));
    expect(held).toEqual(expect.arrayContaining([`module/${exchange}/pool/swap.html`, "data.html", "search.html"]));
    expect(held.some((name) => name.startsWith(`diff/${exchange}/pool/`))).toBe(true);
  });

  test("says what the service says: a module's source as show prints it", async () => {
    const shown = await runCli(["show", `${exchange}::pool`, "--db", db]);
    const page = readFileSync(join(site, `module/${exchange}/pool.html`), "utf8");
    const versions = (text: string) => text.replace(/ at ledger version \d+( of chain \d+)?(, unchanged since \d+)?/, "");
    expect(versions(sourceOn(page))).toBe(versions(withoutConstants(shown.stdout)));
    expect(page).toContain("Content-Security-Policy");
    expect(page).not.toMatch(/href="[^"]*(\/sql|\/v1|\?)/);
  });

  test("is as large as it was said to be, and its manifest has every file", async () => {
    const { files, bytes, expected, written } = await make();
    expect(written).toBe(0);
    expect(expected.files).toBe(files);
    expect(Math.abs(expected.bytes / bytes - 1)).toBeLessThan(0.2);
    expect(expected.duration_ms).toBeLessThanOrEqual(expected.duration_max_ms);
    const own = [...filesOf(site)].filter(([name]) => !/^(?:data\/|site\.json$|manifest\.sha256$)/.test(name));
    const lines = own.map(([name, state]) => `${state.slice(0, 64)}  ${name}`).sort();
    expect(readFileSync(join(site, "manifest.sha256"), "utf8").trimEnd().split("\n").sort()).toEqual(lines);
  });

  test("is left as it is by a second run, and by one that only tells what it would do", async () => {
    const before = filesOf(site);
    await make();
    expect(filesOf(site)).toEqual(before);
    const other = `${site}-dry`;
    const { stdout, code } = await runCli(["site", other, "--db", db, "--dry-run"]);
    expect([code, stdout, existsSync(other)]).toEqual([
      0,
      expect.stringMatching(/^13 modules, 5 accounts: \d+ files, about \d+ kB, /),
      false,
    ]);
  });

  test("is made whole again where files were lost, and old ones lie about", async () => {
    const before = filesOf(site);
    const lost = `module/${exchange}/pool.html`;
    rmSync(join(site, lost));
    mkdirSync(join(site, "module/0xdead"), { recursive: true });
    writeFileSync(join(site, "module/0xdead/gone.html"), "of a killed run");
    mkdirSync(join(site, ".staging"));
    writeFileSync(join(site, "CNAME"), "archive.example.org");
    expect(await make()).toMatchObject({ written: 1, deleted: 1 });
    const after = filesOf(site);
    expect(after.get("CNAME")).toBeDefined();
    after.delete("CNAME");
    rmSync(join(site, "CNAME"));
    expect([...after.keys()].sort()).toEqual([...before.keys()].sort());
  });

  test("refuses a directory of other things, and a site of another chain", async ({ place }) => {
    const folder = place.file("mine");
    mkdirSync(folder);
    writeFileSync(join(folder, "thesis.txt"), "mine");
    const refused = await runCli(["site", folder, "--db", db]);
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("holds other files and was not made by `movedex site`")]);
    expect(readdirSync(folder)).toEqual(["thesis.txt"]);
    const other = place.file("other");
    mkdirSync(other);
    writeFileSync(join(other, "site.json"), JSON.stringify({ format: "movedex-site", schema_version: 1, chain_id: 99 }));
    expect((await runCli(["site", other, "--db", db])).stderr).toContain("site of chain 99");
  });

  test("a report leads to its pages, and to those of the service", async () => {
    await using server = await serveFiles(site, "/chain/");
    await using served = await servePages(db);
    for (const [option, origin, base] of [
      ["--site-url", server.origin, "/chain/"],
      ["--base-url", served.origin, "/"],
    ] as const) {
      const { stdout } = await runCli(["report", "--last", "--format", "html", "--db", db, option, `${origin}${base}`]);
      const links = [...new Set([...stdout.matchAll(/href="([^"]*)"/g)].map(([, href]) => (href ?? "").replaceAll("&amp;", "&")))];
      expect([option, links.length, links.filter((href) => !href.startsWith(`${origin}${base}`))]).toEqual([option, 3, []]);
      for (const href of links) expect([href, (await fetch(href)).status]).toEqual([href, 200]);
    }
  });

  test("leads by the address it is given", async ({ place }) => {
    const folder = place.file("site");
    await ended(runCli(["site", folder, "--db", db, "--no-data", "--base-url", "https://example.org/chain"]));
    const page = readFileSync(join(folder, `module/${exchange}/pool.html`), "utf8");
    expect(page).toContain(`href="https://example.org/chain/account/${exchange}.html"`);
    expect(page.match(/(?:href|src|action)="(?!https:\/\/example\.org\/chain\/|#)[^"]*"/g)).toBe(null);
    expect(existsSync(join(folder, "data"))).toBe(false);
  });

  inChromium("searches in the browser, at a path of its own", async () => {
    await using server = await serveFiles(site, "/chain/");
    const { browser } = kept.use(await openChromium());
    const page = await browser.newPage();
    await page.goto(`${server.origin}/chain/account/${exchange}.html`);
    await page.keyboard.press("/");
    await page.keyboard.type("place");
    await page.getByRole("option", { name: /orders::place$/ }).waitFor();
    await page.keyboard.press("ArrowDown");
    await Promise.all([page.waitForURL(/\/chain\/module\/0x[0-9a-f]+\/orders\/place\.html$/), page.keyboard.press("Enter")]);
    for (const [words, first] of [
      ["0x1::coin", "coin"],
      ["MintCapability", "MintCapability"],
      [exchange, exchange.slice(0, 8)],
    ] as const) {
      await page
        .getByRole("searchbox", { name: "Search" })
        .or(page.getByRole("combobox", { name: "Search" }))
        .fill(words);
      await page.keyboard.press("Escape");
      await page.goto(`${server.origin}/chain/search.html?q=${encodeURIComponent(words)}`);
      const hit = page.locator(".hits a").first();
      await hit.waitFor();
      expect([words, await hit.innerText()]).toEqual([words, expect.stringContaining(first)]);
      await hit.click();
      await page.waitForURL(/\/(module|account)\//);
    }
    await page.goto(`${server.origin}/chain/search.html?q=nosuchword`);
    await page.getByText("Nothing in the newest snapshot has these words.").waitFor();
    await page.close();
    const paths = ["index.html", "search.html?q=coin", "data.html", `module/${exchange}/pool.html`].map((path) => `/chain/${path}`);
    expect(await inspectPages(browser, server.origin, paths, { isQuick: true })).toEqual([]);
  });

  test("asks for nothing of a module or account that the digests of its inputs do not cover", async () => {
    await using archive = closing(await openPageArchive(db));
    const asked = new Set<string>();
    const heard = <T extends object>(of: T): T =>
      Object.fromEntries(
        Object.entries(of).map(([name, ask]: [string, unknown]) => [
          name,
          typeof ask !== "function"
            ? ask
            : (...values: unknown[]): unknown => {
                asked.add(name);
                return ask(...values);
              },
        ]),
      ) as T;
    const world = await readWorld(archive);
    if (world === undefined) throw new Error("nothing is sealed");
    const listening = { ...archive, modules: heard(archive.modules), store: heard(archive.store) };
    const put = (file: string, body: Uint8Array) => ({ file, sha256: "", bytes: body.length, isNew: true });
    for (const unit of [...world.modules.values(), ...world.accounts.keys()])
      await makeUnit({ archive: listening, world, baseUrl: undefined }, put, unit);
    // A question that is new here needs its answer in `readInputs`.
    expect([...asked].sort()).toMatchInlineSnapshot(`
      [
        "bytecode",
        "callersOf",
        "chainId",
        "changesOf",
        "content",
        "coverage",
        "covers",
        "dependenciesOf",
        "dependentsOf",
        "findModule",
        "historyOf",
        "holdersOf",
        "moduleCounts",
        "modulesAt",
        "newestCovering",
        "recordsOf",
        "referring",
        "returnersOf",
        "rotationsOf",
        "sealedVersions",
        "standingAmong",
        "takersOf",
        "timesOf",
      ]
    `);
  });

  test("digests the program's code with every unit, and an older snapshot's seal with the units that show it", async () => {
    await using archive = closing(await openPageArchive(db));
    const { store } = archive;
    const read = await readWorld(archive);
    if (read === undefined) throw new Error("nothing is sealed");
    const [[early], trader] = [[...read.nights] as [bigint], sample.trader as Address];
    // As if a gap hid the account since: its page shows the older snapshot.
    const world = { ...read, accounts: new Map(read.accounts).set(trader, early) };
    const { items } = await readSearch(archive, world);
    const changedBy = async (seal: object, code = "a"): Promise<string[]> => {
      const listSnapshots = async () =>
        (await store.listSnapshots()).map((one) => (one.ledgerVersion === early ? { ...one, ...seal } : one));
      const found = await readInputs({ ...archive, store: { ...store, listSnapshots } }, world, items, { baseUrl: undefined, code });
      return [...found].filter(([unit, digest]) => unchanged.get(unit) !== digest).map(([unit]) => unit);
    };
    const unchanged = await readInputs(archive, world, items, { baseUrl: undefined, code: "a" });
    expect(await changedBy({})).toEqual([]);
    expect((await changedBy({}, "b")).length).toBe(unchanged.size);
    const shown = [...read.modules.values()].filter(({ from }) => from.includes(early));
    const units = new Set([...shown.map(unitOf), ...shown.map(({ address }) => unitOf(address)), unitOf(trader)]);
    expect([shown.length, units.size < unchanged.size]).toEqual([expect.any(Number), true]);
    for (const seal of [{ digest: "another" }, { accounts: 99 }, { gaps: 99 }, { ledgerTime: 99 }, { ledgerTimeErrorMs: 99 }])
      expect([seal, new Set(await changedBy(seal))]).toEqual([seal, units]);
  });

  test("after a night writes what changed, and what is told of it elsewhere, alone", () => {
    const now = filesOf(site);
    const changed = [...now].filter(([name, state]) => first.has(name) && first.get(name) !== state).map(([name]) => name);
    const added = [...now.keys()].filter((name) => !first.has(name));
    const modules = (names: readonly string[]) =>
      names.filter((name) => /^module\/[^/]+\/[^/]+\.html$/.test(name)).map((name) => name.replace(/^module\/0x(\w{1,4})\w*\//, "$1/"));
    expect(modules(changed)).toMatchInlineSnapshot(`
      [
        "1/option.html",
        "1/signer.html",
        "8f3c/pool.html",
        "b1f6/badge.html",
      ]
    `);
    expect(modules(added)).toMatchInlineSnapshot(`
      [
        "8f3c/orders.html",
      ]
    `);
    expect(changed).toEqual(expect.arrayContaining(["index.html", "changes.html", "coverage.html", "changes.atom"]));
    expect(added.filter((name) => name.startsWith("diff/")).length).toBe(2);
    expect(second.written).toBeLessThan(second.files / 2);
  });

  test("after a night without a change has all of its links, and hardly anything was written", async () => {
    const before = filesOf(site);
    sample.passDay();
    await crawl(db, node.url, accounts);
    await make();
    const changed = [...filesOf(site)]
      .filter(([name, state]) => before.get(name) !== state && !name.startsWith("data/"))
      .map(([name]) => name);
    expect(changed.sort()).toEqual(["changes/4320008.html", "coverage.html", "index.html", "manifest.sha256"]);
    await using server = await serveFiles(site);
    expect((await walkPages(server.origin, ["/"])).broken).toEqual([]);
  });
});
