import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { blocks, readBlock } from "../scripts/readme-blocks.ts";

const readme = readFileSync(fileURLToPath(new URL("../README.md", import.meta.url)), "utf8");

describe("README.md", () => {
  test.each(Object.keys(blocks))("its part `%s` is what the code says (npm run readme writes it)", (name) => {
    expect(readBlock(readme, name)).toBe(blocks[name]?.());
  });

  test("names every room of src in its map, and no other", async () => {
    const { readdirSync } = await import("node:fs");
    const rooms = readdirSync(fileURLToPath(new URL("../src", import.meta.url)), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => entry.name)
      .sort();
    const map = readme.slice(readme.indexOf("<!-- map -->"), readme.indexOf("<!-- end map -->"));
    const named = [...map.matchAll(/^ {2}([a-z]+)\/ /gm)].map((match) => match[1] as string).sort();
    expect(named).toEqual(rooms);
  });
});
