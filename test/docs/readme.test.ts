import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readBlock } from "../../scripts/docs/blocks.ts";
import { readPages, root } from "./support/pages.ts";

const readme = readPages().find(({ path }) => path === "README.md")?.text ?? "";

describe("README.md", () => {
  test("is short, as is the documentation, and leads analysts, operators and Move developers to their pages by its first links", () => {
    expect(readme.trimEnd().split("\n").length).toBeLessThanOrEqual(110);
    const words = readPages().flatMap(({ path, text }) => (path.startsWith("docs/") ? (text.match(/\S+/g) ?? []) : []));
    expect(words.length).toBeLessThanOrEqual(40_000);
    const first = [...readme.matchAll(/(?<!!)\[[^\]]+\]\(docs\/(\w[\w-]*)\.md\)/g)].slice(0, 5).map(([, page]) => page);
    expect(first).toEqual(expect.arrayContaining(["querying", "operations", "diff-rules"]));
  });

  test("shows a demonstration of at most 22 lines, with every command that it promises", () => {
    const demo = readBlock("README.md", readme, "demo").split("\n").slice(1, -1);
    expect(demo.length).toBeLessThanOrEqual(22);
    for (const command of ["sync", "query", "diff", "explain", "report"]) expect(demo.join("\n")).toContain(`$ movedex ${command}`);
  });

  test("gives the size of the database as it was measured last", () => {
    const [, size, times] = /take\s+([\d.]+ MiB),\s+([\d.]+)\s+times less/.exec(readme) ?? [];
    const measured = /take\s+([\d.]+ MiB),\s+([\d.]+)\s+×\s+smaller/.exec(readFileSync(join(root, "test/bench/results.md"), "utf8"));
    expect(measured?.slice(1)).toEqual([size, times]);
  });
});
