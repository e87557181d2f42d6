import { beforeAll, describe, expect, test } from "vitest";
import type { ServedPages } from "../../capabilities/explorer/support/served-pages.ts";
import { browserOfFile, chromiumPath } from "../../capabilities/serve/support/chromium.ts";
import { boxesOn, Layouts } from "./support/layout.ts";
import { serveWeek, weekPages } from "./support/served-week.ts";

const browser = await browserOfFile();

describe.skipIf(chromiumPath === undefined)("the pages as a browser shows them (skipped without Chromium)", () => {
  let served: ServedPages;
  beforeAll(async () => {
    served = await serveWeek();
  });

  test.each([1440, 800, 380])("at %i pixels have their columns and blocks where they were", async (width) => {
    const page = await browser.newPage({ viewport: { width, height: 900 } });
    const layouts = new Layouts();
    const lines: string[] = [];
    for (const [name, path] of Object.entries(weekPages)) {
      await page.goto(served.origin + path);
      lines.push(`${name}:`, ...(await boxesOn(page)).map((line) => `  ${line}`));
      await layouts.add(page);
    }
    await page.close();
    lines.push("every page:", ...layouts.lines().map((line) => `  ${line}`));
    await expect(`${lines.join("\n")}\n`).toMatchFileSnapshot(`layout/${width}.txt`);
  });
});
