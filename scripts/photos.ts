import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { servePages } from "../test/pages/support/served-pages.ts";
import { ManualClock } from "../test/support/manual-clock.ts";
import { frameworkHistory } from "../test/support/shared-data.ts";
import { temporaryDirectory } from "../test/support/temporary-directory.ts";
import { photoArchive } from "./photos/archive.ts";
import { servedKinds } from "./photos/kinds.ts";

// npx node scripts/photos.ts --out DIR photographs a page of every kind at three widths, light and dark.
// With --docs it takes the pictures of docs/explorer anew instead. It needs the recorded releases beside the repository and a Chromium.
const { values } = parseArgs({ options: { out: { type: "string", default: "photos" }, docs: { type: "boolean", default: false } } });
const NIGHTS = 20;
/** Pictures of the documentation: the page, the colours, the width, and the height at which it is cut. */
const DOCS = {
  overview: ["home", "light", 1160, 1060],
  module: ["module", "light", 1160, 1000],
  item: ["function", "light", 1160, 1000],
  diff: ["diff", "light", 1440, 1000],
  coverage: ["coverage", "light", 1160, 740],
  changes: ["changes", "dark", 1160, 900],
} as const;

if (frameworkHistory === undefined) throw new Error("the recorded releases are not beside the repository");
// Tests open a browser in the long run alone.
process.env["MOVEDEX_TEST_RUN"] = "long";
const { openChromium } = await import("../test/serve/support/browser.ts");
using place = temporaryDirectory();
const made = await photoArchive(place.file("archive.db"), frameworkHistory, NIGHTS);
await using served = await servePages(made.db, { clock: new ManualClock({ startMs: made.now }) });
await using chromium = await openChromium();
const page = await chromium.browser.newPage();
const take = async (address: string, file: string, width: number, color: "light" | "dark", most: number): Promise<void> => {
  await page.emulateMedia({ colorScheme: color });
  await page.setViewportSize({ width, height: 800 });
  await page.goto(address, { waitUntil: "networkidle" });
  const height = Math.min((await page.evaluate("document.documentElement.scrollHeight")) as number, most);
  await page.setViewportSize({ width, height });
  await page.screenshot({ path: file });
};
const kinds = servedKinds(made);
if (values.docs) {
  for (const [name, [kind, color, width, most]] of Object.entries(DOCS))
    await take(`${served.origin}${kinds[kind]}`, `docs/explorer/${name}.png`, width, color, most);
} else {
  mkdirSync(values.out, { recursive: true });
  for (const [name, path] of Object.entries(kinds))
    for (const color of ["light", "dark"] as const)
      for (const width of [380, 800, 1440])
        await take(`${served.origin}${path}`, join(values.out, `${name}-${width}-${color}.png`), width, color, 4000);
}
