import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { blockNames, readBlock } from "../../scripts/docs/blocks.ts";
import { files, pages } from "../../scripts/docs/pages.ts";
import { markdownFiles, wrapMarkdown } from "../../scripts/docs/wrap.ts";
import { viewList } from "../../src/core/db/schema/views/views.ts";
import { readPages, root } from "./support/pages.ts";

const read = (path: string): string => readFileSync(join(root, path), "utf8");
const parts = Object.entries(pages).flatMap(([page, blocks]) => Object.entries(blocks).map(([name, make]) => ({ page, name, make })));

describe("generated parts of the documentation (npm run docs writes them)", () => {
  test.each(parts)("$page: `$name` is what the code says", async ({ page, name, make }) => {
    expect(readBlock(page, read(page), name)).toBe(wrapMarkdown(await make()));
  });

  test.each(Object.entries(files))("%s is what the code says", async (path, make) => {
    expect(read(path)).toBe(await make());
  });

  test("every pair of marks has something that makes its content", () => {
    const marked = readPages().flatMap(({ path, text }) => blockNames(text).map((name) => `${path}: ${name}`));
    expect(marked.sort()).toEqual(parts.map(({ page, name }) => `${page}: ${name}`).sort());
  });

  test("docs/schema.md has a section for each view that is no twin of another", () => {
    const headings = read("docs/schema.md").match(/^## `\w+`/gm);
    expect(headings).toEqual(
      viewList.flatMap(({ name }) => (/^(?!run_|coverage_|\w+_counts_).*_(?:latest|history)$/.test(name) ? [] : [`## \`${name}\``])),
    );
  });
});

test.each(markdownFiles())("wrapMarkdown %s is wrapped at one width", (page) => {
  expect(wrapMarkdown(read(page))).toBe(read(page));
});
