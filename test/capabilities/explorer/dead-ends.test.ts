import { describe, expect, test } from "vitest";
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
