import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { assets } from "../../../src/capabilities/pages/assets/assets.ts";
import { mailPage } from "../../../src/capabilities/report/document-html.ts";
import { type ColourName, coloursOf, nameOfColour } from "./support/colours.ts";

/** What a colour says: worse is redder. The rule, its property, and how the colour is called, in light and in dark. */
const meanings: readonly (readonly [selector: string, property: string, colour: ColourName])[] = [
  // How grave a change is: as a word, at a finding, in a chart.
  [".breaking", "--grave", "red"],
  [".breaking", "--grave-bg", "red"],
  [".dangerous", "--grave", "amber"],
  [".dangerous", "--grave-bg", "amber"],
  [".behaviour", "--grave", "teal"],
  [".safe", "--grave", "green"],
  [".safe", "--grave-bg", "green"],
  [".refused", "color", "red"],
  [".notice", "background", "amber"],
  [".notice.bad", "border-color", "red"],
  [".notice.bad", "background", "red"],
  // What was read of an account, and what was not.
  [".read", "--fill", "teal"],
  [".gap", "--fill", "amber"],
  [".never", "--fill", "grey"],
  [".charts .worst", "fill", "red"],
  [".charts .all", "fill", "teal"],
  [".chart rect", "fill", "teal"],
  // What went and what came.
  [".was", "background", "red"],
  [".is", "background", "green"],
  [".diff .del", "background", "red"],
  [".diff .add", "background", "green"],
  // How a night went, in the strip and in its legend.
  [".done", "--fill", "teal"],
  [".gaps", "--fill", "amber"],
  [".lost", "--fill", "red"],
  [".failed", "--fill", "red"],
  [".stale", "--fill", "grey"],
  [".open", "--fill", "blue"],
  // What the node no longer reads, still reads, and soon will not.
  [".horizon .gone", "fill", "grey"],
  [".horizon .readable", "fill", "teal"],
  [".horizon .doomed", "fill", "amber"],
  [".horizon .edge", "stroke", "red"],
];

test.each(meanings)("%s: %s is %s", (selector, property, colour) => {
  const { light, dark } = coloursOf(selector, property);
  expect([nameOfColour(light), nameOfColour(dark)]).toEqual([colour, colour]);
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
  const style = Buffer.from(assets.style.body).toString("utf8");
  for (const path of globSync("src/capabilities/pages/assets/style/*.css")) expect(style).toContain(readFileSync(path, "utf8"));
  expect(style.endsWith(readFileSync("src/capabilities/pages/assets/style/narrow.css", "utf8"))).toBe(true);
});
