import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { assets } from "../../../src/capabilities/pages/assets/assets.ts";
import { mailPage } from "../../../src/capabilities/report/document-html.ts";

const style = Buffer.from(assets.style.body).toString("utf8");

test("what each colour says, in light and in dark: worse is redder", async () => {
  const rules = [...style.replaceAll(/\/\*.*?\*\//gs, "").matchAll(/([^{}]+)\{([^{}]*)\}/g)].flatMap(([, selectors = "", body = ""]) =>
    body
      .split(";")
      .flatMap((one) => (/light-dark|var\(--/.test(one) ? [`${selectors.trim().replaceAll(/\s+/g, " ")} { ${one.trim()} }\n`] : [])),
  );
  await expect(rules.join("")).toMatchFileSnapshot("colours.txt");
});

test.each([
  ["unclear", "#6a3d9a", "-", "#fdecea"],
  ["breaking", "#b3261e", "+", "#e9f5ec"],
  ["dangerous", "#a15c00", " ", "#f4f5f7"],
  ["behaviour", "#1f5fa8", "@", "#f4f5f7"],
  ["safe", "#4a5560", "", "#f4f5f7"],
])("a report's HTML has %s in %s, and a line of code that begins with `%s` on %s", (tone, colour, sign, background) => {
  const page = mailPage("", [{ points: [{ parts: [{ strong: tone, tone }], lines: [`${sign}code`] }] }], "");
  expect(page).toMatch(new RegExp(`<b style="color:${colour}">${tone}</b>.*background:${background};[^>]*>.?code`));
});

test("every style sheet is in the style that pages have, that of narrow screens and paper last", () => {
  for (const path of globSync("src/capabilities/pages/assets/style/*.css")) expect(style).toContain(readFileSync(path, "utf8"));
  expect(style.endsWith(readFileSync("src/capabilities/pages/assets/style/narrow.css", "utf8"))).toBe(true);
});
