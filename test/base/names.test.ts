import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { nearestNames, wordsOf } from "../../src/core/base/names.ts";

describe("nearestNames", () => {
  test("names three at most, the nearest first", () => {
    expect(nearestNames("transfer", ["transfer_all", "transfers", "transfer_x", "transferx", "ransfer"])).toEqual([
      "ransfer",
      "transfers",
      "transferx",
    ]);
  });

  test("finds a name itself, whatever it is", () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, maxLength: 40 }), (name) => {
        expect(nearestNames(name, [name])).toEqual([name]);
      }),
    );
  });

  test("passes over what is too long to compare", () => {
    expect(nearestNames("a".repeat(1_000_000), ["a".repeat(1_000_000)])).toEqual([]);
  });
});

describe("wordsOf", () => {
  test.each([
    ["MintCapability", ["mintcapability", "mint", "capability"]],
    ["swap_exact_in", ["swap", "exact", "in"]],
    ["EPOOL_EXISTS", ["epool", "exists", "pool"]],
    ["E_EMPTY", ["e", "empty"]],
    ["FAMetadata", ["fametadata", "fa", "metadata"]],
    ["pack$Order$Limit", ["pack", "order", "limit"]],
    ["Only the owner, the owner!", ["only", "the", "owner"]],
    ["\u202e::", []],
    ["", []],
  ])("%j has the words %j", (text, words) => {
    expect(wordsOf(text)).toEqual(words);
  });

  test("gives words that are words themselves, each once, whatever the text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const words = wordsOf(text);
        expect(new Set(words).size).toBe(words.length);
        for (const word of words) expect(word).toMatch(/^[\p{L}\p{N}\p{M}]+$/u);
      }),
    );
  });
});
