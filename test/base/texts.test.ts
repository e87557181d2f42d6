import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { findJsonExcess, visibleJson } from "../../src/core/base/json.ts";
import { nearestNames, wordsOf } from "../../src/core/base/names.ts";
import { csvLine, csvText, printable } from "../../src/core/base/printable.ts";
import { holdsFor, law } from "../support/property/law.ts";

describe("printable", () => {
  test("escapes what can move a cursor, hide or turn text", () => {
    expect(printable("a\u001b[31mb\r\nc\u202ed\u200be\u0085")).toBe("a\\u{1b}[31mb\\u{d}\\u{a}c\\u{202e}d\\u{200b}e\\u{85}");
  });

  test("cuts what is long", () => {
    expect(printable("x".repeat(10), 4)).toBe("xxxx…");
  });

  law("never lets a control or a lone surrogate through", 100, [fc.string({ unit: "binary" })], (text) => {
    expect(printable(text)).not.toMatch(/[\p{Cc}\p{Cs}\u202a-\u202e\u2066-\u2069]/u);
  });
});

test("a record is quoted where it must be, and tells null from an empty text", () => {
  expect(csvLine(["a", 'say "hi", please', "", null])).toBe('a,"say ""hi"", please","",\r\n');
});

test("whatever the text, a cell begins no formula and holds nothing that a terminal acts on", async () => {
  const text = fc.string({
    unit: fc.oneof(fc.constantFrom("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\u001b", "\u009b", "\u202e"), fc.string()),
  });
  await holdsFor(100, [text], (value) => {
    const cell = csvText(value);
    expect(cell).not.toMatch(/^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/);
    expect(cell).not.toMatch(/[\p{Cc}\p{Cf}\u2028\u2029]/u);
  });
});

describe("nearestNames", () => {
  test("names three at most, the nearest first", () => {
    expect(nearestNames("transfer", ["transfer_all", "transfers", "transfer_x", "transferx", "ransfer"])).toEqual([
      "ransfer",
      "transfers",
      "transferx",
    ]);
  });

  law("finds a name itself, whatever it is", 100, [fc.string({ minLength: 1, maxLength: 40 })], (name) => {
    expect(nearestNames(name, [name])).toEqual([name]);
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

  law("gives words that are words themselves, each once, whatever the text", 100, [fc.string({ unit: "binary" })], (text) => {
    const words = wordsOf(text);
    expect(new Set(words).size).toBe(words.length);
    for (const word of words) expect(word).toMatch(/^[\p{L}\p{N}\p{M}]+$/u);
  });
});

test("JSON says the same, and holds nothing that a terminal acts on", async () => {
  const text = fc.string({
    unit: fc.oneof(fc.constantFrom("\u001b", "\u009b", "\u202e", "\u200b", "\u{e0041}", "\ufeff", "\u2028"), fc.string()),
  });
  await holdsFor(100, [text], (value) => {
    const json = visibleJson(JSON.stringify({ value }));
    expect(JSON.parse(json)).toEqual({ value });
    expect(json).not.toMatch(/[\p{Cc}\p{Cf}\u2028\u2029]/u);
  });
  expect(visibleJson('"vector<u8>\u{e0041}"')).toBe('"vector<u8>\\udb40\\udc41"');
});

const bytes = (text: string): Buffer => Buffer.from(text);

/** Brackets and commas of a value's JSON, counted on the value itself. */
function sizeOf(value: unknown): { values: number; depth: number } {
  if (typeof value !== "object" || value === null) return { values: 0, depth: 0 };
  const children = Object.values(value).map(sizeOf);
  return {
    values: children.reduce((sum, child) => sum + child.values, 1 + Math.max(0, children.length - 1)),
    depth: 1 + Math.max(0, ...children.map(({ depth }) => depth)),
  };
}

describe("findJsonExcess", () => {
  law("accepts exactly what is within the bounds, whatever the strings hold", 100, [fc.jsonValue({ maxDepth: 6 })], (value) => {
    const { values, depth } = sizeOf(value);
    const text = bytes(JSON.stringify(value));
    expect(findJsonExcess(text, { values, depth })).toBeUndefined();
    if (values > 0) expect(findJsonExcess(text, { values: values - 1, depth })).toBe("values");
    if (depth > 0) expect(findJsonExcess(text, { values, depth: depth - 1 })).toBe("depth");
  });

  test.each(['"a,b,[{"', '"\\"[[[["', '"\\\\",', '"never ends [[[['])("counts nothing inside the string of %s", (text) => {
    expect(findJsonExcess(bytes(text), { values: 1, depth: 0 })).toBeUndefined();
  });

  law("any bytes are judged", 100, [fc.uint8Array({ maxLength: 200 })], (input) => {
    expect([undefined, "values", "depth"]).toContain(findJsonExcess(input, { values: 5, depth: 2 }));
  });
});
