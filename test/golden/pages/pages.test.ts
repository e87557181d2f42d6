import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { makeManyChanges, makeWideArchive } from "../support/wide-archive.ts";
import { readable } from "./support/readable.ts";
import { manyPages, morePages, serveSealed, serveWeek, weekPages, widePages } from "./support/served-week.ts";

const texts = fileURLToPath(new URL("texts/", import.meta.url));

describe("a person reads of the page", async () => {
  const archives = [
    [await serveWeek(), { ...weekPages, ...morePages }],
    [await serveSealed("wide.db", makeWideArchive), widePages],
    [await serveSealed("many.db", makeManyChanges), manyPages],
  ] as const;
  const pages = archives.flatMap(([served, of]) => Object.entries(of).map(([name, path]) => ({ name, path, served })));

  test.each(pages)("$name what was read before", async ({ name, path, served }) => {
    const { status, text } = await served.get(path);
    const refusal = status === 200 ? "" : `[${status}]\n`;
    await expect(refusal + held(readable(text))).toMatchFileSnapshot(`texts/${name}.txt`);
  });

  test("no golden file is left over", () => {
    const known = pages.map(({ name }) => `${name}.txt`);
    expect(
      readdirSync(texts, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".txt") && !known.includes(file)),
    ).toEqual([]);
  });
});

/** How long a statement took is the machine's; the list of views and recipes below an answer is in the documentation as well. */
function held(text: string): string {
  return text.replace(/(?<= rows) in [^·\n]+ · CSV/, " in <time> · CSV").replace(/^Cookbook\n[\s\S]*/m, "");
}
