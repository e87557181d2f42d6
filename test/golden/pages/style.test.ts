import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { assets } from "../../../src/pages/assets/assets.ts";
import { type ColourName, nameOfColour } from "./support/colours.ts";
import { coloursOf } from "./support/style-rules.ts";

/** What a colour says: worse is redder. The rule, its property, and how the colour is called, in light and in dark. */
const meanings: readonly (readonly [selector: string, property: string, colour: ColourName])[] = [
  // How grave a change is: as a word, at a finding, in a chart.
  [".tag.breaking", "color", "red"],
  [".tag.breaking", "background", "red"],
  [".tag.dangerous", "color", "amber"],
  [".tag.dangerous", "background", "amber"],
  [".tag.behaviour", "color", "teal"],
  [".tag.safe", "color", "green"],
  [".tag.safe", "background", "green"],
  [".tag", "color", "grey"],
  [".tag", "background", "grey"],
  [".refused", "color", "red"],
  [".findings .breaking", "--c", "red"],
  [".findings .dangerous", "--c", "amber"],
  [".findings .behaviour", "--c", "teal"],
  [".findings .safe", "--c", "green"],
  [".notice", "background", "amber"],
  [".notice.bad", "border-color", "red"],
  [".notice.bad", "background", "red"],
  // What was read of an account, and what was not.
  [".covered .read", "fill", "teal"],
  [".covered .gap", "fill", "amber"],
  [".covered .never", "fill", "grey"],
  [".charts .worst", "fill", "red"],
  [".charts .all", "fill", "teal"],
  [".charts polyline", "stroke", "teal"],
  [".chart rect", "fill", "teal"],
  [".chart polyline", "stroke", "teal"],
  // What went and what came.
  [".was", "background", "red"],
  [".is", "background", "green"],
  [".diff .del", "background", "red"],
  [".diff .add", "background", "green"],
  [".diff .del mark", "background", "red"],
  [".diff .add mark", "background", "green"],
  // How a night went, in the strip and in its legend.
  ...(
    [
      ["done", "teal"],
      ["gaps", "amber"],
      ["lost", "red"],
      ["failed", "red"],
      ["stale", "grey"],
      ["open", "blue"],
    ] as const
  ).flatMap(([kind, colour]) => [[`.strip .${kind}`, "--fill", colour] as const, [`.key.${kind}`, "--fill", colour] as const]),
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

test.each(globSync("src/pages/assets/style/*.css"))(
  "%s is in the style that pages have, narrow screens and paper after all others",
  (path) => {
    const style = Buffer.from(assets.style.body).toString("utf8");
    const at = style.indexOf(readFileSync(path, "utf8"));
    const narrow = style.indexOf(readFileSync("src/pages/assets/style/narrow.css", "utf8"));
    expect(at).toBeGreaterThanOrEqual(0);
    if (!/\/(?:narrow|print)\.css$/.test(path)) expect(at).toBeLessThan(narrow);
  },
);
