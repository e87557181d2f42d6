import fc from "fast-check";
import { expect, test } from "vitest";
import { writeModule } from "../../../sim/module-writer/module-writer.ts";
import type { StructAbi } from "../../../src/core/abi/model.ts";
import { wordsOf } from "../../../src/core/base/names.ts";
import { moduleCalls } from "../../../src/core/db/archive/content/derivation.ts";
import { indexedWords, structTexts } from "../../../src/core/db/archive/content/search-words.ts";
import { type CompiledModule, parseModule } from "../../../src/core/move/module/module.ts";
import { holdsFor, law } from "../../support/property/law.ts";

/** A module of so many functions with long names, each of which calls all of them. */
const everyoneCallsAll = (count: number): Uint8Array => {
  const calls = Array.from({ length: count }, (_, i) => (i < 128 ? Uint8Array.of(0x11, i) : Uint8Array.of(0x11, (i & 127) | 128, i >> 7)));
  const functions = Array.from({ length: count }, (_, i) => ({ name: `f${i}`.padEnd(200, "x"), code: [...calls, Uint8Array.of(0x02)] }));
  return writeModule({ address: "0x1", name: "m", functions });
};

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

test("gives each callee once, however many there are and by whichever handles they are named", async () => {
  // Equal modules are different objects, as where a hostile module names one by two handles.
  const callee = fc.record({
    module: fc.record({ address: fc.constantFrom("0x1", "0x2"), name: fc.nat(2).map((number) => `m${number}`) }),
    name: fc.nat(3).map((number) => `f${number}`),
  });
  await holdsFor(100, [fc.array(callee, { minLength: 1, maxLength: 400 })], (callees) => {
    const module = { functions: [{ handle: { name: "caller" }, callees }] } as unknown as CompiledModule;
    const names = (list: readonly (typeof callees)[number][]) =>
      list.map(({ module: { address, name: holder }, name }) => `${address}::${holder}::${name}`);
    const calls = moduleCalls(module);
    const wanted = [...new Set(names(callees))];
    expect(names((calls?.callees ?? []) as unknown as typeof callees)).toEqual(wanted);
    expect(ordered(calls?.ofFunction.get("caller"))).toEqual(wanted.map((_, place) => place));
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
