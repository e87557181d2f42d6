import { beforeAll, describe, expect, test } from "vitest";
import type { ServedPages } from "../../pages/support/served-pages.ts";
import { browserOfFile, chromiumPath } from "../../serve/support/chromium.ts";
import { nameOfColour } from "./support/colours.ts";
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

  test("a module's source has its side beside it where there is room, and below it where there is none", async () => {
    const page = await browser.newPage();
    const sides: string[] = [];
    for (const width of [1440, 800, 380]) {
      await page.setViewportSize({ width, height: 900 });
      await page.goto(served.origin + weekPages.module);
      const [source, side] = [
        await page.locator(".split > :first-child").boundingBox(),
        await page.locator(".split > .side").boundingBox(),
      ];
      if (source === null || side === null) expect.fail("no columns");
      sides.push(side.x >= source.x + source.width ? "beside" : side.y >= source.y + source.height ? "below" : "over it");
    }
    await page.close();
    expect(sides).toEqual(["beside", "below", "below"]);
  });

  test("bars stand on the foot of their drawing and grow with the numbers of the table below it", async () => {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    await page.goto(served.origin + weekPages.home);
    await page.locator("summary", { hasText: "The same as a table" }).click();
    const rows = await page.locator(".charts ~ details tbody tr").all();
    const cells = await Promise.all(rows.toReversed().map((row) => row.locator("td").allTextContents()));
    for (const [name, column] of [
      ["changes a night", 4],
      ["breaking", 5],
    ] as const) {
      const figure = page.locator(".charts figure", { hasText: name === "breaking" ? "changes a night" : name });
      const foot = await bottomOf(figure.locator("svg"));
      const bars = await figure.locator(name === "breaking" ? "rect.worst" : "rect.all").all();
      const shown = cells.map((row) => Number(row[column])).filter((value) => value > 0);
      expect(bars, name).toHaveLength(shown.length);
      const boxes = await Promise.all(bars.map(async (bar) => (await bar.boundingBox()) ?? expect.fail("no bar")));
      const perOne = (boxes[0]?.height ?? 0) / (shown[0] ?? 1);
      for (const [i, box] of boxes.entries()) {
        expect(Math.abs(box.y + box.height - foot), `${name} ${i}`).toBeLessThan(1.5);
        expect(Math.abs(box.height - (shown[i] ?? 0) * perOne), `${name} ${i}`).toBeLessThan(0.5);
        if (i > 0) expect(box.x).toBeGreaterThan(boxes[i - 1]?.x ?? 0);
      }
    }
    await page.close();
  });

  test.each(["light", "dark"] as const)("in %s what broke is red, what is safe green, what may break amber", async (colorScheme) => {
    const page = await browser.newPage({ colorScheme });
    const colours = async (path: string, property: string, kinds: Readonly<Record<string, string>>) => {
      await page.goto(served.origin + path);
      for (const [selector, colour] of Object.entries(kinds)) {
        const computed: string = await page.evaluate(
          `getComputedStyle(document.querySelector(${JSON.stringify(selector)}))[${JSON.stringify(property)}]`,
        );
        expect(nameOfColour(computed), `${path} ${selector} ${property}`).toBe(colour);
      }
    };
    const tags = { ".tag.breaking": "red", ".tag.dangerous": "amber", ".tag.safe": "green" };
    await colours(weekPages.changes, "color", tags);
    await colours(weekPages.changes, "backgroundColor", tags);
    await colours(weekPages.diff, "borderLeftColor", { ".findings .breaking": "red", ".findings .safe": "green" });
    await colours(weekPages.diff, "backgroundColor", { ".was": "red", ".is": "green", ".diff .del": "red", ".diff .add": "green" });
    await colours(weekPages.home, "fill", { ".charts .all": "teal", ".charts .worst": "red", ".horizon .doomed": "amber" });
    await colours(weekPages.home, "backgroundColor", {
      ".strip .done": "teal",
      ".strip .gaps": "amber",
      ".strip .lost": "red",
      ".strip .open": "blue",
    });
    await colours(weekPages["sql-bars"], "fill", { ".chart rect": "teal" });
    await page.close();
  });
});

async function bottomOf(drawing: { boundingBox: () => Promise<{ y: number; height: number } | null> }): Promise<number> {
  const box = (await drawing.boundingBox()) ?? expect.fail("no drawing");
  return box.y + box.height;
}
