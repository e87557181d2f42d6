import { describe, expect, test } from "vitest";
import { asWords, runCli } from "../../support/index.ts";
import { serveSample } from "./support/sample-pages.ts";

const { sample, served } = await serveSample();
const { get } = served;

describe("where nothing is", () => {
  test("a browser gets a page that leads back, a program the node's error", async () => {
    const page = await get("/nope/at/all", { accept: "text/html,*/*;q=0.8" });
    expect([page.status, page.headers["content-type"], page.headers["vary"]]).toEqual([404, "text/html; charset=utf-8", "accept"]);
    expect(page.headers["content-security-policy"]).toContain("default-src 'none'");
    expect(page.text).toContain('<a href="../../">To the overview</a>');
    for (const [path, accept] of [
      ["/nope", "*/*"],
      ["/nope", "application/json"],
      ["/v1/nope", "text/html"],
    ] as const) {
      const { status, text } = await get(path, { accept });
      expect([status, JSON.parse(text)]).toEqual([404, expect.objectContaining({ error_code: "web_framework_error" })]);
    }
  });

  test("names that may have been meant, versions near by and the account are links, and those lead somewhere", async () => {
    const { exchange, first } = sample;
    const hrefs = [];
    for (const [path, wanted] of [
      ["/module/0x1/coim", "../../module/0x1/coin"],
      [`/module/${exchange}/pol?at=${first}`, `../../module/${exchange}/pool?at=${first}`],
      [`/module/${exchange}/pool/swop`, `../../../module/${exchange}/pool/swap`],
      [`/module/${exchange}/pool?at=${first + 1n}`, `../../module/${exchange}/pool?at=${first}`],
      [`/diff/${exchange}/pool?from=50`, `../../module/${exchange}/pool?at=${first}`],
    ] as const) {
      const { status, text } = await get(path);
      expect([path, status]).toEqual([path, 404]);
      expect(text, "where the file lies").not.toMatch(/sample[^<]*\.db|\/tmp\//);
      const main = /<main[\s\S]*<\/main>/.exec(text)?.[0] ?? "";
      expect(main).toContain(`href="${wanted}"`);
      for (const [, href] of main.matchAll(/href="([^"]+)"/g)) hrefs.push(new URL(href as string, `${served.origin}${path}`));
    }
    for (const { pathname, search } of hrefs)
      expect([`${pathname}${search}`, (await get(pathname + search)).status]).toEqual([`${pathname}${search}`, 200]);
  });
});

const { stdout } = await runCli(asWords`
    query ${"SELECT CAST(ledger_time AS text) AS made FROM snapshots ORDER BY ledger_version"} --db ${sample.db} --format csv
  `);
const days = stdout
  .trim()
  .split("\n")
  .slice(1)
  .map((line) => line.replaceAll('"', "").slice(0, 10));

describe("dates on the pages", () => {
  test("a date names the newest snapshot that the ledger had made by its end", async () => {
    const [first, last] = days as [string, string];
    const module = `/module/${sample.exchange}/pool`;
    const shown = async (at: string) =>
      /At version <span class="num">([\d,]+)/.exec((await get(`${module}?at=${at}`)).text)?.[1]?.replaceAll(",", "");
    expect(await shown(first)).toBe(String(sample.first));
    expect(await shown(last)).toBe(String(sample.last));
    expect(await shown("2099-01-01")).toBe(String(sample.last));
    expect((await get(`/diff/${sample.exchange}/pool?from=${first}&to=${last}`)).text).toContain(`datetime="${last}`);
  });

  test("a day before all snapshots, and one that does not exist, are said to be so", async () => {
    const before = await get(`/module/${sample.exchange}/pool?at=1999-01-01`);
    expect([before.status, before.text.includes("The archive has no snapshot from 1999-01-01")]).toEqual([404, true]);
    const none = await get(`/module/${sample.exchange}/pool?at=2026-02-31`);
    expect([none.status, none.text.includes("is not a date such as 2026-03-01")]).toEqual([400, true]);
  });
});
