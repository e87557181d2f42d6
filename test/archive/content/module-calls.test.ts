import fc from "fast-check";
import { expect, test } from "vitest";
import { writeModule } from "../../../sim/module-writer/module-writer.ts";
import { moduleAbi } from "../../../src/core/abi/decode.ts";
import type { StructAbi } from "../../../src/core/abi/model.ts";
import { wordsOf } from "../../../src/core/base/names.ts";
import { abiRows, contentOf } from "../../../src/core/db/archive/content/abi-rows.ts";
import { moduleCalls } from "../../../src/core/db/archive/content/derivation.ts";
import { derivedRowWriter } from "../../../src/core/db/archive/content/derived-writer.ts";
import { indexedWords, structTexts } from "../../../src/core/db/archive/content/search-words.ts";
import { openScratch } from "../../../src/core/db/engine/database-at.ts";
import { sql } from "../../../src/core/db/schema/sql/sql.ts";
import { DERIVED_BY } from "../../../src/core/db/schema/tables/derived.ts";
import type { Address } from "../../../src/core/move/address.ts";
import { parseModule } from "../../../src/core/move/module/module.ts";
import { formatItemId, type ItemId } from "../../../src/core/move/module-id.ts";
import { holdsFor, law } from "../../support/property/law.ts";

/** A module of so many functions with long names, each of which calls all of them. */
const everyoneCallsAll = (count: number): Uint8Array => {
  const calls = Array.from({ length: count }, (_, i) => (i < 128 ? Uint8Array.of(0x11, i) : Uint8Array.of(0x11, (i & 127) | 128, i >> 7)));
  const functions = Array.from({ length: count }, (_, i) => ({ name: `f${i}`.padEnd(200, "x"), code: [...calls, Uint8Array.of(0x02)] }));
  return writeModule({ address: "0x1", name: "m", functions });
};

const called = sql<[string]>`SELECT a.address || '::' || m.name || '::' || d.name FROM _function_calls c
  JOIN _called_functions d ON d.id = c.called_id JOIN _modules m ON m.id = d.module_id JOIN _addresses a ON a.id = m.address_id`;

const ordered = (places: readonly number[] = []): number[] => places.toSorted((a, b) => a - b);

test("gives each function with all that it calls, and says so where names would fill the database", () => {
  const calls = moduleCalls(parseModule(everyoneCallsAll(50)));
  expect(calls?.callees).toHaveLength(50);
  expect(calls?.ofFunction.size).toBe(50);
  for (const places of calls?.ofFunction.values() ?? []) expect(ordered(places)).toEqual(Array.from({ length: 50 }, (_, i) => i));
  // 200 × 200 names of 200 characters, from 0.1 MB of bytecode.
  const large = everyoneCallsAll(200);
  expect(large.length).toBeLessThan(150_000);
  expect(moduleCalls(parseModule(large))).toBeUndefined();
});

test("stores each callee of a function once, however many handles name it, and takes it for the same ABI", async () => {
  // Equal modules are different objects, as where a hostile module names one by two handles.
  const callee = fc.record({
    module: fc.record({ address: fc.constantFrom("0x1" as Address, "0x2" as Address), name: fc.nat(2).map((number) => `m${number}`) }),
    name: fc.nat(3).map((number) => `f${number}`),
  });
  const decoded = moduleAbi(parseModule(writeModule({ address: "0x5", name: "m", functions: [{ name: "caller" }] })));
  await holdsFor(25, [fc.array(callee, { minLength: 1, maxLength: 60 })], async (callees) => {
    const abi = { ...decoded, dependencies: callees.map(({ module }) => module) };
    const rowsOf = (some: readonly ItemId[]) =>
      abiRows(abi, { callees: some, ofFunction: new Map([["caller", some.map((_, place) => place)]]) });
    const once = [...new Map(callees.map((one) => [formatItemId(one), one]))];
    const rows = rowsOf(callees);
    expect(contentOf(rows)).toEqual(contentOf(rowsOf(once.map(([, one]) => one))));
    const { engine, close } = await openScratch();
    try {
      await engine.transaction((tx) => derivedRowWriter().write(tx, [() => ({ rows, derivedBy: DERIVED_BY })]));
      const stored = await engine.all(called);
      expect(stored.flat().sort()).toEqual(once.map(([name]) => name).sort());
    } finally {
      close();
    }
  });
});

const name = fc.oneof(fc.stringMatching(/^[A-Za-z_]\w{0,12}$/), fc.string({ unit: "grapheme" }));
const fields = fc
  .array(name, { maxLength: 6 })
  .map((names) => names.map((each) => ({ name: each, type: { kind: "primitive", text: "u8" } })));

law(
  "a struct is found by the words of its name, its variants and its fields, whatever characters a node put into them",
  500,
  [name, fields, fc.array(fc.record({ name, fields }), { maxLength: 3 })],
  (struct, own, variants) => {
    const texts = structTexts({ name: struct, fields: own, variants } as unknown as StructAbi);
    const inside = variants.flatMap((each) => [each.name, ...each.fields.map((field) => field.name)]);
    const words = [struct, ...own.map((each) => each.name), ...inside].flatMap(wordsOf);
    expect(new Set(texts.flatMap((text) => indexedWords(struct, text)))).toEqual(new Set(words));
  },
);

test("keeps to what PostgreSQL's index takes: long words are cut, long names left out, and a book has no more than ten thousand", () => {
  expect(indexedWords("x", "x".repeat(5000))).toEqual(["x".repeat(128)]);
  expect(indexedWords("x", `${"x".repeat(127)}\u{10428}`)).toEqual([`${"x".repeat(127)}\ufffd`]);
  expect(indexedWords("x".repeat(256), "x")).toEqual([]);
  expect(indexedWords("x", Array.from({ length: 20_000 }, (_, i) => `w${i}`).join(" ")).length).toBe(10_000);
});
