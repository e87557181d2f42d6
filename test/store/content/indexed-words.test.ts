import fc from "fast-check";
import { expect, test } from "vitest";
import { wordsOf } from "../../../src/base/search-tokens.ts";
import { columnsOf } from "../../../src/store/content/stored-rows.ts";
import { IndexedWords } from "../../../src/store/content/words/indexed-words.ts";

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

const abi = fc.record({
  functions: fc.array(name, { maxLength: 4 }),
  structs: fc.array(fc.tuple(name, fc.array(field, { maxLength: 2 })), { maxLength: 3 }),
});

test("indexes of batches what it would index without being told before which names are unseen, also of a batch gathered before the last was stored", () => {
  fc.assert(
    fc.property(fc.array(abi, { maxLength: 12 }), (abis) => {
      const [told, untold] = [new IndexedWords(), new IndexedWords()];
      const batches = abis.map(({ functions, structs }, id) => ({
        functions: functions.map((name) => [id, name]),
        structs: structs.map(([name, fields]) => row({ id, name, fields: listText(fields) })),
      }));
      const unnumbered = (rows: readonly (readonly unknown[])[]) => rows.map((row) => row.slice(1)) as never[];
      const unseenOf = ({ functions, structs }: (typeof batches)[number]) =>
        told.unseen([{ functions: unnumbered(functions), structs: unnumbered(structs) }]);
      let unseen = batches[0] && unseenOf(batches[0]);
      for (const [i, batch] of batches.entries()) {
        const next = batches[i + 1];
        const unseenNext = next && unseenOf(next);
        expect(told.functions(batch.functions, unseen)).toEqual(untold.functions(batch.functions));
        expect(told.structs(batch.structs, unseen)).toEqual(untold.structs(batch.structs));
        unseen = unseenNext;
      }
    }),
    { numRuns: 300 },
  );
});
