import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { readable } from "./support/readable.ts";
import { serveWeek, weekPages } from "./support/served-week.ts";

const texts = fileURLToPath(new URL("texts/", import.meta.url));

describe("a person reads of the page", async () => {
  const served = await serveWeek();

  test.each(Object.entries(weekPages))("%s what was read before", async (name, path) => {
    const { status, text } = await served.get(path);
    expect(status).toBe(200);
    await expect(held(readable(text))).toMatchFileSnapshot(`texts/${name}.txt`);
  });

  test("no golden file is left over", () => {
    const known = Object.keys(weekPages).map((name) => `${name}.txt`);
    expect(readdirSync(texts).filter((file) => !known.includes(file))).toEqual([]);
  });
});

/** How long a statement took is the machine's; the list of views and recipes below an answer is in the documentation as well. */
function held(text: string): string {
  return text.replace(/(?<= rows) in [^·\n]+ · CSV/, " in <time> · CSV").replace(/^Cookbook\n[\s\S]*/m, "");
}
