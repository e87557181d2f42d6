import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readBlock } from "../../scripts/docs/blocks.ts";
import { readPages, root } from "./support/pages.ts";

const readme = readPages().find(({ path }) => path === "README.md")?.text ?? "";

describe("README.md", () => {
  test("is short enough to be read", () => {
    expect(readme.trimEnd().split("\n").length).toBeLessThanOrEqual(110);
  });

  test("shows a demonstration of at most 22 lines, with every command that it promises", () => {
    const demo = readBlock("README.md", readme, "demo").split("\n").slice(1, -1);
    expect(demo.length).toBeLessThanOrEqual(22);
    for (const command of ["sync", "show", "diff", "explain", "report"]) {
      expect(
        demo.some((line) => line.startsWith(`$ movedex ${command}`)),
        command,
      ).toBe(true);
    }
  });

  test("gives the size of the database as it was measured last", () => {
    const [, size, times] = /take\s+([\d.]+ MiB),\s+([\d.]+)\s+times less/.exec(readme) ?? [];
    const measured = /take\s+([\d.]+ MiB),\s+([\d.]+)\s+×\s+smaller/.exec(readFileSync(join(root, "test/bench/results.md"), "utf8"));
    expect(measured?.slice(1)).toEqual([size, times]);
  });
});
