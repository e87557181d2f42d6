import fc from "fast-check";
import { expect, test } from "vitest";
import type { StructAbi } from "../../../src/core/abi/model.ts";
import { wordsOf } from "../../../src/core/base/names.ts";
import { indexedWords, structTexts } from "../../../src/core/db/archive/content/search-words.ts";

const name = fc.oneof(fc.stringMatching(/^[A-Za-z_]\w{0,12}$/), fc.string({ unit: "grapheme" }));
const fields = fc
  .array(name, { maxLength: 6 })
  .map((names) => names.map((each) => ({ name: each, type: { kind: "primitive", text: "u8" } })));

test("a struct is found by the words of its name, its variants and its fields, whatever characters a node put into them", () => {
  fc.assert(
    fc.property(name, fields, fc.array(fc.record({ name, fields }), { maxLength: 3 }), (struct, own, variants) => {
      const texts = structTexts({ name: struct, fields: own, variants } as unknown as StructAbi);
      const inside = variants.flatMap((each) => [each.name, ...each.fields.map((field) => field.name)]);
      const words = [struct, ...own.map((each) => each.name), ...inside].flatMap(wordsOf);
      expect(new Set(texts.flatMap((text) => indexedWords(struct, text)))).toEqual(new Set(words));
    }),
    { numRuns: 500 },
  );
});

test("keeps to what PostgreSQL's index takes: long words are cut, long names left out, and a book has no more than ten thousand", () => {
  expect(indexedWords("x", "x".repeat(5000))).toEqual(["x".repeat(128)]);
  expect(indexedWords("x", `${"x".repeat(127)}\u{10428}`)).toEqual([`${"x".repeat(127)}\ufffd`]);
  expect(indexedWords("x".repeat(256), "x")).toEqual([]);
  expect(indexedWords("x", Array.from({ length: 20_000 }, (_, i) => `w${i}`).join(" ")).length).toBe(10_000);
});
