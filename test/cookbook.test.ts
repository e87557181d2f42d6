import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { cookbookFile } from "../scripts/cookbook-file.ts";

test("COOKBOOK.md is what the code says (npm run readme writes it)", () => {
  expect(readFileSync(fileURLToPath(new URL("../COOKBOOK.md", import.meta.url)), "utf8")).toBe(cookbookFile());
});
