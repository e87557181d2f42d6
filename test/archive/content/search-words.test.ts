import fc from "fast-check";
import { expect, test } from "vitest";
import type { StructAbi } from "../../../src/abi/model.ts";
import type { StructRow } from "../../../src/archive/content/abi-rows.ts";
import { indexedWords, structTexts } from "../../../src/archive/content/search-words.ts";
import { runsOf, wordsOf } from "../../../src/base/search-tokens.ts";

const name = fc.oneof(
  fc.stringMatching(/^[A-Za-z_]\w{0,12}$/),
  fc.string({ unit: "grapheme" }),
  fc.constantFrom('["', '"]', "a[", "\\", '\\"', "["),
);
const fields = fc
  .array(name, { maxLength: 6 })
  .map((names) => names.map((each) => ({ name: each, type: { kind: "primitive", text: "u8" } })));

test("a struct is found by its whole name, and by the words of its name, its variants and its fields, whatever characters a node put into them", () => {
  fc.assert(
    fc.property(name, fields, fc.array(fc.record({ name, fields }), { maxLength: 3 }), (struct, own, variants) => {
      const abi = { name: struct, fields: own, variants } as unknown as StructAbi;
      const texts = [
        struct,
        ...own.map((each) => each.name),
        ...variants.flatMap((each) => [each.name, ...each.fields.map((field) => field.name)]),
      ];
      const words = [`=${runsOf(struct).join(" ")}`, ...texts.flatMap(wordsOf)];
      expect(indexedWords(structTexts({ abi } as StructRow))).toEqual(new Set(words.map((word) => word.slice(0, 128))));
    }),
    { numRuns: 500 },
  );
});

test("words are cut where PostgreSQL's index would refuse them, and a book has no more than ten thousand", () => {
  expect([...indexedWords(["x".repeat(5000)])]).toEqual([`=${"x".repeat(127)}`, "x".repeat(128)]);
  expect(indexedWords([Array.from({ length: 20_000 }, (_, i) => `w${i}`).join(" ")]).size).toBe(10_000);
});
