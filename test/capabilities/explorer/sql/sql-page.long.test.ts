import { describe, expect, test } from "vitest";
import { asWords, rawRequest } from "../../../support/index.ts";
import { browserOfFile, inChromium } from "../../serve/support/chromium.ts";
import { inspectPages } from "../support/inspect-pages.ts";
import { textOfHtml } from "../support/page-text.ts";
import { serveSample } from "../support/sample-pages.ts";

const { sample, served } = await serveSample();
const { get } = served;
const browser = await browserOfFile();

const pathOf = (sql: string, more: Readonly<Record<string, string>> = {}, format = "") =>
  `/sql${format}?${new URLSearchParams({ sql, ...more })}`;
const hrefsIn = (text: string) => [...text.matchAll(/href="([^"]+)"/g)].map(([, href]) => (href as string).replaceAll("&amp;", "&"));
const rowsIn = (text: string, table = "Result") =>
  [...(new RegExp(`aria-label="${table}"><table[\\s\\S]*?</table>`).exec(text)?.[0] ?? "").matchAll(/<tr>(?!<th)([\s\S]*?)<\/tr>/g)].map(
    ([, row]) => [...(row as string).matchAll(/<td[^>]*>([\s\S]*?)<\/td>/g)].map(([, cell]) => textOfHtml(cell as string)),
  );

describe("the SQL page", () => {
  test("gives rows as JSON, every whole number exact, and as CSV", async () => {
    const sql =
      "SELECT module, bytecode_size, 9223372036854775807 AS most, NULL AS none FROM modules_latest WHERE address = '0x1' ORDER BY module LIMIT 2";
    const { status, headers, text } = await get(pathOf(sql, {}, ".json"));
    expect([status, headers["content-type"], headers["content-disposition"]]).toEqual([
      200,
      "application/json; charset=utf-8",
      'attachment; filename="query.json"',
    ]);
    const rows = JSON.parse(text) as Record<string, unknown>[];
    expect(rows.map((row) => Object.keys(row))).toEqual([
      ["module", "bytecode_size", "most", "none"],
      ["module", "bytecode_size", "most", "none"],
    ]);
    expect(rows[0]).toMatchObject({ module: "account", most: "9223372036854775807", none: null });
    expect((await get(pathOf(sql, {}, ".csv"))).text.split("\r\n")[0]).toBe("module,bytecode_size,most,none");
    const twice = await get(pathOf("SELECT 1 AS a, 2 AS a", {}, ".json"));
    expect([twice.status, twice.text]).toEqual([400, expect.stringContaining("2 columns are named <code>a</code>")]);
    expect((await get(pathOf("SELECT 'up' AS name", { chart: "bar" }))).text).toContain("A chart needs a first column of words");
    const foreign = await rawRequest(served.origin, { path: pathOf(sql, {}, ".json"), headers: {} });
    expect(foreign.status).toBe(403);
  });

  test("leads from its cells to accounts, modules, items and versions, as they were at the row's version", async () => {
    const { exchange, first } = sample;
    const sql = `SELECT ledger_version, address, module, name, visibility FROM functions_at WHERE address = '${exchange}' AND module = 'pool' AND name = 'swap' AND ledger_version = ${first}`;
    const { text } = await get(pathOf(sql));
    const result = /aria-label="Result">[\s\S]*<\/section>/.exec(text)?.[0] ?? "";
    const wanted = asWords`
      ./changes?night=${first} ./account/${exchange} ./module/${exchange}/pool?at=${first} ./module/${exchange}/pool/swap?at=${first}
    `;
    expect(hrefsIn(result)).toEqual(expect.arrayContaining(wanted));
    for (const href of wanted) expect([href, (await get(href.slice(1))).status]).toEqual([href, 200]);
    // A text that only looks like an account is no link.
    expect((await get(pathOf("SELECT 'javascript:alert(1)' AS address, '..' AS module"))).text).not.toMatch(/<td[^>]*><a/);
  });

  test("has its rows page by page", async () => {
    const sql = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 2500) SELECT x FROM n";
    const pages = [];
    for (let href: string | undefined = pathOf(sql); href !== undefined; ) {
      const { text } = await get(href);
      pages.push(rowsIn(text).map(([x]) => Number(x)));
      href = hrefsIn(/<p class="pager">[\s\S]*?<\/p>/.exec(text)?.[0] ?? "")
        .find((one) => Number(/skip=(\d+)/.exec(one)?.[1] ?? 0) === 1000 * pages.length)
        ?.slice(1);
    }
    expect(pages.map((page) => [page.length, page[0], page.at(-1)])).toEqual([
      [1000, 1, 1000],
      [1000, 1001, 2000],
      [500, 2001, 2500],
    ]);
  });

  test("says how the database would answer, of questions alone", async () => {
    const { status, text } = await get(pathOf("SELECT count(*) FROM functions_latest", { plan: "1" }));
    expect([status, textOfHtml(text)]).toEqual([200, expect.stringMatching(/QUERY PLAN.*(?:SCAN|SEARCH)/s)]);
    for (const sql of ["DELETE FROM _all_snapshots", "PRAGMA user_version", "QUERY PLAN SELECT 1", "ATTACH 'x' AS y", "SELECT 1; SELECT 2"])
      expect([sql, (await get(pathOf(sql, { plan: "1" }))).status]).toEqual([sql, 400]);
  });

  inChromium("sorts by what values are worth", async () => {
    const page = await browser.newPage();
    const values = ["1.5", "1.25", "-3", "10", "9007199254740993", "9007199254740992"];
    await page.goto(
      `${served.origin}${pathOf(`SELECT * FROM (VALUES ${values.map((value) => `('${value}')`).join(", ")}) AS v(x)`.replace(" AS v(x)", ""))}`,
    );
    const cells = () => page.locator(".sortable tbody td").allTextContents();
    await page.locator(".sortable th button").click();
    expect(await cells()).toEqual(["-3", "1.25", "1.5", "10", "9007199254740992", "9007199254740993"]);
    await page.evaluate(
      `document.querySelectorAll(".sortable tbody td").forEach((cell, i) => { cell.textContent = ["13 MB", "4.9 kB", "526 kB", "1 min 3 s", "149 ms", "1,204"][i]; })`,
    );
    await page.locator(".sortable th button").click();
    await page.locator(".sortable th button").click();
    expect(await cells()).toEqual(["149 ms", "1,204", "4.9 kB", "1 min 3 s", "526 kB", "13 MB"]);
    await page.close();
  });

  inChromium("is readable at any width: nothing breaks letter by letter", async () => {
    const path = pathOf("SELECT * FROM functions_latest LIMIT 30");
    const page = await browser.newPage();
    for (const width of [380, 800, 1440]) {
      await page.setViewportSize({ width, height: 900 });
      await page.goto(`${served.origin}${path}`);
      const heights = (await page.evaluate(
        `[...document.querySelectorAll(".sortable tbody tr")].map((row) => row.getBoundingClientRect().height)`,
      )) as number[];
      expect([width, Math.max(...heights) < 120]).toEqual([width, true]);
    }
    await page.close();
    const kinds = [
      path,
      pathOf("SELECT module, count(*) AS n FROM functions_latest GROUP BY 1", { chart: "bar" }),
      pathOf("SELECT nam FROM functions_latest"),
    ];
    const problems = await inspectPages(browser, served.origin, kinds, { isQuick: true });
    expect(problems.filter((text) => !text.includes("400 (Bad Request)"))).toEqual([]);
  });
});
