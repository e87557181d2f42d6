import fc from "fast-check";
import { expect, test } from "vitest";
import { wordsOf } from "../../../src/base/search-tokens.ts";
import { columnsOf } from "../../../src/store/content/stored-rows.ts";
import { IndexedWords } from "../../../src/store/content/words/word-index.ts";

const name = fc.oneof(
  fc.stringMatching(/^[A-Za-z_]\w{0,12}$/),
  fc.string({ unit: "grapheme" }),
  fc.constantFrom('["', '"]', "a[", "\\", '\\"', "["),
);
const type = fc.constantFrom("u64", "vector<T0>", "0x1::coin::Coin<0x2::m::S, T1>", "|u8|u8 has copy");
const field = fc.oneof(fc.tuple(name, type), fc.tuple(name, type, fc.nat(9), fc.nat(9)));

/** A row of `structs` as the table has it. */
const row = (cells: Readonly<Record<string, unknown>>): unknown[] => columnsOf("structs").map((column) => cells[column] ?? null);
const listText = (list: readonly unknown[]): string | null => (list.length === 0 ? null : JSON.stringify(list));

test("indexes a struct by the words of its name, its variants and its fields, whatever characters a node put into them", () => {
  fc.assert(
    fc.property(name, fc.array(name, { maxLength: 3 }), fc.array(field, { maxLength: 6 }), (struct, variants, fields) => {
      const texts = [struct, ...variants, ...fields.map(([name]) => name)];
      const found = new IndexedWords().structs([row({ id: 7, name: struct, variants: listText(variants), fields: listText(fields) })]);
      expect(found).toEqual([[(7n << 2n) | 2n, [...new Set(texts.flatMap(wordsOf))].join(" ")]]);
    }),
    { numRuns: 500 },
  );
});
