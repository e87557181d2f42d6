import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { markWords, snippet } from "../../../src/cli/commands/search/run.ts";

const mark = (text: string, words: readonly string[]) => markWords(text, words, (found) => `[${found}]`);

describe("markWords", () => {
  test("marks beginnings of words, also in camel case and behind a constant's E", () => {
    expect(mark("coin_transfer of Recoin", ["coin"])).toBe("[coin]_transfer of Recoin");
    expect(mark("MintCapability", ["cap", "mint"])).toBe("[Mint][Cap]ability");
    expect(mark("EPOOL_EXISTS", ["pool"])).toBe("E[POOL]_EXISTS");
    expect(mark("nothing", [])).toBe("nothing");
  });
});

describe("snippet", () => {
  test("shows the first word that was found, with an ellipsis where something is missing", () => {
    const text = `${"far away ".repeat(10)}the pool is empty${" and so on".repeat(10)}`;
    expect(snippet(text, ["pool"], 30)).toBe("… away the pool is empty and …");
    expect(snippet("short", ["pool"], 30)).toBe("short");
    expect(snippet(text, ["none"], 12)).toBe("far away fa…");
  });

  test("fits", () => {
    fc.assert(
      fc.property(
        fc.string({ maxLength: 200 }),
        fc.integer({ min: 5, max: 100 }),
        (text, width) => snippet(text, ["a"], width).length <= width,
      ),
    );
  });
});
